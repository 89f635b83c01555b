import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toUpdates } from '../../../src/acp/toUpdates.ts';
import { getToolFacts, LOCKED_IDS } from '../../../src/base/tools/toolFacts.ts';
import { lockedTools } from '../../../src/tools/locked/lockedTools.ts';

// The spec's table, written out a second time on purpose (C(b).8).
const TABLE = `
  read read | write edit | edit edit | glob search | grep search | bash execute | todo other
  | task other | question other | web_search fetch | web_fetch fetch | skill think
  | tool_search search`
  .split('|')
  .map((row) => row.trim().split(' '));

for (const [id, kind] of TABLE) {
  test(`VC-80: ${id} is shown as ${kind}`, () => {
    const [update] = toUpdates(
      { type: 'tool-input-start', toolCallId: 'c', toolName: id ?? '' },
      { terminals: false, notices: false, compaction: false, contextTokens: 0 },
    );
    assert.equal(update && 'kind' in update ? update.kind : undefined, kind);
  });
}

test('VC-80: the table names the locked ids and no others', () => {
  assert.deepEqual([...LOCKED_IDS].sort(), TABLE.map(([id]) => id).sort());
});

test('VC-80: every tool that is built declares the kind of the table', () => {
  const declared = Object.fromEntries(lockedTools([]).map(({ id, kind }) => [id, kind]));
  const expected = Object.fromEntries(
    Object.keys(declared).map((id) => [id, getToolFacts(id)?.kind]),
  );
  assert.deepEqual(declared, expected);
});

test('VC-81: a tool nobody declared a kind for is other', () => {
  const [update] = toUpdates(
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'github_create_issue' },
    { terminals: false, notices: false, compaction: false, contextTokens: 0 },
  );
  assert.equal(update && 'kind' in update ? update.kind : undefined, 'other');
});
