import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { sizeOf } from '../../../workbench/sizes.ts';
import { rulesOf } from '../ask.ts';
import { decideIn, makeFolder, openRepository } from '../moves/repository.ts';

const root = makeFolder();
const repository = openRepository(root);
repository.git('init', '-q');
const SECRETS = ['.env', 'src/.env', 'src/sub/.env', 'x/src/.env'];
const asFiles = (names: readonly string[], text: string) =>
  Object.fromEntries(names.map((name) => [name, text]));
const PLAIN = ['a.ts', 'src/a.ts', 'src/sub/b.ts', 'x/y.ts', 'x/z.env.ts'];
repository.commit({
  ...asFiles(SECRETS, 'SECRET\n'),
  ...asFiles(PLAIN, 'plain\n'),
});
repository.write(asFiles(SECRETS, 'SECRET of now\n'));

const DENY = '* **/.env deny';
const WIDE = rulesOf('bash * allow', 'fs.read ** allow', DENY);
const SHIPPED = [...DEFAULT_RULES, ...rulesOf(DENY)];

interface Line {
  readonly folder: string;
  /** The words that follow `git`. */
  readonly words: readonly string[];
}

const toLine = ({ folder, words }: Line) => {
  const line = ['git', ...words].map((word) => (/^[\w./=:-]+$/.test(word) ? word : `'${word}'`));
  return (folder === '' ? '' : `cd ${folder} && `) + line.join(' ');
};

/** Whether the real git prints what a denied file holds, or held. */
function reveals({ folder, words }: Line): boolean {
  const cwd = path.join(root, folder);
  return spawnSync('git', words, {
    cwd,
    input: '',
    encoding: 'utf8',
  }).stdout.includes('SECRET');
}

/** `cd x && git show HEAD` */
function parse(text: string): Line {
  const [, folder = '', rest = ''] = /^(?:cd (\S+) && )?git (.*)$/.exec(text) ?? [];
  return { folder, words: rest.split(' ') };
}

for (const text of [
  // Git finds no such object, and takes the word for a pattern of paths after it has resolved `..`.
  'git show HEAD:x/../*env',
  'git show @:x/../*env',
  'git show :0:x/../*env',
  // The colon alone is magic without a letter.
  'git show :*env',
  'git show :s*',
  // Ranges from a file or folder to the current commit.
  'git show HEAD:..',
  'cd src && git show HEAD:./..',
  'git show HEAD:a.ts..HEAD',
  'git show :a.ts..HEAD',
  'git show HEAD^{/.*}:a.ts..HEAD',
  // An exclusion counts below the current folder only, and `log` prints the whole repository.
  'cd x && git log -p -- :!*.env',
  'cd x && git whatchanged -p -- :!*.env',
  // Files elsewhere that an exclusion doesn't reach.
  'cd x && git grep -e . -- :/ :!*.env',
  'cd x && git grep -e . -- ../src :!*.env',
]) {
  const line = parse(text);
  test(`${text} prints a denied file, and isn't allowed`, async () => {
    assert.equal(reveals(line), true);
    assert.notEqual(await decideIn(toLine(line), root, WIDE), 'allow');
    assert.notEqual(await decideIn(toLine(line), root, SHIPPED), 'allow');
  });
}

for (const text of [
  'git --literal-pathspecs show HEAD:..',
  'git --icase-pathspecs grep -e . -- .ENV',
  'git --icase-pathspecs log -p -- SRC',
  'git --literal-pathspecs log -p',
  'cd x && git -P log -p -- :!*.env',
  'cd x && git diff-tree -p --root HEAD -- :!*.env',
]) {
  const line = parse(text);
  test(`${text} prints a denied file, and isn't allowed by a wildcard`, async () => {
    assert.equal(reveals(line), true);
    assert.notEqual(await decideIn(toLine(line), root, WIDE), 'allow');
  });
}

test('a variable that changes how git reads paths asks', async () => {
  for (const name of ['ICASE', 'LITERAL', 'GLOB', 'NOGLOB'])
    for (const start of ['', 'env '])
      assert.equal(
        await decideIn(`${start}GIT_${name}_PATHSPECS=1 git grep -e . -- .ENV`, root, WIDE),
        'ask',
      );
});

