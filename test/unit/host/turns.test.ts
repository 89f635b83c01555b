import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { RequestError } from '@agentclientprotocol/sdk';
import type { ReviewedFile } from '../../../src/base/stream/envelope.ts';
import type { ScriptedFault } from '../../tour/server.ts';
import {
  calls,
  connect,
  lastStatus,
  newSession,
  prompt,
  requests,
  said,
  until,
} from './harness.ts';

const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;
const WRITE = { tool: 'write', input: { path: 'a.txt', content: 'new\n' }, id: 'call-1' };

test('a prompt streams the answer and ends the turn', async (t) => {
  const host = await connect(t, { script: [{ text: 'Hello from the model.' }] });
  const reply = await prompt(host, await newSession(host));
  assert.deepEqual(reply, { stopReason: 'end_turn' });
  assert.equal(said(host), 'Hello from the model.');
});

test('an approved edit is shown as a diff before it is on disk', async (t) => {
  let before: string | undefined;
  const host = await connect(t, {
    script: [{ calls: [WRITE] }, { text: 'Written.' }],
    client: {
      permission: async ({ toolCall }) => {
        before = await readFile(path.join(host.workspace, 'a.txt'), 'utf8');
        const beforeHash = createHash('sha256').update('old\n').digest('hex');
        assert.deepEqual(toolCall.content, [
          {
            type: 'diff',
            path: path.join(host.workspace, 'a.txt'),
            oldText: 'old\n',
            newText: 'new\n',
            _meta: { gatehouse: { beforeHash } },
          },
        ]);
        return ALLOW;
      },
    },
  });
  await writeFile(path.join(host.workspace, 'a.txt'), 'old\n');
  const reply = await prompt(host, await newSession(host));
  assert.deepEqual(reply, { stopReason: 'end_turn' });
  assert.equal(before, 'old\n');
  assert.equal(await readFile(path.join(host.workspace, 'a.txt'), 'utf8'), 'new\n');
  const statuses = calls(host).flatMap(({ status }) => status ?? []);
  assert.deepEqual([...new Set(statuses)], ['pending', 'in_progress', 'completed']);
});

test('a call is announced, and shown with its proposal, before its permission is asked', async (t) => {
  const host = await connect(t, {
    script: [{ calls: [WRITE] }, { text: 'Done.' }],
    client: { permission: () => ALLOW },
  });
  await prompt(host, await newSession(host));
  const order = host.lines.flatMap(({ from, message: { method, params } }) => {
    if (from !== 'agent') return [];
    if (method === 'session/request_permission') return ['ask'];
    const { sessionUpdate, status } = Object(Object(params).update);
    if (!String(sessionUpdate).startsWith('tool_call')) return [];
    return status === undefined ? [] : [status];
  });
  // The call, its proposal, the question, then what became of it, however often that is said.
  assert.deepEqual(order.slice(0, 4), ['pending', 'pending', 'ask', 'in_progress']);
  assert.equal(order.at(-1), 'completed');
});

test('a rejected edit leaves the file, fails the call, and the turn goes on with the reason', async (t) => {
  const host = await connect(t, {
    script: (request) =>
      JSON.stringify(request.body).includes('Use tabs.')
        ? { text: 'I will use tabs.' }
        : { calls: [WRITE] },
    client: {
      permission: () => ({
        outcome: { outcome: 'selected', optionId: 'reject' },
        _meta: { gatehouse: { reason: 'Use tabs.' } },
      }),
    },
  });
  await writeFile(path.join(host.workspace, 'a.txt'), 'old\n');
  const reply = await prompt(host, await newSession(host));
  assert.deepEqual(reply, { stopReason: 'end_turn' });
  assert.equal(said(host), 'I will use tabs.');
  assert.equal(await readFile(path.join(host.workspace, 'a.txt'), 'utf8'), 'old\n');
  assert.deepEqual(Object.values(lastStatus(host)), ['failed']);
});

