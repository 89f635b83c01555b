import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { rulesOf } from '../../ask.ts';
import { decideIn, type Files, makeFolder, openRepository } from '../../moves/repository.ts';

function makeRepository(files: Files = {}) {
  const { root, git, commit, write } = openRepository(makeFolder());
  git('init', '-q', '-b', 'main');
  commit({ 'a.txt': 'x\n', 'src/b.ts': 'x\n', ...files });
  write({ '.env': 'x\n', 'src/.env': 'x\n' });
  return root;
}

async function decideAll(root: string, lines: readonly string[]) {
  const decisions: string[] = [];
  for (const line of lines)
    decisions.push(
      `${await decideIn(line, root, [...DEFAULT_RULES, ...rulesOf('bash bash * allow')])} ${line}`,
    );
  return decisions;
}

const READING = [
  'git ls-files | while read -r f; do wc -l "$f"; done',
  'git ls-files src | while IFS= read -r f; do head -3 "$f" | grep x; echo "$f"; done',
  'git ls-files 2>/dev/null | while read -r file; do grep -n x "$file" 2>/dev/null; done',
  'git ls-files | while read -r f; do echo "== $f"; grep -n "$f" -e x; done',
  'git ls-files | while read -r f; do grep -n -A 2 x -- "$f"; done',
  'git ls-files | while read -r f; do grep -c \'x*\' "$f" | head -1; done',
  'cd src && git ls-files | while read -r f; do echo "${f}"; cat $f; done',
];

test('a loop behind a pipe of what git tracks reads these files', async () => {
  assert.deepEqual(
    await decideAll(makeRepository(), READING),
    READING.map((line) => `allow ${line}`),
  );
});

test('a secret, a link out or an odd name among them asks', async () => {
  const linked = makeRepository({ 'src/c': 'x\n' });
  symlinkSync('/etc/shadow', path.join(linked, 'src/out'));
  openRepository(linked).git('add', 'src/out');
  for (const root of [
    linked,
    makeRepository({ '-r': 'x\n', 'src/-r': 'x\n', 'src/ b': 'x\n' }),
    makeRepository({ 'src/x.pem': 'x\n' }),
    ...['a b', 'é', '*', 'a\nb'].map((name) => makeRepository({ [`src/${name}`]: 'x\n' })),
  ])
    assert.deepEqual(
      await decideAll(root, READING.slice(0, 2)),
      READING.slice(0, 2).map((line) => `ask ${line}`),
    );
});

test('what else a loop may get, or do with it, asks', async () => {
  const loop = 'while read -r f; do wc -l "$f"; done';
  const lines = [
    // The rest of a name that another command began to read.
    'git ls-files | while read -r f; do head -c 3; cat "$f"; done',
    'git ls-files | while read -r f; do head -c 3 - "$f"; done',
    'git ls-files | while read -r f; do head -c 3 /dev/stdin "$f"; done',
    'git ls-files | while read -r f; do x=$(head -c 3); cat "$f"; done',
    'git ls-files | while read -r f; do cat "$f$(head -c 3)"; done',
    'git ls-files | while read -r f; do cat "$f" <(head -c 3); done',
    ...['-""', "-''", '"-"""', '?', '[-]', '{-,a.txt}', '$x', '"$x"', '/dev/"fd"/0', '\\-'].flatMap(
      (word) => [
        `x=-; git ls-files | while read -r f; do head -c 2 "$f" ${word}; done`,
        `x=-; git ls-files | while read -r f; do cat "$f" ${word}; done`,
        `x=-; git ls-files | while read -r f; do cat "$f" | grep x ${word}; done`,
      ],
    ),
    'git ls-files | while read -r f; do cat "$f" 2>"$(head -c 3)"; done',
    'git ls-files | while read -r f; do echo "${ head -c 3; }"; cat "$f"; done',
    // The name is no operand.
    'git ls-files | while read -r f; do grep -m1 "$f"; cat "$f"; done',
    'git ls-files | while read -r f; do grep -m 1 "$f"; cat "$f"; done',
    'git ls-files | while read -r f; do grep -m1 -e "$f"; cat "$f"; done',
    'git ls-files | while read -r f; do head -c "$f"; cat "$f"; done',
    'git ls-files | while read -r f; do head --bytes "$f"; cat "$f"; done',
    'git ls-files | while read -r f; do tail -n "$f"; cat "$f"; done',
    'git ls-files | while read -r f; do read -r g; cat "$g"; done',
    'git ls-files | while read -r f; do read -rn 3; cat "$f"; done',
    'git ls-files | while read -r f; do bash -c "head -c 3"; cat "$f"; done',
    'git ls-files | while read -r f; do cat "$f" && head -c 3; done',
    // Not the names of git's index.
    'git ls-files -o | while read -r f; do cat "$f"; done',
    'git ls-files .. | while read -r f; do cat "$f"; done',
    'git ls-files | sed s/x/y/ | while read -r f; do cat "$f"; done',
    'cat a.txt | while read -r f; do cat "$f"; done',
    'ls -a | while read -r f; do cat "$f"; done',
    'git ls-files | while read f; do cat "$f"; done',
    'git ls-files | while read -r -n 3 f; do cat "$f"; done',
    'git ls-files | while read -r f g; do cat "$g"; done',
    'git ls-files | while IFS=. read -r f g; do cat "$f"; done',
    // A last delimiter is dropped, so the variable has another name.
    'git ls-files | while IFS=x read -r f; do cat "$f"; done',
    'git ls-files | while IFS=$\'\\n\' read -r f; do cat "$f"; done',
    'IFS=x; git ls-files | while read -r f; do cat "$f"; done',
    'export IFS=x; git ls-files | while read -r f; do cat $f; done',
    'git ls-files | while read -r f; do cat "$f.pem"; done',
    'git ls-files | while read -r f; do rm "$f"; done',
    'git ls-files | while read -r f; do bash "$f"; done',
    'git ls-files | while read -r f; do echo x > "$f"; done',
    'git ls-files | while read -r f & do cat "$f"; done',
    'git ls-files | while read -r f; true; do cat "$f"; done',
    'git ls-files | until read -r f; do cat "$f"; done',
    `git add -f .env; git ls-files | ${loop}`,
    `git -C . reset; git ls-files | ${loop}`,
    `export GIT_INDEX_FILE=x; git ls-files | ${loop}`,
    `GIT_INDEX_FILE=x git ls-files | ${loop}`,
    `git ls-files | ${loop}; cat "$f"`,
    `${loop} < a.txt`,
    loop,
  ];
  assert.deepEqual(
    await decideAll(makeRepository(), lines),
    lines.map((line) => `ask ${line}`),
  );
});
