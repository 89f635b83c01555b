import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  listPrinted,
  type PrintingCommand,
  toPrintingCommand,
} from '../../../../src/permissions/moves/printedNames.ts';
import { plantWorkspace } from '../ask.ts';

function parse(line: string): PrintingCommand | undefined {
  return toPrintingCommand(line.split(' ').map((value) => ({ value, literal: true })));
}

/** A command without options and operands that prints what changed. */
const PLAIN = { verb: 'diff', patch: true, cached: false, operands: [], paths: undefined } as const;

const PRINTING: readonly (readonly [line: string, expected: Partial<PrintingCommand>])[] = [
  ['git diff', {}],
  ['git diff HEAD~1 a.ts', { operands: ['HEAD~1', 'a.ts'] }],
  ['git diff -w HEAD -- a b', { operands: ['HEAD'], paths: ['a', 'b'] }],
  ['git diff -- -p', { paths: ['-p'] }],
  ['git diff --', { paths: [] }],
  ['git diff --cached', { cached: true }],
  ['git diff --staged -p', { cached: true }],
  ['git diff -- --cached', { paths: ['--cached'] }],
  ['git diff --stat', { patch: false }],
  ['git show', { verb: 'show' }],
  ['git show HEAD:a.ts', { verb: 'show', patch: false, operands: ['HEAD:a.ts'] }],
  ['git cat-file -p HEAD', { verb: 'cat-file', patch: false, operands: ['HEAD'] }],
];

for (const [line, expected] of PRINTING) {
  test(`git can list what ${line} prints`, () => {
    assert.deepEqual(parse(line), { ...PLAIN, ...expected });
  });
}

for (const line of [
  'git log -p',
  'git status',
  'hg diff',
  'git',
  'git diff --ext-diff',
  'git diff --no-index a b',
  'git diff --output=x',
  'git show --cached',
  'git show --staged HEAD',
  'git diff ^HEAD',
  'git diff HEAD^!',
  'git diff HEAD^@',
  'git diff HEAD^-',
  'git show :/text',
  'git diff HEAD:a.ts HEAD~1:a.ts',
  'git diff HEAD:a.ts -- x',
]) {
  test(`git can't list what ${line} prints`, () => {
    assert.equal(parse(line), undefined);
  });
}

test("git can't list what a command prints whose words aren't known", () => {
  const words = ['git', 'diff', '$x'].map((value, at) => ({ value, literal: at < 2 }));
  assert.equal(toPrintingCommand(words), undefined);
});

const ROOT = plantWorkspace(['a.ts', 'b.ts']);
const COMMITS: Readonly<Record<string, string>> = {
  HEAD: 'h',
  main: 'm',
  one: '1',
  two: '2',
  forks: 'f',
};
const BASES: Readonly<Record<string, readonly string[]>> = { 'm 1': ['b'], 'm 2': ['b', 'c'] };

/** The listing that git is asked for; its shared options are left out. */
async function list(line: string): Promise<readonly string[]> {
  const command = parse(line);
  assert.ok(command, line);
  return listPrinted(command, ROOT, {
    resolve: async (name: string) => COMMITS[name],
    findBases: async (from: string, to: string) => BASES[`${from} ${to}`] ?? [],
    listNames: async (...words: readonly string[]) => [
      words
        .filter(
          (word) =>
            !/^(?:-z|--(?:name-only|no-|ignore-).*)$/.test(word) || word === '--no-commit-id',
        )
        .join(' '),
    ],
  } as unknown as Parameters<typeof listPrinted>[2]);
}

const SHOWN = 'diff-tree -r -m --root --no-commit-id';
for (const [line, ...expected] of [
  ['git diff', 'diff-files --'],
  ['git diff --cached', 'diff-index --cached HEAD --'],
  ['git diff --cached main', 'diff-index --cached m --'],
  ['git diff main', 'diff-index m --'],
  ['git diff main one', 'diff-tree -r m 1 --'],
  ['git diff main..one', 'diff-tree -r m 1 --'],
  ['git diff main..', 'diff-tree -r m h --'],
  ['git diff ..main', 'diff-tree -r h m --'],
  ['git diff main...one', 'diff-tree -r b 1 --'],
  ['git diff main a.ts b.ts', 'diff-index m -- a.ts b.ts'],
  ['git diff a.ts', 'diff-files -- a.ts'],
  ['git diff main -- c d', 'diff-index m -- c d'],
  ['git diff --stat main'],
  ['git show', `${SHOWN} HEAD --`],
  ['git show main', `${SHOWN} m --`],
  ['git show main one -- a.ts', `${SHOWN} m -- a.ts`, `${SHOWN} 1 -- a.ts`],
  ['git show HEAD:a.ts'],
  ['git show :a.ts'],
  ['git show main HEAD:a.ts', `${SHOWN} m --`],
  ['git cat-file -p main'],
] as const) {
  test(`${line} lists ${expected.join(' and ') || 'nothing'}`, async () => {
    assert.deepEqual(await list(line), expected);
  });
}

for (const [line, why] of [
  ['git diff main one two', 'there are several revisions'],
  ['git diff --cached main one', 'there are several revisions'],
  ['git diff main...two', 'there is no single base'],
  ['git diff main...forks', 'there is no single base'],
  ['git show main..one', 'it prints several commits'],
  ['git show none:a.ts', '"none:a.ts" is not in a commit'],
  ['git diff none', '"none" is no commit'],
  ['git diff main..none', '"main..none" is no commit'],
  ['git diff a.ts none', '"none" is no commit'],
  ['git diff a.ts -- b.ts', '"a.ts" is no commit'],
  ['git cat-file -p a.ts', '"a.ts" is no commit'],
] as const) {
  test(`${line} can't be listed: ${why}`, async () => {
    await assert.rejects(list(line), { message: why });
  });
}

test('git is asked about fifty operands at most', async () => {
  const operands = (count: number) => Array.from({ length: count }, () => 'a.ts').join(' ');
  assert.match((await list(`git diff ${operands(50)}`)).join(), /^diff-files/);
  await assert.rejects(list(`git diff ${operands(51)}`), {
    message: 'there are too many operands',
  });
});