test('the next model request says what was kept, changed and declined, hunk by hunk, and why', async (t) => {
  const old = ['a\n', 'b\n', 'c\n', 'd\n', 'e\n', 'f\n', 'g\n'];
  const content = old.with(0, 'A\n').with(3, 'D\n').with(6, 'G\n').join('');
  let second: unknown;
  const host = await connect(t, {
    script: ({ body }) => {
      const text = JSON.stringify(body);
      if (!text.includes('approved something other')) {
        return { calls: [{ tool: 'write', input: { path: 'a.txt', content }, id: 'call-1' }] };
      }
      second = body;
      return { text: 'I see.' };
    },
    client: {
      permission: ({ toolCall }) => {
        const [diff] = toolCall.content ?? [];
        assert.ok(diff?.type === 'diff');
        const text = old.with(0, 'A\n').with(3, 'mine\n').join('');
        const approved = [{ path: diff.path, text }];
        const reasons = [{ path: diff.path, line: 7, reason: 'Leave the end.' }];
        return { ...ALLOW, _meta: { gatehouse: { approved, reasons } } };
      },
    },
  });
  await writeFile(path.join(host.workspace, 'a.txt'), old.join(''));
  await prompt(host, await newSession(host));
  const results = Object(second).messages.filter(({ role }: { role: string }) => role === 'tool');
  const { metadata } = JSON.parse(results.at(-1).content);
  assert.deepEqual(metadata.review.files, [
    {
      path: path.join(host.workspace, 'a.txt'),
      outcome: 'changed',
      hunks: [
        { line: 1, outcome: 'kept' },
        { line: 4, outcome: 'changed', approved_text: 'mine\n', proposed_text: 'D\n' },
        { line: 7, outcome: 'rejected', proposed_text: 'G\n', reason: 'Leave the end.' },
      ],
    },
  ]);
});

test('a proposal of which every hunk was declined is not written, and the model is told why', async (t) => {
  let second = '';
  const host = await connect(t, {
    script: ({ body }) => {
      second = JSON.stringify(body);
      return second.includes('rejected every change') ? { text: 'I see.' } : { calls: [WRITE] };
    },
    client: {
      permission: ({ toolCall }) => {
        const [diff] = toolCall.content ?? [];
        assert.ok(diff?.type === 'diff');
        const reasons = [{ path: diff.path, line: 1, reason: 'Not this file.' }];
        return { ...ALLOW, _meta: { gatehouse: { approved: [], reasons } } };
      },
    },
  });
  await writeFile(path.join(host.workspace, 'a.txt'), 'old\n');
  await prompt(host, await newSession(host));
  assert.equal(await readFile(path.join(host.workspace, 'a.txt'), 'utf8'), 'old\n');
  assert.match(second, /a\.txt:1: Not this file\./);
});

test('what the user changed in the proposal is what is written', async (t) => {
  const host = await connect(t, {
    script: ({ body }) =>
      /approved something other/.test(JSON.stringify(body))
        ? { text: 'I see what you changed.' }
        : { calls: [WRITE] },
    client: {
      permission: ({ toolCall }) => {
        const [content] = toolCall.content ?? [];
        assert.ok(content?.type === 'diff');
        const approved = [{ path: content.path, text: 'mine\n' }];
        return { ...ALLOW, _meta: { gatehouse: { approved } } };
      },
    },
  });
  await prompt(host, await newSession(host));
  assert.equal(await readFile(path.join(host.workspace, 'a.txt'), 'utf8'), 'mine\n');
  const { rawOutput } = calls(host).findLast(({ status }) => status === 'completed') ?? {};
  const { review } = Object(rawOutput).metadata;
  assert.deepEqual(
    review.files.map(({ outcome, hunks }: ReviewedFile) => [outcome, hunks?.[0]?.approved_text]),
    [['changed', 'mine\n']],
  );
  assert.equal(said(host), 'I see what you changed.');
});

test('approved texts that cannot be read allow nothing', async (t) => {
  const host = await connect(t, {
    script: [{ calls: [WRITE] }, { text: 'Done.' }],
    client: {
      permission: () => ({ ...ALLOW, _meta: { gatehouse: { approved: [{ path: 'a.txt' }] } } }),
    },
  });
  await prompt(host, await newSession(host));
  assert.ok(!existsSync(path.join(host.workspace, 'a.txt')));
  assert.deepEqual(Object.values(lastStatus(host)), ['failed']);
});

test('an edited call is judged and shown again with its new arguments (CA-41)', async (t) => {
  let asked = 0;
  const host = await connect(t, {
    script: [{ calls: [WRITE] }, { text: 'Done.' }],
    client: {
      permission: () => {
        asked += 1;
        if (asked > 1) return ALLOW;
        const editedInput = { path: 'b.txt', content: 'edited\n' };
        return { ...ALLOW, _meta: { gatehouse: { editedInput } } };
      },
    },
  });
  await prompt(host, await newSession(host));
  assert.equal(asked, 2);
  assert.equal(await readFile(path.join(host.workspace, 'b.txt'), 'utf8'), 'edited\n');
});

