import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { GIT_RISKY_LONG } from '../../../../../src/permissions/shell/programs/gitTable.ts';
import { evaluateBash } from '../../ask.ts';

const GIT = 'bash git * allow';

/** What the line is under these rules, one of which allows git. */
function check(command: string, expected: string, ...rules: readonly string[]) {
  test(`${command} is ${expected} under ${[GIT, ...rules].join(', ')}`, async () => {
    const { decision, reason } = await evaluateBash(command, [GIT, ...rules]);
    assert.equal(decision, expected, reason);
  });
}

test('git takes one letter for an option that runs a program', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-git-'));
  try {
    spawnSync('git', ['init', '-q'], { cwd: folder });
    spawnSync('git', ['ls-remote', '--u=touch ran; git-upload-pack', '.'], { cwd: folder });
    assert.ok(existsSync(path.join(folder, 'ran')));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('no beginning of an option that runs a program or writes a file is covered by a wildcard', async () => {
  const begun = GIT_RISKY_LONG.flatMap((name) =>
    Array.from({ length: name.length }, (_, at) => name.slice(0, at + 1)),
  );
  const allowed: string[] = [];
  for (const option of new Set(begun)) {
    for (const line of [`git ls-remote --${option}=x .`, `git log --${option} x`]) {
      const { decision } = await evaluateBash(line, [GIT]);
      if (decision === 'allow') allowed.push(line);
    }
  }
  assert.deepEqual(allowed, []);
});

check("git ls-remote --u='touch x' .", 'ask');
check('git init --t=x', 'ask');
check('git archive --o=x.tar HEAD', 'ask');
check('git format-patch --o=out HEAD~1', 'ask');
check('git read-tree --i=x HEAD', 'ask');
check('git push --si origin main', 'ask');
check('echo x | git update-index --std', 'ask', 'bash echo * allow');
check('echo x | git update-index --index-in', 'ask', 'bash echo * allow');
check('echo x | git checkout-index --std', 'ask', 'bash echo * allow');

// What they read or write is found by any beginning, too.
check('git archive --o=src/locked.ts HEAD', 'deny', 'fs.write src/locked.ts deny');
check('git reset --k HEAD~1', 'ask', 'fs.write src/locked.ts deny');
check('git reset --me HEAD~1', 'ask', 'fs.write src/locked.ts deny');
check('git rebase --sh', 'ask', 'fs.read **/.env deny');
check('git stash push --in', 'ask', 'fs.read src/locked.ts deny');
check('git add --pathspec-fr=list', 'ask', 'fs.read src/locked.ts deny', 'fs.read list allow');
check("echo 'contents HEAD:.env' | git cat-file --batch-com", 'ask', 'fs.read **/.env deny');
check('git grep --u x', 'deny', 'fs.read **/.env deny');

// Ordinary options stay covered.
check('git log --oneline --stat -3', 'allow');
check('git commit --message x --all', 'allow');
check('git fetch --prune --tags', 'allow');
check('git grep -n --count x', 'allow');
