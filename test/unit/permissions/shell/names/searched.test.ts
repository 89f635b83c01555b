import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { sizeOf } from '../../../../workbench/sizes.ts';
import { bashCall, evaluate, plantWorkspace, policyOf } from '../../ask.ts';

const WORKSPACE = plantWorkspace(['src/a.ts', 'src/b.md', 'keys/a.ts', 'keys/.env']);
const OUTSIDE = path.join(WORKSPACE, '..', 'outside');
writeFileSync(path.join(WORKSPACE, 'keys/.env'), 'SECRET\n');
writeFileSync(OUTSIDE, 'SECRET\n');
mkdirSync(path.join(WORKSPACE, 'links'));
symlinkSync(OUTSIDE, path.join(WORKSPACE, 'links/out.ts'));

const folders = { workspace: [WORKSPACE], adHoc: [], cwd: WORKSPACE };
const policy = policyOf(DEFAULT_RULES, { folders });

async function findOthers(expected: 'allow' | 'ask', lines: readonly string[]) {
  const found: string[] = [];
  for (const line of lines) {
    const { decision, reason } = await evaluate(bashCall(line), policy);
    if (decision !== expected) found.push(`${line} is ${decision}: ${reason}`);
  }
  return found;
}

test('find prints or passes a name before it tests it', async () => {
  const lines = [
    "find keys -print0 -name '*.ts' | xargs -0 cat",
    "find src keys -maxdepth 1 -print0 -name '*.ts' | xargs -0 cat",
    "find keys -name '*' -print0 -name '*.ts' | xargs -0 cat",
    "find keys -print0 -name '*.ts' -print0 | xargs -0 cat",
    "find keys -print -name '*.ts' | xargs wc",
    'find links -print0 -type f | xargs -0 cat',
    'find links -print0 -type f | xargs -0 -n1 head',
    "find keys -name '*.ts' -exec cat {} + -o -exec cat {} +",
    "find keys -name '*.ts' -exec cat {} \\; -or -exec cat {} \\;",
    "find keys -name '*.ts' -exec cat {} + , -exec cat {} +",
    "find keys -name '*.ts' -exec cat {} + -o -name .env -exec cat {} +",
    "find keys -name '*.ts' -exec cat {} + -exec cat {} + -o -exec cat {} +",
    'find links -type f -exec cat {} + -o -exec cat {} +',
    // The folder `src/a\nsrc` may be a link.
    'find src -type f -print -print0 | xargs -0 cat',
  ];
  assert.deepEqual(await findOthers('ask', lines), []);
});

test('find tests a name before it prints or passes it', async () => {
  const lines = [
    "find keys -name '*.ts' -print0 -name 'a*' | xargs -0 cat",
    "find keys -name '*.ts' -exec cat {} + -exec head {} +",
    "find keys -name '*.ts' -exec grep -q x {} \\; -not -name 'b*' -exec cat {} \\;",
    "find keys -name '*.ts' -not -empty -print0 | xargs -0 cat",
    'find links src -type f -exec cat {} +',
    'find links -type f -print0 | xargs -0 cat',
  ];
  assert.deepEqual(await findOthers('allow', lines), []);
});

/** Tests, operators and actions in any order, most of which find accepts. */
const expression = fc.array(
  fc.constantFrom(
    ...["-name '*.ts'", '-name .env', "-name '*'", '-type f', '-type l', '-empty', "-path '*'"],
    ...['-print', '-print0', '-exec cat {} +', '-exec head {} \\;', '-prune', '-depth'],
    ...['-o', '-a', '!', '-not', ',', '\\(', '\\)', '-maxdepth 1', '-mindepth 1'],
  ),
  { minLength: 1, maxLength: 7 },
);

test('no expression of find that is allowed reads what it may not', async () => {
  const line = fc
    .tuple(
      fc.constantFrom('src', 'keys', 'links', 'src keys', 'links src'),
      expression,
      fc.constantFrom('', ' | xargs -0 cat', ' | xargs -0 -n1 head', ' | sort | xargs wc'),
    )
    .map(([targets, words, behind]) => `find ${targets} ${words.join(' ')}${behind}`);
  for (const each of fc.sample(line, { numRuns: sizeOf(100, 300), seed: 7 })) {
    const { decision } = await evaluate(bashCall(each), policy);
    if (decision !== 'allow') continue;
    const { stdout } = spawnSync('bash', ['-c', each], { cwd: WORKSPACE, encoding: 'utf8' });
    assert.doesNotMatch(stdout, /SECRET/, each);
  }
});

test('names that a search prints below a folder do not begin with the name of the workspace', async () => {
  const root = path.join(plantWorkspace([]), '-my project');
  mkdirSync(path.join(root, 'src'), { recursive: true });
  writeFileSync(path.join(root, 'src/a.ts'), 'x\n');
  const own = policyOf(DEFAULT_RULES, { folders: { workspace: [root], adHoc: [], cwd: root } });
  for (const line of ["find . -name '*.ts' | xargs cat", 'rg -l x src | xargs wc -l'])
    assert.equal((await evaluate(bashCall(line), own)).decision, 'allow', line);
  writeFileSync(path.join(root, 'src/b c.ts'), 'x\n');
  const { decision, reason } = await evaluate(bashCall('rg -l x src | xargs wc -l'), own);
  assert.equal(decision, 'ask');
  assert.match(reason, /`xargs` reads spaces and quotes.* `b c\.ts`/);
});