test('git add of the whole tree in a subfolder asks about files that an exclusion does not reach', async () => {
  for (const spec of [':!*.env', ':!src'])
    assert.equal(await decideIn(`cd x && git add -A -- '${spec}'`, root, WIDE), 'ask');
});

for (const text of [
  'git show HEAD:src/a.ts',
  'git show HEAD:./a.ts',
  'git show HEAD:src',
  'git show HEAD:',
  'git cat-file -p HEAD:src/a.ts',
  'cd src && git show HEAD:../a.ts',
  'git log -p -- :!*.env',
  'git log -p -- x/y.ts :!*.lock',
  'cd x && git log -p -- . :!src',
]) {
  const line = parse(text);
  test(`${text} prints no denied file, and is allowed`, async () => {
    assert.equal(reveals(line), false);
    assert.equal(await decideIn(toLine(line), root, WIDE), 'allow');
    assert.equal(await decideIn(toLine(line), root, SHIPPED), 'allow');
  });
}

const BASES = ['.env', './.env', 'src', 'src/', 'src/*', '**/.env', '*.env', '*env', '.e*', '.']
  .concat(['*', '.ENV', '*/.env', 'x', 's*', 'src/sub', '..', '.en?', '[.]env', '\\.env', 'a.ts'])
  .concat(['*.ts', 'x/y.ts', ':/', '', 'x/src', '*.t?', 's[r]c', 'src//sub', 'src/../.env', 'SRC']);
const MAGIC = ['', '', '', ':', ':!', ':^', ':(exclude)', ':(exclude,glob)', ':(glob)', ':(icase)']
  .concat([':(top)', ':/', ':(literal)', ':!/', ':(exclude,icase)', ':(top,exclude)'])
  .concat([':(attr:x)', ':(exclude,attr:x)', ':(prefix:0)', ':(exclude,literal)']);
const base = fc.constantFrom(...BASES);
const spec = fc.tuple(fc.constantFrom(...MAGIC), base).map((parts) => parts.join(''));
const specs = fc.array(spec, { minLength: 1, maxLength: 3 });
const object = fc
  .tuple(
    fc.constantFrom('HEAD:', ':', '@:', ':0:', 'HEAD:a.ts..HEAD:', 'HEAD..HEAD:'),
    fc.constantFrom('', './', '../', 'src/', 'SRC/', 'x/../'),
    base,
    fc.constantFrom('', '', '', '..', '..HEAD', '...HEAD', '^!'),
  )
  .map((parts) => parts.join(''));
const START = ['grep -e . --', 'grep .', 'grep --cached . --', 'grep . HEAD --', 'diff --', 'diff']
  .concat(['diff --relative --', 'diff --relative=src --', 'diff HEAD --', 'show HEAD --'])
  .concat(['log -p --', 'log -p', 'diff-tree -p --root HEAD --', 'whatchanged -p --', 'stash show'])
  .concat(['archive HEAD --', 'grep --max-depth=0 . --', 'grep --no-recursive . --', 'show']);
const split = (text: string) => text.split(' ');
const command = fc.oneof(
  fc.tuple(fc.constantFrom(...START), specs).map(([start, last]) => [...split(start), ...last]),
  fc
    .tuple(
      fc.constantFrom('show', 'show -s', 'show --stat', 'cat-file -p', 'log -p', 'diff', 'blame'),
      fc.array(object, { minLength: 1, maxLength: 2 }),
    )
    .map(([start, last]) => [...split(start), ...last]),
);
const globals = fc.constantFrom('', '', '', 'icase', 'glob', 'noglob', 'literal');
const line = fc
  .tuple(fc.constantFrom('', '', '', 'src', 'x'), globals, command)
  .map(([folder, name, words]) => ({
    folder,
    words: name === '' ? words : [`--${name}-pathspecs`, ...words],
  }));

test('no git command that is allowed prints a denied file, however its paths are written', async () => {
  await fc.assert(
    fc.asyncProperty(line, async (each) => {
      if ((await decideIn(toLine(each), root, WIDE)) !== 'allow') return;
      assert.equal(reveals(each), false, toLine(each));
    }),
    { seed: 20_261_128, numRuns: sizeOf(80, 5_000) },
  );
});
