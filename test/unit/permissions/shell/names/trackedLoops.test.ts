import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { rulesOf } from '../../ask.ts';
import { decideIn, type Files, makeFolder, openRepository } from '../../moves/repository.ts';

function makeRepository(files: Files = {}, plant: (root: string) => void = () => undefined) {
  const { root, git, commit, write } = openRepository(makeFolder());
  git('init', '-q', '-b', 'main');
  plant(root);
  commit({
    'a.txt': 'x\n',
    'src/b.ts': 'x\n',
    'src/sub/c.ts': 'x\n',
    'srcs/d.ts': 'x\n',
    ...files,
  });
  write({ '.env': 'x\n', 'src/.env': 'x\n', 'untracked.pem': 'x\n' });
  return root;
}

async function decideAll(root: string, lines: readonly string[], rules = rulesOf()) {
  const decisions: string[] = [];
  for (const line of lines)
    decisions.push(`${await decideIn(line, root, [...DEFAULT_RULES, ...rules])} ${line}`);
  return decisions;
}

const READING = [
  'for f in $(git ls-files); do wc -l "$f"; done',
  'for f in $(git ls-files); do grep -n x $f | head -3; done',
  'for f in $(git ls-files src); do echo "$f: $(wc -l < "$f")"; done',
  'cd src && for f in $(git ls-files sub/); do cat "$f"; done',
];

const PATTERNED = [
  `for f in $(git ls-files '*.ts'); do wc -l "$f"; done`,
  `for f in $(git ls-files "*.ts"); do wc -l "$f"; done`,
  `git ls-files '*.ts' | while read -r f; do wc -l "$f"; done`,
];

test('a pattern that git matches only reads the tracked files with that ending', async () => {
  assert.deepEqual(
    await decideAll(makeRepository({ 'src/x.pem': 'x\n', 'a b': 'x\n' }), PATTERNED),
    PATTERNED.map((line) => `allow ${line}`),
  );
  for (const root of [
    makeRepository({ 'src/*.ts': 'x\n' }),
    makeRepository({ 'src/-n.ts': 'x\n', '-n.ts': 'x\n' }),
    makeRepository({}, (folder) => {
      writeFileSync(path.join(folder, '..', 'outside'), 'x\n');
      symlinkSync('../outside', path.join(folder, 'link.ts'));
    }),
  ])
    assert.deepEqual(
      await decideAll(root, PATTERNED),
      PATTERNED.map((line) => `ask ${line}`),
    );
  const others = [
    `git ls-files '*' | while read -r f; do wc -l "$f"; done`,
    `git ls-files ':!*.md' | while read -r f; do wc -l "$f"; done`,
    `git ls-files *.ts | while read -r f; do wc -l "$f"; done`,
  ];
  assert.deepEqual(
    await decideAll(makeRepository(), others),
    others.map((line) => `ask ${line}`),
  );
});

test('a loop over what git tracks reads these files', async () => {
  const lines = [...READING, 'for f in $(git ls-files none); do cat "$f"; done'];
  assert.deepEqual(
    await decideAll(makeRepository(), lines),
    lines.map((line) => `allow ${line}`),
  );
});

test('a secret, a link out or an odd name among them asks', async () => {
  const outside = (root: string) => {
    writeFileSync(path.join(root, '..', 'outside'), 'x\n');
    mkdirSync(path.join(root, 'src/sub'), { recursive: true });
    symlinkSync('../../../outside', path.join(root, 'src/sub/link'));
  };
  for (const root of [
    makeRepository({}, outside),
    makeRepository({ 'src/sub/x.pem': 'x\n' }),
    ...['a b', 'é', '*', '[a]', "a'b", 'a\nb', '~a'].map((name) =>
      makeRepository({ [`src/sub/${name}`]: 'x\n', [`${name}/x`]: 'x\n' }),
    ),
  ])
    assert.deepEqual(
      await decideAll(root, READING),
      READING.map((line) => `ask ${line}`),
    );
});

test('a name that a program takes for an option asks', async () => {
  const root = makeRepository({ '-r': 'x\n' });
  const lines = READING.slice(0, 2);
  assert.deepEqual(
    await decideAll(root, lines),
    lines.map((line) => `ask ${line}`),
  );
});

test('a rule holds for the files, and only for those that the path names', async () => {
  const root = makeRepository();
  const decide = (line: string) => decideAll(root, [line], rulesOf('fs.read srcs deny'));
  for (const line of [READING[0] ?? '', 'for f in $(git ls-files srcs); do cat "$f"; done'])
    assert.deepEqual(await decide(line), [`deny ${line}`]);
  const other = READING[2] ?? '';
  assert.deepEqual(await decide(other), [`allow ${other}`]);
});

test('what git tracks may change within the line, or not be what the index says', async () => {
  const root = makeRepository();
  const loop = 'for f in $(git ls-files); do cat "$f"; done';
  const lines = [
    `git add -f .env; ${loop}`,
    `for i in 1 2; do ${loop}; git add -f .env; done`,
    `git config core.worktree src; ${loop}`,
    `git -C . reset; ${loop}`,
    `export GIT_INDEX_FILE=x; ${loop}`,
    `cd src; ${loop}`,
    'for f in $(git ls-files); do cat "$f"; cd src; done',
    'for f in $(git ls-files ..); do cat "$f"; done',
    'for f in $(git ls-files src/../.env); do cat "$f"; done',
    'for f in $(git ls-files -o); do cat "$f"; done',
    'for f in $(git ls-files) .env; do cat "$f"; done',
    'for f in $(git ls-files); do cat "$f.pem"; done',
    'for f in $(git ls-files); do echo x > "$f"; done',
    'for f in $(git ls-files); do bash "$f"; done',
  ];
  const rules = rulesOf('bash git * allow');
  assert.deepEqual(
    await decideAll(root, lines, rules),
    lines.map((line) => `ask ${line}`),
  );
  openRepository(root).git('config', 'core.worktree', 'src');
  assert.deepEqual(await decideAll(root, [loop], rules), [`ask ${loop}`]);
});

test('a long operand of git ls-files is evaluated in time', async () => {
  const line = `for f in $(git ls-files ${'a'.repeat(5000)}!); do cat "$f"; done`;
  assert.deepEqual(await decideAll(makeRepository(), [line]), [`ask ${line}`]);
});
