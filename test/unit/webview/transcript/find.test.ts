import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolItem } from '../../../../src/webview/messages/chatState.ts';
import { findRows } from '../../../../src/webview/transcript/find.ts';

const CARD: ToolItem = {
  ...{ kind: 'tool', id: 'c', title: 'Edit', toolKind: 'edit', status: 'completed' },
  ...{ diffs: [], terminals: [], output: '', outputCut: false, locations: [] },
};

function check(change: Partial<ToolItem>, query: string, expected: boolean): void {
  const found = findRows([{ kind: 'item', key: 'c', item: { ...CARD, ...change } }], query);
  assert.equal(found.length > 0, expected, query);
}

test('the files and lines that an edit changes are found, and so are questions with their answers', () => {
  const diff = { path: '/w/src/sum.js', label: 'src/sum.js', added: 1, removed: 1, more: 0 };
  const rows = [{ sign: '-', text: 'let total = 1;' }, { sign: 'gap' }] as const;
  const diffs = [{ ...diff, created: false, rows }];
  check({ diffs }, 'SUM.js', true);
  check({ diffs }, 'let TOTAL', true);
  check({ diffs }, '/w/', false);
  const questions = [{ question: 'Which port?', answers: ['The port 8080'] }];
  check({ questions }, 'which port', true);
  check({ questions }, '8080', true);
});

test('an answered question is not found by the output that its card does not show', () => {
  const output = '{"answers":["8080"]}';
  check(
    { output, questions: [{ question: 'Which port?', answers: ['8080'] }] },
    '{"answers',
    false,
  );
  const waits = { status: 'in_progress', questions: [{ question: 'Which port?' }] } as const;
  check({ output, ...waits }, '{"answers', true);
});
