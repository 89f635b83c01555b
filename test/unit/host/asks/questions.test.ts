import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CreateElicitationRequest, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { readElicitationMeta } from '../../../../src/acp/gatehouse/session.ts';
import { HEADLESS_ANSWER } from '../../../../src/tools/locked/question.ts';
import { calls, connect, newSession, prompt, requests, until } from '../harness.ts';

const FORM = { elicitation: { form: {} } };
const colour = { question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] };
const parts = { question: 'Which parts?', multi_select: true, options: [{ label: 'A' }] };

/** Asks, and gives back what the model was told: the answers, or the error. */
function asking(questions: readonly object[]) {
  const told: { ok: boolean; data: unknown; errorText: string }[] = [];
  return {
    told,
    script: ({ conversation }: { conversation: { results: readonly (typeof told)[number][] } }) => {
      const [result] = conversation.results;
      if (result === undefined) return { calls: [{ tool: 'question', input: { questions } }] };
      told.push(result);
      return { text: 'Thanks.' };
    },
  };
}

test('questions are one form, tied to the call, and the answers reach the model', async (t) => {
  const asked: CreateElicitationRequest[] = [];
  const { told, script } = asking([colour, parts]);
  const host = await connect(t, {
    script,
    client: {
      capabilities: FORM,
      elicit: (params) => {
        asked.push(params);
        return { action: 'accept', content: { question_0: 'Blue', question_1: ['A'] } };
      },
    },
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  assert.equal(asked.length, 1);
  const { mode, sessionId: of, toolCallId } = Object(asked[0]);
  assert.deepEqual([mode, of, typeof toolCallId], ['form', sessionId, 'string']);
  assert.match(readElicitationMeta(Object(asked[0])).askId ?? '', /^ask_/);
  assert.deepEqual(told[0]?.data, { answers: [['Blue'], ['A']] });
  assert.deepEqual(
    requests(host, 'session/request_permission'),
    [],
    'a question needs no approval',
  );
});

test('declining gives empty answers; cancelling tells the model to wait', async (t) => {
  for (const [action, ok] of [
    ['decline', true],
    ['cancel', false],
  ] as const) {
    const { told, script } = asking([colour]);
    const host = await connect(t, {
      script,
      client: { capabilities: FORM, elicit: () => ({ action }) },
    });
    await prompt(host, await newSession(host));
    assert.equal(told[0]?.ok, ok, action);
    if (ok) assert.deepEqual(told[0]?.data, { answers: [[]] });
    else assert.match(told[0]?.errorText ?? '', /wait for the user/);
  }
});

test('without forms a single choice becomes one option for each answer', async (t) => {
  let asked: RequestPermissionRequest | undefined;
  const { told, script } = asking([colour]);
  const host = await connect(t, {
    script,
    client: {
      permission: (params) => {
        asked = params;
        const blue = params.options.find(({ name }) => name === 'Blue');
        return { outcome: { outcome: 'selected', optionId: blue?.optionId ?? '' } };
      },
    },
  });
  await prompt(host, await newSession(host));
  assert.deepEqual(
    asked?.options.map(({ kind, name }) => [kind, name]),
    [
      ['allow_once', 'Red'],
      ['allow_once', 'Blue'],
      ['reject_once', 'Skip this question'],
    ],
  );
  assert.equal(asked?.toolCall.title, 'Which colour?');
  assert.deepEqual(told[0]?.data, { answers: [['Blue']] });
});

test('without forms, questions are asked one by one, and the user is told of what is left out', async (t) => {
  const titles: string[] = [];
  const name = { question: 'What name?' };
  const size = { question: 'Which size?', options: [{ label: 'S' }, { label: 'L' }] };
  const { told, script } = asking([parts, colour, name, size]);
  const host = await connect(t, {
    script,
    client: {
      permission: ({ toolCall, options }) => {
        titles.push(String(toolCall.title));
        const optionId = options.find(({ name: label }) => label === 'Blue')?.optionId ?? 'skip';
        return { outcome: { outcome: 'selected', optionId } };
      },
    },
  });
  await prompt(host, await newSession(host));
  assert.deepEqual(titles, ['Which colour?', 'Which size?']);
  assert.deepEqual(told[0]?.data, { answers: [[], ['Blue'], [], []] });
  const shown = calls(host).findLast(({ content }) => content != null)?.content;
  const text =
    "This editor can't show these questions, so the agent goes on without an answer:\n- Which parts?\n- What name?\nTo answer them, write a message.";
  assert.deepEqual(shown, [{ type: 'content', content: { type: 'text', text } }]);
});

test('C-25: where no question can be shown, the model gets the answer of a headless host', async (t) => {
  for (const questions of [[parts], [{ question: 'What name?' }, parts]]) {
    const { told, script } = asking(questions);
    const host = await connect(t, { script });
    await prompt(host, await newSession(host));
    assert.equal(told[0]?.ok, false);
    assert.equal(told[0]?.errorText, HEADLESS_ANSWER);
    assert.deepEqual(requests(host, 'elicitation/create'), []);
    assert.deepEqual(requests(host, 'session/request_permission'), []);
  }
});

test('VC-54: cancel ends a pending question, which is then no longer listed', async (t) => {
  let click: (() => void) | undefined;
  const { script } = asking([colour]);
  const host = await connect(t, {
    script,
    client: {
      permission: () =>
        new Promise((resolve) => {
          click = () => resolve({ outcome: { outcome: 'selected', optionId: 'choice-0' } });
        }),
    },
  });
  const sessionId = await newSession(host);
  const turn = prompt(host, sessionId);
  await until(() => click !== undefined, 'the question is there');
  const pending = () =>
    host.agent.request<{ asks: { title: string; since: number }[] }>('_gatehouse/pending', {});
  const { asks } = await pending();
  assert.deepEqual(
    asks.map(({ title }) => title),
    ['Which colour?'],
  );
  assert.ok(asks.every(({ since }) => since > 1_600_000_000_000));
  await host.agent.notify('session/cancel', { sessionId });
  assert.deepEqual(await turn, { stopReason: 'cancelled' });
  click?.();
  assert.deepEqual((await pending()).asks, []);
});
