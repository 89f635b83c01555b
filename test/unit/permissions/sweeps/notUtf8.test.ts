import assert from 'node:assert/strict';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { decideIn, makeFolder, openRepository } from '../moves/repository.ts';

/** A path whose last name has a byte that isn't UTF-8. */
function toOdd(root: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(path.join(root, name)), Buffer.from([0xff])]);
}

/** A repository with two folders; `plant` puts something into `odd`, and both are committed. */
function makeRepository(plant: (root: string) => void): string {
  const { root, git, commit, write } = openRepository(makeFolder());
  git('init', '-q', '-b', 'main');
  write({ '.env': 'SECRET\n', '.gitignore': '.env\n', 'odd/a.txt': 'x\n', 'plain/b.txt': 'x\n' });
  writeFileSync(path.join(root, '..', 'outside'), 'SECRET\n');
  plant(root);
  git('add', '-A');
  git('commit', '-qm', 'x');
  commit({ 'plain/b.txt': 'y\n' });
  return root;
}

/** The lines on a folder that aren't decided so. */
async function findOthers(root: string, expected: string, lines: readonly string[]) {
  const wrong: string[] = [];
  for (const line of lines) {
    const decision = await decideIn(line, root, DEFAULT_RULES);
    if (decision !== expected) wrong.push(`${line} is ${decision}`);
  }
  return wrong;
}

/** Read what links in the folder `X` lead to. */
const FOLLOWING = [
  ...['grep -R x X', 'rg -L x X', 'find X -exec cat {} +', "find X -name 'l*' -exec head {} +"],
  ...['find X -print0 | xargs -0 cat', 'git ls-files -z X | xargs -0 cat', 'diff -r X plain'],
  ...['ls -RL X', 'du -L X', 'find -L X'],
];
/** Read the files of the folder `X`. */
const READING = [
  ...['grep -r x X', 'find X -type f -exec cat {} +', 'rg x X', 'rg -l0 x X | xargs -0 cat'],
  ...['find X -type f -print0 | xargs -0 cat'],
];

for (const [what, plant, lines] of [
  [
    'a link out of the workspace',
    (root: string) => symlinkSync('../../outside', toOdd(root, 'odd/l')),
    FOLLOWING,
  ],
  ['a link to a secret', (root: string) => symlinkSync('../.env', toOdd(root, 'odd/l')), FOLLOWING],
  [
    'a hard link of a secret',
    (root: string) => linkSync(path.join(root, '.env'), toOdd(root, 'odd/l')),
    READING,
  ],
  [
    'a folder with a secret',
    (root: string) => {
      mkdirSync(toOdd(root, 'odd/d'));
      writeFileSync(Buffer.concat([toOdd(root, 'odd/d'), Buffer.from('/.env')]), 'SECRET\n');
    },
    READING.filter((line) => !line.startsWith('rg')),
  ],
] as const)
  test(`${what} under a name that is not UTF-8 asks`, async () => {
    const root = makeRepository(plant);
    const on = (folder: string) => lines.map((line) => line.replaceAll('X', folder));
    assert.deepEqual(await findOthers(root, 'ask', on('odd')), []);
    assert.deepEqual(await findOthers(root, 'allow', on('plain')), []);
  });

test('a name that is not UTF-8 asks only where it matters', async () => {
  const root = makeRepository((root) => writeFileSync(toOdd(root, 'odd/f'), 'x\n'));
  const lines = [...FOLLOWING, ...READING].filter((line) => !line.startsWith('git'));
  const on = lines.map((line) => line.replaceAll('X', 'odd'));
  assert.deepEqual(await findOthers(root, 'allow', on), []);
});
