import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createReadGit } from '../../../../src/runtime/commands/readGit.ts';
import { temporary } from '../../host/harness.ts';

test('a FIFO that a repository includes as settings holds up no look at it', async (t) => {
  const folder = await temporary(t);
  const fifo = path.join(folder, 'fifo');
  execFileSync('git', ['init', '-q', folder]);
  const ask = (limitMs?: number) => {
    const { signal } = new AbortController();
    return createReadGit([], process.env, limitMs)(folder, ['status', '--short'], signal);
  };
  assert.equal((await ask())?.exitCode, 0);
  execFileSync('mkfifo', [fifo]);
  appendFileSync(path.join(folder, '.git/config'), `[include]\npath = ${fifo}\n`);
  assert.equal(await ask(100), undefined);
});
