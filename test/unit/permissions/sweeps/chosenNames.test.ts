import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { rgPath } from '@vscode/ripgrep';
import fc from 'fast-check';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import { sizeOf } from '../../../workbench/sizes.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

const root = plantWorkspace(['.env', 'a.ts', 'src/.env', 'src/a.ts', 'src/sub/.env']);
for (const file of ['.env', 'src/.env', 'src/sub/.env'])
  writeFileSync(path.join(root, file), 'SECRET\n');

async function decide(line: string, rules: readonly Rule[] = DEFAULT_RULES): Promise<string> {
  const policy = policyOf(rules, {
    folders: { workspace: [root], adHoc: [], cwd: root },
  });
  return (await evaluate(bashCall(line), policy)).decision;
}

/** Whether the real program prints what the files hold. Its words are given as they are. */
function reveals([program = '', ...words]: readonly string[]): boolean {
  const real = program === 'rg' ? rgPath : program;
  return spawnSync(real, words, {
    cwd: root,
    input: '',
    encoding: 'utf8',
  }).stdout.includes('SECRET');
}

const toLine = (words: readonly string[]) =>
  words.map((word) => (/^[\w.-]+$/.test(word) ? word : `'${word}'`)).join(' ');

for (const line of [
  // An exclusion before the first inclusion: grep searches whatever none of them matches.
  'grep -r --exclude=*.min.js --include=*.js -e . .',
  'grep -r --exclude=x --include=y --include=*.js -e . src',
  // A backslash only quotes what follows it.
  'grep -r --include=\\.env -e . .',
  'grep -r --include=*\\v -e . .',
  'rg -g \\.env -e . .',
  'rg -g .en\\v -e . .',
  // The globs of `--iglob` are read last, wherever they stand.
  'rg -. --iglob=.e* -g !.env -e . .',
]) {
  const words = line.split(' ');
  test(`${line} reads hidden files, and asks`, async () => {
    assert.equal(reveals(words), true);
    assert.equal(await decide(toLine(words)), 'ask');
  });
}

test('blanks at the end of a glob of ripgrep are no part of it', async () => {
  assert.equal(reveals(['rg', '-g', '.env ', '-e', '.', '.']), true);
  assert.equal(await decide("rg -g '.env ' -e . ."), 'ask');
});

for (const line of [
  'grep -r --include=*.ts --exclude=*.test.ts -e . .',
  'grep -r --exclude-dir=dist --include=*.ts -e . .',
  'rg -g *.ts -g !*.test.ts -e . .',
]) {
  const words = line.split(' ');
  test(`${line} reads no hidden file, and is allowed`, async () => {
    assert.equal(reveals(words), false);
    assert.equal(await decide(toLine(words)), 'allow');
  });
}

const PATTERNS = ['.env', './.env', 'src', 'src/', 'src/*', '**/.env', '*.env', '.e*', '.ENV', '.']
  .concat(['*', '/src', '[.]env', '.en?', '\\.env', '*/.env', 's*', '!.env', '[!a].env', '*.ts'])
  .concat(['.env ', '.{env,x}', '', '.en[v', '.*', 'sub', 'a.ts', '.env\\']);
const pattern = fc.constantFrom(...PATTERNS);
const grepOption = fc.tuple(fc.constantFrom('--exclude=', '--exclude-dir=', '--include='), pattern);
const rgOption = fc.tuple(fc.constantFrom('--glob=', '--iglob=', '--glob=!', '--iglob=!'), pattern);
const asWords = (options: readonly (readonly [string, string])[]) =>
  options.map(([option, value]) => `${option}${value}`);
const search = fc.oneof(
  fc
    .array(grepOption, { minLength: 1, maxLength: 3 })
    .map((options) => ['grep', '-r', ...asWords(options)]),
  fc
    .tuple(fc.constantFrom('-.', '-uuu', '-n'), fc.array(rgOption, { minLength: 1, maxLength: 3 }))
    .map(([all, options]) => ['rg', all, ...asWords(options)]),
);

test('no search that is allowed reads a denied file, whatever names its options choose', async () => {
  const rules = rulesOf('bash * allow', 'fs.read ** allow', '* **/.env deny');
  await fc.assert(
    fc.asyncProperty(
      search,
      fc.constantFrom('.', 'src', 'src/', './src'),
      async (start, target) => {
        const words = [...start, '-e', '.', target];
        if ((await decide(toLine(words), rules)) !== 'allow') return;
        assert.equal(reveals(words), false, toLine(words));
      },
    ),
    { seed: 20_261_128, numRuns: sizeOf(300, 5_000) },
  );
});
