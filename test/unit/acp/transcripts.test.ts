import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { checkLines, createWireCheck, type Side, type Wire } from './validate.ts';

const folder = path.join(import.meta.dirname, '../../fixtures/transcripts');

/** Fields that real agents send beyond stable ACP v1, as recorded: unstable or removed ones. */
const KNOWN = [
  /session\/prompt result has the unknown field usage$/,
  /session\/new result has the unknown field models$/,
];

for (const file of readdirSync(folder)) {
  test(`the checker reads ${file} and finds nothing it cannot name`, () => {
    const lines = readLines(file);
    assert.ok(lines.length > 5, 'the recording is empty');
    const faults = checkLines(lines, 'agent').filter(
      (fault) => !KNOWN.some((known) => known.test(fault)),
    );
    assert.deepEqual(faults, []);
  });
}

// Errors that were once sent by a real program; each must be detected.
seeded('a status ACP has no word for', {
  method: 'session/update',
  params: update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 't', status: 'cancelled' }),
});
seeded('an update without its session', {
  method: 'session/update',
  params: { update: { sessionUpdate: 'plan', entries: [] } },
});
seeded('a plan entry without a priority', {
  method: 'session/update',
  params: update({ sessionUpdate: 'plan', entries: [{ content: 'a', status: 'pending' }] }),
});
seeded('a snake_case key', {
  method: 'session/update',
  params: update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 't', raw_input: {} }),
});
seeded('an option of an unknown kind', {
  id: 1,
  method: 'session/request_permission',
  params: {
    sessionId: 's',
    toolCall: { toolCallId: 'c' },
    options: [{ optionId: 'a', name: 'A', kind: 'allow_sometimes' }],
  },
});
seeded('a method that is not in the schema', { method: 'session/updated', params: {} });

test('the checker sees an unknown field at the root of a reply', () => {
  const wire = createWireCheck();
  wire.check('client', { id: 1, method: 'session/new', params: { cwd: '/', mcpServers: [] } });
  const faults = wire.check('agent', { id: 1, result: { sessionId: 's', models: {} } });
  assert.deepEqual(faults, ['session/new result has the unknown field models']);
});

function seeded(name: string, message: Wire) {
  test(`the checker sees ${name}`, () => {
    assert.notDeepEqual(createWireCheck().check('agent', message), []);
  });
}

function update(content: object): object {
  return { sessionId: 's', update: content };
}

/** Our own traces record who wrote a line; another client's log does not, so it is inferred. */
function readLines(file: string): readonly { readonly from: Side; readonly message: Wire }[] {
  const asked = new Map<unknown, Side>();
  return readFileSync(path.join(folder, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const { dir, msg, ...bare } = JSON.parse(line);
      const message: Wire = msg ?? bare;
      const from = dir === undefined ? sideOf(message, asked) : dir.split('-')[0];
      return { from, message };
    });
}

function sideOf({ id, method }: Wire, asked: Map<unknown, Side>): Side {
  if (method === undefined) return asked.get(id) === 'agent' ? 'client' : 'agent';
  const from = FROM_AGENT.has(method) ? 'agent' : 'client';
  if (id !== undefined) asked.set(id, from);
  return from;
}

const FROM_AGENT = new Set(['session/update', 'session/request_permission']);
