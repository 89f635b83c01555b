import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Wire } from '../acp/validate.ts';
import { promptOf } from '../host/stdioHost.ts';
import { converse, fields, makeBed, open } from './session.ts';

// What the built program does for an editor that knows ACP only.

const ODD = ['sh', '-c', `echo '{"verdict": "ask", "reason": "odd"}'`];
const ECHO = { tool: 'bash', input: { command: 'echo hi' } };
const OTHER = { tool: 'bash', input: { command: 'echo ho' } };

test('VC-82, VC-83 what the watchdog asks about has four answers, and "always" is about this call', async (t) => {
  const bed = await makeBed(t, {
    settings: { 'gatehouse.watchdog.command': ODD, 'gatehouse.limits.watchdogMs': 60_000 },
  });
  const chosen = ['allow_always', 'reject_always'] as const;
  const answer = (ask: Wire, nth: number) => optionOf(ask, chosen[nth] ?? 'reject_once');
  const calls = [ECHO, ECHO, OTHER, OTHER, ECHO];
  const { asks, results } = await converse(t, bed, { calls, answer });
  assert.deepEqual(
    asks.map((ask) => kindsOf(ask)),
    [FOUR, FOUR],
  );
  assert.deepEqual(
    results.map((each) => fields(each)['type']),
    ['output', 'output', 'error', 'error', 'output'],
  );
});

test('CS-66 the modes are the agents, and a mode is set by its id', async (t) => {
  const agent = '---\ndescription: Writes the docs.\n---\nYou write docs.\n';
  const bed = await makeBed(t, { dataFiles: { 'agents/docs.md': agent } });
  const host = await open(t, bed);
  const params = { cwd: bed.workspace, mcpServers: [] };
  const { sessionId, modes, configOptions } = fields(
    (await host.request('session/new', params)).result,
  );
  const ids = Object(modes).availableModes.map(({ id }: { id: string }) => id);
  assert.deepEqual(
    [Object(modes).currentModeId, ids],
    ['gatehouse', ['docs', 'gatehouse', 'plan']],
  );
  assert.deepEqual(
    Object(configOptions).map(({ id }: { id: string }) => id),
    ['agent', 'approval', 'model'],
  );
  const set = await host.request('session/set_mode', { sessionId, modeId: 'docs' });
  assert.deepEqual(set.result, {});
  await host.request('session/prompt', promptOf(String(sessionId)));
  assert.match(JSON.stringify(host.model.requests[0]?.body['messages']), /You write docs\./);
  const wrong = await host.request('session/set_mode', { sessionId, modeId: 'readOnly' });
  assert.equal(Object(wrong.error).code, -32602);
});

test('C-23, C-25 questions are asked one by one; where none can be shown nobody is asked', async (t) => {
  const bed = await makeBed(t);
  const size = { question: 'Which size?', options: [{ label: 'S' }, { label: 'L' }] };
  const name = { question: 'What name?' };
  const calls = [
    { tool: 'question', input: { questions: [name, size] } },
    { tool: 'question', input: { questions: [name] } },
  ];
  const { asks, results, host } = await converse(t, bed, { calls, answer: () => 'choice-1' });
  assert.equal(asks.length, 1);
  assert.deepEqual(fields(results[0])['data'], { answers: [[], ['L']] });
  assert.match(String(fields(results[1])['error_text']), /^Nobody is here to answer\./);
  const shown = JSON.stringify(host.lines.filter(({ from }) => from === 'agent'));
  assert.match(shown, /This editor can't show these questions.*- What name\?/);
});

const FOUR = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];

interface Option {
  readonly optionId: string;
  readonly kind: string;
}

function optionsOf({ params }: Wire): readonly Option[] {
  return Object(params).options;
}

function kindsOf(ask: Wire): readonly string[] {
  return optionsOf(ask).map(({ kind }) => kind);
}

function optionOf(ask: Wire, kind: string): string {
  return optionsOf(ask).find((each) => each.kind === kind)?.optionId ?? '';
}
