import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { fuzzNames, ODD_NAMES } from '../../../../fuzz/oddNames.ts';
import { sizeOf } from '../../../../workbench/sizes.ts';
import { rulesOf } from '../../ask.ts';
import { decideIn, type Files, makeFolder, openRepository } from '../../moves/repository.ts';

const LINES = sizeOf(6, 8);

test(`names of files open nothing that a deny covers, over ${LINES} lines for each in real bash`, async () => {
  const { misses, lines, allowed } = await fuzzNames(LINES, 20_261_124);
  assert.deepEqual(misses, []);
  assert.equal(lines, ODD_NAMES.length * LINES);
  // Lines that are never allowed would prove nothing.
  assert.ok(allowed > lines / 20, `only ${allowed} lines were allowed`);
});

/** A repository in which an earlier commit has other names. */
function makeRepository(files: Files, earlier: Files = {}): string {
  const { root, git, commit, write } = openRepository(makeFolder());
  git('init', '-q', '-b', 'main');
  const gone = Object.keys(earlier).map((name) => [name, null] as const);
  commit({ '.gitignore': '.keep\n', 'a.txt': 'x\n', 'sub/b.txt': 'x\n', ...files, ...earlier });
  commit({ 'a.txt': 'y\n', ...Object.fromEntries(gone) });
  write({ '.keep/secret.txt': 'x\n' });
  return root;
}

const RULES = [...DEFAULT_RULES, ...rulesOf('fs.read .keep deny')];

async function findOthers(
  root: string,
  expected: string,
  lines: readonly string[],
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const line of lines) {
    const decision = await decideIn(line, root, RULES);
    if (decision !== expected) wrong.push(`${line} is ${decision}`);
  }
  return wrong;
}

/** Names are passed as they are, and could be options. */
const UNPREFIXED = [
  'git ls-files -z | xargs -0 wc -l',
  'git ls-files -z | xargs -0 cat',
  'git ls-files -z | xargs -0 grep -n x',
  'git ls-files -z | xargs -0 -I{} head {}',
  'git diff --name-only -z | xargs -0 wc -l',
  'git diff --name-only -z HEAD~1 | xargs -0 head',
  'rg -l0 . | xargs -0 wc -l',
  'rg -0 --files | xargs -0 grep -c x',
];
/** Names are split. */
const SPLITTING = [
  'git ls-files | xargs wc -l',
  'git ls-files | xargs wc -l --',
  'git diff --name-only HEAD~1 | xargs head',
  'find sub | xargs wc -l',
  'find sub -type f | sort | xargs -n 1 grep -n x',
  'find sub | xargs -I{} wc -l {}',
  'rg -l . sub | xargs wc -l',
  'grep -rl . sub | xargs -n1 cat',
];
const GUARDED = [
  'git ls-files -z | xargs -0 wc -l --',
  'git ls-files -z | xargs -0 grep -n x --',
  'git diff --name-only -z HEAD~1 | xargs -0 cat --',
  'find sub -print0 | xargs -0 wc -l',
  'find sub -exec wc -l {} +',
  'rg -l0 . sub | xargs -0 wc -l',
];

test('names that no program misreads are passed on', async () => {
  const root = makeRepository({ 'sub/c-d_e.f+g@h,i=j%k.txt': 'x\n' });
  const lines = [...UNPREFIXED, ...SPLITTING, ...GUARDED];
  assert.deepEqual(await findOthers(root, 'allow', lines), []);
});

test('a name that is an option is not passed without `--` or a folder before it', async () => {
  for (const name of ['--files0-from=.keep/secret.txt', '-f.keep/secret.txt', '-', 'sub/-r']) {
    const root = makeRepository({ [name]: 'x\n' });
    const apart =
      name === 'sub/-r' ? UNPREFIXED.filter((line) => !line.startsWith('rg')) : UNPREFIXED;
    assert.deepEqual(await findOthers(root, 'ask', apart), [], name);
    assert.deepEqual(await findOthers(root, 'allow', GUARDED), [], name);
  }
});

