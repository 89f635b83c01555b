import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { DecisionEvent } from '../../../../src/gate/decisionEvent.ts';
import { createDecisionTrace, decisionFile } from '../../../../src/host/decisions/decisionTrace.ts';
import { connect, newSession, prompt, temporary, until } from '../harness.ts';

const EVENT: DecisionEvent = {
  sessionId: 'ses-1',
  toolCallId: 'call-1',
  tool: 'bash',
  about: 'call',
  decision: 'allow',
  by: 'rule',
  layer: 'rules',
  reason: 'A rule allows it.',
  subjects: [],
  paths: [],
  rules: [],
  durationMs: 3,
};

test("the gate's decisions are written to the trace folder", async (t) => {
  const folder = await temporary(t);
  const host = await connect(t, {
    env: { GATEHOUSE_TRACE: folder },
    script: [
      {
        calls: [
          { tool: 'bash', input: { command: 'touch made' }, id: 'c1' },
          { tool: 'read', input: { path: 'missing' }, id: 'c2' },
        ],
      },
      { text: 'Ok.' },
    ],
    client: { permission: () => ({ outcome: { outcome: 'selected', optionId: 'reject' } }) },
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  const file = decisionFile(folder, process.pid);
  await until(() => readEvents(file).length === 2, 'both decisions are written');
  const seen = readEvents(file).map((event) => [
    event['sessionId'],
    event['toolCallId'],
    event['decision'],
    event['by'],
  ]);
  assert.deepEqual(seen.sort(), [
    [sessionId, 'c1', 'deny', 'user'],
    [sessionId, 'c2', 'allow', 'rule'],
  ]);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('a trace that cannot be written warns once', async (t) => {
  const file = path.join(await temporary(t), 'file');
  writeFileSync(file, '');
  const warnings: string[] = [];
  const trace = createDecisionTrace(file, (message) => warnings.push(message));
  trace.write(EVENT);
  trace.write(EVENT);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /^Decisions are not traced: /);
});

test('without a folder nothing is written', () => {
  const trace = createDecisionTrace(undefined, assert.fail);
  trace.write(EVENT);
  trace.dispose();
});

function readEvents(file: string): readonly Record<string, unknown>[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}