test('a second prompt waits for the first (CS-81)', async (t) => {
  const host = await connect(t, {
    script: [{ text: 'one ', delayMs: 5 }, { text: 'two' }],
  });
  const sessionId = await newSession(host);
  const replies = await Promise.all([
    prompt(host, sessionId, 'first'),
    prompt(host, sessionId, 'second'),
  ]);
  assert.deepEqual(replies, [{ stopReason: 'end_turn' }, { stopReason: 'end_turn' }]);
  assert.equal(said(host), 'one two');
});

test('cancel ends the running turn and drains the queue', async (t) => {
  const host = await connect(t, {
    script: [{ text: 'a'.repeat(400), chunkSize: 1, delayMs: 20 }],
  });
  const sessionId = await newSession(host);
  const first = prompt(host, sessionId, 'first');
  const second = prompt(host, sessionId, 'second');
  await until(() => said(host).length > 2, 'the answer began');
  await host.agent.notify('session/cancel', { sessionId });
  const cancelled = { stopReason: 'cancelled' };
  assert.deepEqual(await Promise.all([first, second]), [cancelled, cancelled]);
  assert.ok(said(host).length < 400, 'the stream went on to its end');
});

test('cancel works before the turn has begun: a key that never comes holds nothing up', async (t) => {
  let asked = false;
  const host = await connect(t, {
    env: { GATEHOUSE_MODEL_BASE_URL: 'http://127.0.0.1:9/v1' },
    client: {
      capabilities: { _meta: { gatehouse: { v: 1, secret: true } } },
      other: (method) => {
        if (method !== '_gatehouse/secret') return undefined;
        asked = true;
        return new Promise(() => undefined);
      },
    },
  });
  const sessionId = await newSession(host);
  const turn = prompt(host, sessionId);
  await until(() => asked, 'the key is asked for');
  await host.agent.notify('session/cancel', { sessionId });
  assert.deepEqual(await turn, { stopReason: 'cancelled' });
});

test('a prompt request that is taken back is cancelled', async (t) => {
  const host = await connect(t, {
    script: [{ text: 'a'.repeat(400), chunkSize: 1, delayMs: 20 }],
  });
  const sessionId = await newSession(host);
  const controller = new AbortController();
  const reply = host.agent.request(
    'session/prompt',
    { sessionId, prompt: [{ type: 'text', text: 'Go.' }] },
    { cancellationSignal: controller.signal },
  );
  await until(() => said(host).length > 2, 'the answer began');
  controller.abort();
  assert.deepEqual(await reply, { stopReason: 'cancelled' });
});

test('two sessions run at the same time, and cancelling one leaves the other', async (t) => {
  const host = await connect(t, {
    script: ({ conversation }) =>
      JSON.stringify(conversation).includes('slow')
        ? { text: 'z'.repeat(400), chunkSize: 1, delayMs: 20 }
        : { text: 'quick' },
  });
  const [slow, quick] = [await newSession(host), await newSession(host)];
  assert.notEqual(slow, quick);
  const slowReply = prompt(host, slow, 'slow');
  await until(() => said(host).includes('z'), 'the slow answer began');
  assert.deepEqual(await prompt(host, quick, 'other'), { stopReason: 'end_turn' });
  await host.agent.notify('session/cancel', { sessionId: slow });
  assert.deepEqual(await slowReply, { stopReason: 'cancelled' });
});

fault('a wrong key', { at: 'head', status: 401 }, { kind: 'unauthorized', status: 401 });
fault('broken SSE', { at: 'mid-stream', how: 'broken-line' }, { kind: 'broken-stream' });

function fault(name: string, scripted: ScriptedFault, expected: Record<string, unknown>) {
  test(`${name} is the prompt's error, after everything received was sent and stored`, async (t) => {
    const host = await connect(t, { script: [{ text: 'So far. ', fault: scripted }] });
    const sessionId = await newSession(host);
    const error = await prompt(host, sessionId).catch((reason: unknown) => reason);
    assert.ok(error instanceof RequestError, String(error));
    assert.equal(error.code, -32603);
    const { kind, status, retryable } = Object(error.data);
    assert.deepEqual(
      { kind, ...(status === undefined ? {} : { status }) },
      expected,
      JSON.stringify(error.data),
    );
    assert.equal(typeof retryable, 'boolean');
    assert.ok(error.message.length > 20, 'the message says what to do');
    if (scripted.at === 'mid-stream') {
      assert.equal(said(host), 'So far. ');
      const at = host.updates.length;
      await host.agent.request('session/load', { sessionId, cwd: host.workspace, mcpServers: [] });
      assert.equal(said({ updates: host.updates.slice(at) }), 'So far. ');
    }
  });
}

