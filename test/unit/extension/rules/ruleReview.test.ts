import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReportedProblem } from '../../../../src/acp/gatehouse/configure.ts';
import { type RuleReviewParts, reviewRules } from '../../../../src/extension/rules/ruleReview.ts';
import { findBroken, WaitingRules } from '../../../../src/extension/rules/waitingRules.ts';
import { english } from '../english.ts';

const FILE = '/w/.vscode/settings.json';

function problem(pattern: string, hash: string, file = FILE): ReportedProblem {
  const rule = { permission: 'bash', pattern, action: 'allow' } as const;
  return { message: 'It waits.', origin: { layer: 'workspace', file }, waiting: { rule, hash } };
}

/** Plays a user who picks rows by their labels, then a button of the notice. */
function play(problems: readonly ReportedProblem[], labels: readonly string[], button?: string) {
  const done: string[] = [];
  const left = [...labels];
  const waiting = new WaitingRules();
  waiting.update(problems);
  const parts = {
    t: english,
    waiting,
    ready: async () => undefined,
    label: (file: string) => file,
    accept: async ({ hash }: { hash: string }, accepted: boolean) => {
      done.push(`${accepted ? 'accept' : 'revoke'} ${hash}`);
    },
    showChanges: async (file: string) => void done.push(`changes ${file}`),
    open: async () => void done.push('open'),
    notify: async (message: string) => {
      done.push(message);
      return button;
    },
    window: {
      showInformationMessage: async (message: string) => void done.push(message),
      showQuickPick: async (rows: readonly { label: string }[]) => {
        const label = left.shift();
        const found = rows.find((row) => label !== undefined && row.label.includes(label));
        assert.ok(label === undefined || found, rows.map((row) => row.label).join());
        return found;
      },
    },
  } as unknown as RuleReviewParts;
  return { parts, done };
}

const BOTH = [problem('a *', 'h1'), problem('b', 'h2')];

test('all rules are accepted at once, and Undo revokes them', async () => {
  const { parts, done } = play(BOTH, ['Accept All 2 Rules'], 'Undo');
  await reviewRules(parts);
  assert.deepEqual(done, [
    ...[`changes ${FILE}`, 'accept h1', 'accept h2'],
    'Accepted: allow bash(a *), allow bash(b)',
    ...['revoke h1', 'revoke h2'],
  ]);
});

test('one rule is accepted, and Escape leaves the others', async () => {
  const { parts, done } = play(BOTH, ['Accept allow bash(b)']);
  await reviewRules(parts);
  assert.deepEqual(done, [`changes ${FILE}`, 'accept h2', 'Accepted: allow bash(b)']);
});

test('a pattern never becomes an icon in the row that accepts it', async () => {
  const { parts, done } = play(
    [problem('rm $(trash)', 'h1')],
    ['Accept allow bash(rm $\u200b(trash))'],
  );
  await reviewRules(parts);
  assert.equal(done[1], 'accept h1');
});

test('a lens accepts its own rule only', async () => {
  const { parts, done } = play(BOTH, ['Accept allow bash(a *)']);
  await reviewRules(parts, { file: FILE, hash: 'h1' });
  assert.deepEqual(done, [`changes ${FILE}`, 'accept h1', 'Accepted: allow bash(a *)']);
});

test('Escape in one file ends the review of all', async () => {
  const { parts, done } = play([...BOTH, problem('c', 'h3', '/w/b/.vscode/settings.json')], []);
  await reviewRules(parts);
  assert.deepEqual(done, [`changes ${FILE}`]);
});

test('Open File accepts nothing, and without rules the user is told', async () => {
  const opened = play(BOTH, ['Open File']);
  await reviewRules(opened.parts);
  assert.deepEqual(opened.done, [`changes ${FILE}`, 'open']);
  const none = play([{ message: 'Broken.' }], []);
  await reviewRules(none.parts);
  assert.deepEqual(none.done, ['No pending rules in this workspace.']);
});

test('hidden characters of a rule are visible in the row that accepts it', async () => {
  const { parts } = play([problem('a\u202eb', 'h1')], ['\u202e']);
  await assert.rejects(reviewRules(parts), /Accept allow/);
});

test('a rule that waits is no broken setting', () => {
  assert.deepEqual(findBroken([...BOTH, { message: 'Broken.' }]), [{ message: 'Broken.' }]);
});
