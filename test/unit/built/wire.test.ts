import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLines } from '../acp/validate.ts';
import { converse, makeBed } from './session.ts';

test('VC-85 no key on the wire is in snake case, besides raw data of tools', async (t) => {
  const bed = await makeBed(t);
  const { host, results } = await converse(t, bed, {
    calls: [
      { tool: 'write', input: { path: 'a.txt', content: 'one\n' } },
      { tool: 'edit', input: { path: 'a.txt', old_string: 'one', new_string: 'two' } },
      { tool: 'bash', input: { command: 'cat a.txt' } },
      { tool: 'todo', input: { todos: [{ content: 'x', status: 'pending' }] } },
      { tool: 'read', input: { path: 'none' } },
    ],
  });
  assert.equal(results.length, 5);
  assert.deepEqual(checkLines(host.lines, 'agent'), []);
});