test('without a model the prompt says how to set one', async (t) => {
  const host = await connect(t, { env: { GATEHOUSE_MODEL_ID: '' } });
  const error = await prompt(host, await newSession(host)).catch((reason: unknown) => reason);
  assert.ok(error instanceof RequestError);
  assert.equal(Object(error.data).kind, 'no-model');
  assert.match(error.message, /Gatehouse: Set Model….*GATEHOUSE_MODEL_BASE_URL/);
});

test('a failed turn takes what waits behind it with it', async (t) => {
  const host = await connect(t, { script: [{ text: '', fault: { at: 'head', status: 401 } }] });
  const sessionId = await newSession(host);
  const [first, second] = await Promise.allSettled([
    prompt(host, sessionId, 'first'),
    prompt(host, sessionId, 'second'),
  ]);
  const kinds = [first, second].map((each) =>
    each.status === 'rejected' ? Object(each.reason.data).kind : each.value.stopReason,
  );
  assert.deepEqual(kinds, ['unauthorized', 'not-sent']);
});

test('PR-059: a character that is split over two deltas is whole, for the client and in the record', async (t) => {
  const text = 'a 🐦 and a 👩‍🚀.';
  const host = await connect(t, { script: [{ text, chunkSize: 1 }] });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  const said = () =>
    host.updates
      .flatMap(({ update }) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
          ? [update.content.text]
          : [],
      )
      .join('');
  assert.equal(said(), text);
  const exported: { text?: string } = await host.agent.request('_gatehouse/export_session', {
    ...{ sessionId, format: 'jsonl' },
  });
  assert.ok(exported.text?.includes(text));
  assert.doesNotMatch(exported.text ?? '', /\uFFFD/);
});

test('the first prompt names the session', async (t) => {
  const host = await connect(t);
  const sessionId = await newSession(host);
  await prompt(host, sessionId, '\n  Fix   the failing test\nplease');
  await prompt(host, sessionId, 'And another thing');
  const titles = host.updates.flatMap(({ update }) =>
    update.sessionUpdate === 'session_info_update' ? [update.title] : [],
  );
  assert.deepEqual(titles, ['Fix the failing test']);
  const { sessions } = await host.agent.request('session/list', { cwd: host.workspace });
  assert.deepEqual(
    sessions.map((each) => [each.sessionId, each.title]),
    [[sessionId, 'Fix the failing test']],
  );
});

test('the commands are announced after the reply that names the session', async (t) => {
  const host = await connect(t);
  const sessionId = await newSession(host);
  const named = () =>
    host.lines.findIndex(({ message }) => JSON.stringify(message.result)?.includes(sessionId));
  const announced = () =>
    host.lines.findIndex(({ message }) =>
      JSON.stringify(message.params)?.includes('available_commands_update'),
    );
  await until(() => announced() >= 0, 'the commands were announced');
  assert.ok(named() < announced());
});

test('todo becomes the plan', async (t) => {
  const items = [{ content: 'Look', status: 'in_progress' }];
  const host = await connect(t, {
    script: [{ calls: [{ tool: 'todo', input: { items } }] }, { text: 'Ok.' }],
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  const plans = () =>
    host.updates.flatMap(({ update }) => (update.sessionUpdate === 'plan' ? [update.entries] : []));
  const entries = [{ content: 'Look', status: 'in_progress', priority: 'medium' }];
  assert.deepEqual(plans(), [entries]);
  await host.agent.request('session/load', { sessionId, cwd: host.workspace, mcpServers: [] });
  assert.deepEqual(plans(), [entries, entries]);
});

test('usage is told against the window the user named', async (t) => {
  const host = await connect(t, { script: [{ text: 'Hi.', usage: USAGE }] });
  await writeFile(
    path.join(host.data, 'settings.json'),
    '{ "gatehouse.model.contextTokens": 1000 }',
  );
  await prompt(host, await newSession(host));
  const usage = host.updates.flatMap(({ update }) =>
    update.sessionUpdate === 'usage_update' ? [[update.used, update.size]] : [],
  );
  assert.deepEqual(usage, [[30, 1000]]);
});

const USAGE = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };

test('nothing is asked of a client that offered nothing', async (t) => {
  const host = await connect(t, {
    script: [{ calls: [WRITE, { tool: 'bash', input: { command: 'touch hi' } }] }, { text: 'Ok.' }],
    client: { permission: () => ALLOW },
  });
  await prompt(host, await newSession(host));
  const asked = host.lines.flatMap(({ from, message }) =>
    from === 'agent' && message.method !== undefined ? [message.method] : [],
  );
  assert.deepEqual([...new Set(asked)].sort(), ['session/request_permission', 'session/update']);
  assert.equal(requests(host, 'session/request_permission').length, 2);
});
