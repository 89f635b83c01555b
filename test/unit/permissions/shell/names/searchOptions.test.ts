import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { plantWorkspace } from '../../ask.ts';
import { decideIn } from '../../moves/repository.ts';

const root = plantWorkspace(['.env', 'src/a.ts', 'src/b.py', '-l']);
writeFileSync(path.join(root, '.env'), 'TOKEN\n');
writeFileSync(path.join(root, 'src/a.ts'), 'x-l .env\n');

async function findOthers(lines: readonly string[], expected: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const line of lines)
    if ((await decideIn(line, root, DEFAULT_RULES)) !== expected) found.push(line);
  return found;
}

test('a search whose pattern looks like an option prints lines, which name any file', async () => {
  const line = 'grep -re -l src | xargs cat';
  const printed = execFileSync('bash', ['-c', `${line}; true`], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  assert.match(printed, /TOKEN/);
  const lines = [
    line,
    'cat $(grep -re -l src)',
    'grep -r -e -l src | xargs cat',
    'grep -r --regexp -l src | xargs cat',
    'grep -r --exclude -l x src | xargs cat',
    'grep -r --exclude-dir -l x src | xargs cat',
    'grep -rA --files-with-matches x src | xargs cat',
    'grep -r -e -lZ src | xargs -0 cat',
    'rg -e -l src | xargs cat',
    'rg -e --files src | xargs cat',
    'rg -g -l x src | xargs cat',
    'rg -g --files x src | xargs cat',
    'rg --max-columns -l x src | xargs cat',
    'rg x -e --files-with-matches src | xargs cat',
    'rg -L x src | xargs cat',
    'rg -- -l src | xargs cat',
    'grep -r -- -l src | xargs cat',
    // These print something else, or add to a name.
    'rg -lc x src | xargs cat',
    'rg -lr .env x src | xargs cat',
    'grep -rlT x src | xargs cat',
    'grep -rl --label=.env x src | xargs cat',
    'grep -rl --lab=.env x src | xargs cat',
    'rg -l --json x src | xargs cat',
  ];
  assert.deepEqual(await findOthers(lines, 'ask'), []);
});

test('the value of an option of xargs is not an option', async () => {
  const lines = [
    'find src -type f -print0 | xargs -P -0 cat',
    'find src -type f -print0 | xargs -n -0 cat',
    'find src -type f -print0 | xargs -I -0 cat -0',
    'find src -type f | xargs -Ix -Iy cat y',
  ];
  assert.deepEqual(await findOthers(lines, 'ask'), []);
});

test('what a search surely prints are names', async () => {
  const lines = [
    'rg -l x src | xargs wc -l',
    'rg -tpy x -l src | xargs wc -l',
    'rg -lt py x src | xargs wc -l',
    'rg --files src -g "*.ts" | xargs wc -l',
    'rg -l0 x src | xargs -0 cat',
    'rg -il --sort path x src | xargs cat',
    'grep -rl x src | xargs wc -l',
    'grep -rln -m 3 x src | xargs cat',
    "grep -rl --include='*.ts' x src | xargs cat",
    'grep -rlZ x src | xargs -0 -n 1 -P 4 cat',
    'grep -rL -e x src | xargs -I{} cat {}',
    'find src -type f | xargs -r -n 1 -P2 wc -l',
  ];
  assert.deepEqual(await findOthers(lines, 'allow'), []);
});
