import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createSpans, spanFile } from '../../../../src/host/decisions/spans.ts';
import type { Script } from '../../../tour/server.ts';
import { connect, newSession, prompt, temporary, until } from '../harness.ts';

type Span = Readonly<Record<string, unknown>>;

const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;
const FLOOD = 'head -c 300000 /dev/zero | tr "\\0" x';
const CALLS = [
  { tool: 'bash', input: { command: FLOOD }, id: 'c1' },
  { tool: 'read', input: { path: 'missing' }, id: 'c2' },
];
const SCRIPT: Script = ({ body, conversation: { prompt, results } }) => {
  if (JSON.stringify(body).includes('You write the summary')) return { text: 'A summary.' };
  return prompt === 'Run.' && results.length === 0
    ? { text: 'word '.repeat(800), calls: CALLS }
    : { text: 'Ok.' };
};

test('CS-100: spans of a session, its turns, calls, decisions and compactions are written with their facts', async (t) => {
  const folder = await temporary(t);
  const permission = () => ALLOW;
  const env = { GATEHOUSE_TRACE: folder };
  const host = await connect(t, { env, script: SCRIPT, client: { permission } });
  const sessionId = await newSession(host);
  await prompt(host, sessionId, 'Run.');
  await prompt(host, sessionId, '/compact');
  await host.agent.request('session/close', { sessionId });
  const file = spanFile(folder, process.pid);
  await until(
    () => readSpans(file).some(({ name }) => name === 'session.run'),
    'the last is written',
  );
  const spans = readSpans(file);
  const named = (name: string) => spans.filter((span) => span['name'] === name);
  assert.ok(spans.every((span) => span['session_id'] === sessionId));
  assert.ok(spans.every(({ duration_ms: took, start }) => Number(took) >= 0 && Number(start) > 0));

  const [run] = named('session.run');
  const turns = named('session.turn');
  assert.deepEqual(
    turns.map(({ parent_id, stop_reason }) => [parent_id, stop_reason]),
    [
      [run?.['span_id'], 'end_turn'],
      [run?.['span_id'], 'end_turn'],
    ],
  );
  const [first, second] = turns.map(({ span_id }) => span_id);
  const calls = named('tool.call').map(({ tool_id, tool_call_id, truncated, parent_id, error }) => {
    return [tool_id, tool_call_id, truncated, parent_id, error !== undefined];
  });
  assert.deepEqual(calls.sort(), [
    ['bash', 'c1', true, first, false],
    ['read', 'c2', false, first, true],
  ]);
  const evaluated = named('permission.evaluate').filter(({ tool_id }) => tool_id === 'bash');
  assert.ok(evaluated.length > 0);
  for (const { action, source, settled_by, tool_call_id, pattern } of evaluated) {
    assert.deepEqual(
      [action, source, settled_by, tool_call_id],
      ['allow', 'default', 'rule', 'c1'],
    );
    assert.equal(typeof pattern, 'string');
  }
  const [compaction] = named('compaction.run');
  assert.deepEqual(
    [compaction?.['status'], compaction?.['auto'], compaction?.['parent_id']],
    ['completed', false, second],
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('CS-100: without a folder no span is written, and one that cannot be written warns once', async (t) => {
  const folder = await temporary(t);
  createSpans(undefined, assert.fail).session('ses_1')();
  assert.equal(createSpans(undefined, assert.fail).turn('ses_1').note, undefined);
  const file = path.join(folder, 'file');
  writeFileSync(file, '');
  const warnings: string[] = [];
  const spans = createSpans(file, (message) => warnings.push(message));
  spans.session('ses_1')();
  spans.turn('ses_1').end({});
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /^Spans are not traced: /);
});

function readSpans(file: string): readonly Span[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