test('a name with a space or a quote is not split', async () => {
  for (const name of ['sub/a .keep/secret.txt', "sub/it's", 'sub/a"b', 'sub/a\\b', 'sub/a\nb']) {
    const root = makeRepository({ [name]: 'x\n' });
    assert.deepEqual(await findOthers(root, 'ask', SPLITTING), [], name);
    assert.deepEqual(await findOthers(root, 'allow', GUARDED), [], name);
  }
});

test('names behind a link count for a command that follows it', async () => {
  const plain = ['grep -rl . sub | xargs wc -l', 'rg --files sub | xargs wc -l'];
  const following = ['grep -Rl . sub | xargs wc -l', 'rg -L --files sub | xargs wc -l'];
  for (const [name, expected] of [
    ['other/ab', 'allow'],
    ['other/a b', 'ask'],
  ] as const) {
    const root = makeRepository({ [name]: 'x\n' });
    symlinkSync('../other', path.join(root, 'sub/link'));
    assert.deepEqual(await findOthers(root, 'allow', plain), [], name);
    assert.deepEqual(await findOthers(root, expected, following), [], name);
  }
});

test('git may print a name that only an earlier commit has', async () => {
  const root = makeRepository({}, { '-f.keep/secret.txt': 'x\n', 'sub/a b': 'x\n' });
  const past = [
    'git diff --name-only -z HEAD~1 | xargs -0 head',
    'git diff --name-only HEAD~1 | xargs head',
    'cd sub && git diff --name-only -z HEAD~1 | xargs -0 cat',
    'git diff --cached --name-only -z HEAD~1 | xargs -0 wc -l',
  ];
  assert.deepEqual(await findOthers(root, 'ask', past), []);
  assert.deepEqual(await findOthers(root, 'allow', ['git ls-files | xargs wc -l']), []);
});

test('an earlier command of the line may bring such a name', async () => {
  const root = makeRepository({});
  const rules = [...RULES, ...rulesOf('bash git * allow', 'bash touch * allow', 'bash cp * allow')];
  const writes = rulesOf('fs.write ** allow');
  for (const start of [
    'git add -N .hid',
    'git fetch',
    "touch './-f x'",
    'touch -- -r',
    'cp -r a.txt sub',
  ])
    for (const line of ['git ls-files | xargs wc -l', 'find sub | xargs wc -l'])
      assert.notEqual(
        await decideIn(`${start}; ${line}`, root, [...rules, ...writes]),
        'allow',
        start,
      );
});

test('git lists the files itself, so others that lie there are no reason to ask', async () => {
  const root = makeRepository({});
  const lines = [
    'git diff --name-only HEAD~1 | xargs wc -l',
    'git diff --name-only main~1 | xargs grep -n x',
    'git ls-files | xargs grep -n x --',
  ];
  assert.deepEqual(await findOthers(root, 'allow', lines), []);
  const denied = [...RULES, ...rulesOf('fs.read a.txt deny')];
  for (const line of lines) assert.equal(await decideIn(line, root, denied), 'deny', line);
});

test('git quotes names that are not plain ASCII, unless they end with NUL', async () => {
  for (const name of ['sub/é.txt', 'sub/a\x01.txt', 'sub/a\x7f.txt']) {
    const root = makeRepository({ [name]: 'x\n' });
    const quoted = [
      'git ls-files | xargs cat',
      'cat $(git ls-files)',
      "cat -- $(git ls-files 'sub')",
    ];
    assert.deepEqual(await findOthers(root, 'ask', quoted), []);
    const exact = ['git ls-files -z | xargs -0 cat', 'cat $(git ls-files a.txt)'];
    assert.deepEqual(await findOthers(root, 'allow', exact), []);
  }
});
