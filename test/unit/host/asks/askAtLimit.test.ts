import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
} from '@agentclientprotocol/sdk';
import { type Connected, connect, newSession, prompt, temporary, until } from '../harness.ts';

const OURS = { elicitation: { form: {} }, _meta: { gatehouse: { v: 1 } } };
const OTHER = { elicitation: { form: {} } };

/** Ends only when the file `go` is there. */
const UNTIL_GO = 'while [ ! -e go ]; do sleep 0.05; done; echo b';

interface Options {
  /** The command ends once the user is asked. */
  readonly goes?: boolean;
  readonly inCopy?: boolean;
  /** Default: one that ends with `go`. In the copy, within a function: no rule decides about it. */
  readonly command?: string;
  whenAsked?(host: Connected): Promise<void>;
}

/** Runs a command that reaches its limit, and gives back what was asked and what the model was told. */
async function run(
  t: Parameters<typeof connect>[0],
  capabilities: object,
  answer: CreateElicitationResponse,
  { goes = false, inCopy = false, ...rest }: Options = {},
) {
  const { command = inCopy ? `f() { ${UNTIL_GO}; }; f` : UNTIL_GO } = rest;
  const asked: CreateElicitationRequest[] = [];
  const permissions: RequestPermissionRequest[] = [];
  const told: { ok: boolean; errorText: string; data: unknown }[] = [];
  const data = await temporary(t);
  const settings = JSON.stringify({ 'sandbox.autoRun': inCopy });
  writeFileSync(path.join(data, 'settings.json'), settings);
  const host: Connected = await connect(t, {
    ...(inCopy && { data, env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' } }),
    script: ({ conversation: { results } }) => {
      const [result] = results;
      if (result !== undefined) {
        told.push(result);
        return { text: 'Done.' };
      }
      const input = { command, description: 'Build', timeout_ms: 50 };
      return { calls: [{ tool: 'bash', input }] };
    },
    client: {
      capabilities,
      permission: (request) => {
        permissions.push(request);
        const { options } = request;
        const optionId = options.find(({ kind }) => kind === 'allow_once')?.optionId ?? '';
        return { outcome: { outcome: 'selected', optionId } };
      },
      elicit: async (params) => {
        asked.push(params);
        await rest.whenAsked?.(host);
        if (goes) writeFileSync(path.join(host.workspace, 'go'), '');
        return answer;
      },
    },
  });
  await prompt(host, await newSession(host));
  return { asked, told, permissions };
}

const accept = (choice: string): CreateElicitationResponse => ({
  action: 'accept',
  content: { question_0: choice },
});

test('the user of our editor is asked about a command at its limit, and it goes on', async (t) => {
  const { asked, told } = await run(t, OURS, accept('Continue 2 More Minutes'), { goes: true });
  assert.deepEqual(
    asked.map(({ message }) => message),
    [
      '"Build" is still running after 0.1 seconds, its time limit. If you skip this question, it continues. Without an answer within 2 minutes, it is stopped.',
    ],
  );
  assert.deepEqual(JSON.stringify(asked[0]).match(/Continue[^"]*|"Stop"/g), [
    'Continue 2 More Minutes',
    'Continue 2 More Minutes',
    'Continue in Background',
    'Continue in Background',
    '"Stop"',
    '"Stop"',
  ]);
  assert.equal(told[0]?.ok, true);
  assert.match(JSON.stringify(told[0]?.data), /"output":"b\\n"/);
});

test('what the user writes instead of a choice lets the command go on', async (t) => {
  const content = { question_0_custom: 'give it an hour' };
  const { told } = await run(t, OURS, { action: 'accept', content }, { goes: true });
  assert.equal(told[0]?.ok, true);
});

test('the user stops the command, and the model is told so', async (t) => {
  const { told } = await run(t, OURS, accept('Stop'));
  assert.match(
    told[0]?.errorText ?? '',
    /did not finish within 50 ms.*The user stopped this command/,
  );
});

test('a question that the user skips or dismisses lets the command go on', async (t) => {
  for (const action of ['decline', 'cancel'] as const) {
    const { asked, told } = await run(t, OURS, { action }, { goes: true });
    assert.equal(asked.length, 1);
    assert.equal(told[0]?.ok, true, action);
    assert.match(JSON.stringify(told[0]?.data), /"output":"b\\n"/);
  }
});

test('the user of another editor is not asked', async (t) => {
  const { asked, told } = await run(t, OTHER, accept('Continue 2 More Minutes'));
  assert.deepEqual(asked, []);
  assert.match(told[0]?.errorText ?? '', /did not finish within 50 ms/);
});

test('a command in the copy is asked about too, and not offered to run on in the background', async (t) => {
  const { asked, told } = await run(t, OURS, accept('Stop'), { inCopy: true });
  assert.equal(asked.length, 1);
  assert.doesNotMatch(JSON.stringify(asked[0]), /Background/);
  assert.equal(told[0]?.ok, false);
});

/** Fails if a command that the user stopped was offered again. */
function assertStopped({ asked, told, permissions }: Awaited<ReturnType<typeof run>>): void {
  assert.equal(asked.length, 1);
  assert.deepEqual(
    permissions.map(({ toolCall }) => toolCall.title),
    [],
  );
  assert.equal(told.length, 1);
  assert.match(told[0]?.errorText ?? '', /The user stopped this command/);
}

const tried = (host: Connected) =>
  until(() => host.lines.some((line) => /tried\\n/.test(JSON.stringify(line))), 'its output');

test('a command that is stopped after it tried the network is not run again', async (t) => {
  const command = `f() { echo >/dev/tcp/192.0.2.1/80; echo tried; ${UNTIL_GO}; }; f`;
  assertStopped(await run(t, OURS, accept('Stop'), { inCopy: true, command, whenAsked: tried }));
});

test('a command that is stopped after it changed .git is not offered to run for real', async (t) => {
  const command = `f() { git init -q . && echo tried; ${UNTIL_GO}; }; f`;
  assertStopped(await run(t, OURS, accept('Stop'), { inCopy: true, command, whenAsked: tried }));
});
