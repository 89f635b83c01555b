import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Act } from '../../../../src/permissions/shell/acts.ts';
import { literalWord } from '../../../../src/permissions/shell/words.ts';
import { markUnsettled } from '../../../../src/permissions/sweeps/settled.ts';
import { evaluateBash, plantWorkspace } from '../ask.ts';

const WORKSPACE = plantWorkspace(['src/a.ts', 'src/b.ts', 'lib/c.ts', 'a.md', 'held/.env']);
const FOLDERS = { workspace: [WORKSPACE], adHoc: [], cwd: WORKSPACE };
const RULES = ['bash * allow', 'fs.write ** allow', '* **/.env deny'];

async function decide(line: string, more: readonly string[] = []) {
  const rules = [...RULES, ...more, ...line.split(/ && |; /).map((each) => `bash ${each} allow`)];
  return evaluateBash(line, rules, { folders: FOLDERS, lookMs: 60_000 });
}

for (const line of [
  'grep -rn x src',
  'cat a.md && grep -rn x src',
  'echo x && grep -rn x src',
  'wc -l a.md; sort a.md; grep -rn x src',
  'mkdir -p out && touch out/x && grep -rn x src',
  'rm -f out/x; grep -rn x src',
  'git add a.md && grep -rn x src',
  'git --no-pager log && grep -rn x src',
  'git commit -m x && git push && grep -rn x src',
  'env ls && grep -rn x src',
  'grep -rn x src; cp a.md b.md',
  'cat src/*.ts; cp a.md b.md',
  'touch out; cat src/*.ts',
  'touch src/-x; cat src/*.ts',
  'for i in 1 2; do grep -rn x src; done',
  'cat *.md; touch ./-x',
]) {
  test(`what lies below a folder is settled: ${line}`, async () => {
    const { decision, reason } = await decide(line);
    assert.equal(decision, 'allow', reason);
  });
}

for (const [line, name] of [
  ['cp a.md b.md; grep -rn x src', 'src'],
  ['unknown && grep -rn x src', 'src'],
  ['git checkout main && grep -rn x src', 'src'],
  ['git stash && grep -rn x src lib', 'src'],
  ['git && grep -rn x src', 'src'],
  ['./cat a.md && unzip x.zip && grep -rn x src', 'src'],
  ['tar xf a.tar; rg --hidden x src', 'src'],
  ['for i in 1 2; do grep -rn x src; cp a.md b.md; done', 'src'],
] as const) {
  test(`another command may change what lies below a folder: ${line}`, async () => {
    const { decision, details } = await decide(line);
    assert.equal(decision, 'ask');
    assert.equal(
      details().find(({ reason }) => reason.startsWith('Another'))?.reason,
      `Another part of the command line may change what is in \`${name}\`, so Gatehouse can't tell whether it holds files that the rule \`* **/.env\` covers. Run it as a command of its own.`,
    );
  });
}

for (const [line, glob] of [
  ['cp a.md b.md; cat src/*.ts', 'src/*.ts'],
  ['unzip x.zip; wc -l src/*.ts lib/*.ts', 'src/*.ts'],
  ['touch ./-x; cat *.md', '*.md'],
  ['echo x > -n; cat src/*.ts *.md', '*.md'],
  ['for i in 1 2; do cat *.md; touch ./-x; done', '*.md'],
] as const) {
  test(`another command may change what a glob matches: ${line}`, async () => {
    const { decision, subjects, details } = await decide(line);
    assert.equal(decision, 'ask');
    const why = `Another part of the line may change what \`${glob}\` matches.`;
    assert.ok(
      details().some(({ reason }) => reason === why),
      subjects.map(({ target }) => target).join(),
    );
  });
}

test('the reason names the files, the rule and the command that leaves them out', async () => {
  const reasonOf = async (line: string, ...rules: readonly string[]) =>
    (await decide(line, rules)).reason;
  assert.equal(
    await reasonOf('grep -rn x held'),
    'The rule `* **/.env` denies `held/.env`, which this command would read. To leave it out, run `grep --exclude=.env -rn x held`.',
  );
  assert.equal(
    await reasonOf('chmod -R a+r held'),
    'The rule `* **/.env` denies `held/.env`, which this command would change. Name the files to change instead of `held`.',
  );
  assert.equal(
    await reasonOf('grep -rn x .'),
    'The rule `* **/.env` denies `held/.env`, which this command would read. To leave it out, run `grep --exclude=.env -rn x .`.',
  );
  assert.equal(
    await reasonOf('grep -rn x src', 'fs.read src/*.ts ask'),
    "The rule `fs.read src/*.ts` asks about `src/a.ts` and `src/b.ts`, which this command would read. To leave them out, run `grep '--exclude=*.ts' -rn x src`.",
  );
  assert.equal(
    await reasonOf('grep -rn x src/', 'fs.read src/** ask'),
    'The rule `fs.read src/**` asks about `src/`.',
  );
});

test('of many files four are named', async () => {
  const files = Array.from({ length: 7 }, (_, at) => `d/f${at}.key`);
  const long = Array.from({ length: 4 }, (_, at) => `e/${at}${'x'.repeat(25)}.key`);
  const root = plantWorkspace([...files, ...long]);
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const reasonOf = async (line: string) =>
    (
      await evaluateBash(line, ['bash * allow', 'fs.read **/*.key deny'], {
        folders,
        lookMs: 60_000,
      })
    ).reason;
  assert.match(
    await reasonOf('cat d/f0.key; grep -r x d'),
    /denies `d\/f0\.key`\.$|denies `d\/f0\.key`, `d\/f1\.key`, `d\/f2\.key`, `d\/f3\.key` and 3 more,/,
  );
  assert.match(
    await reasonOf('grep -r x d'),
    /denies `d\/f0\.key`, `d\/f1\.key`, `d\/f2\.key`, `d\/f3\.key` and 3 more, which/,
  );
  assert.match(
    await reasonOf('grep -r x e'),
    /denies `e\/0x+\.key`, `e\/1x+\.key` and 2 more, which/,
  );
});

test('links that lead out, and folders that can not be read, are named', async () => {
  const root = plantWorkspace(['src/a', 'locked/a']);
  const outside = plantWorkspace(['far/x']);
  symlinkSync(path.join(outside, 'far'), path.join(root, 'src/link'));
  symlinkSync('/proc/self/cwd', path.join(root, 'locked/own'));
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const decideUnder = (line: string, ...rules: readonly string[]) =>
    evaluateBash(line, ['bash * allow', ...rules], { folders, lookMs: 60_000 });
  const { decision, reason } = await decideUnder('grep -R x src');
  assert.equal(decision, 'ask');
  assert.match(
    reason,
    /^The command follows the link `src\/link`, which leads out to `[^`]*`\. No rule covers fs\.read of it\.$/,
  );
  const allowed = await decideUnder('grep -R x src', `fs.read ${outside}/** allow`);
  assert.equal(allowed.decision, 'allow', allowed.reason);
  const denied = await decideUnder('grep -R x src', `fs.read ${outside}/** deny`);
  assert.equal(denied.decision, 'deny');
  const own = await decideUnder('grep -R x locked');
  assert.equal(
    own.reason,
    "The command follows the link `locked/own`, and Gatehouse can't tell where that leads.",
  );
  assert.equal((await decideUnder('grep -r x src')).decision, 'allow');
});

test('of several rules about unsettled files, the deny is named', async () => {
  for (const rules of [
    ['fs.read **/*.key ask', '* **/.env deny'],
    ['* **/.env deny', 'fs.read **/*.key ask'],
  ]) {
    const { reason } = await evaluateBash(
      'cp a.md b.md; grep -rn x src',
      ['bash * allow', 'fs.write ** allow', 'bash cp a.md b.md allow', ...rules],
      { folders: FOLDERS, lookMs: 60_000 },
    );
    assert.match(reason, /whether it holds files that the rule `\* \*\*\/\.env` covers/);
  }
});

test('a link that leads out of the capability set is refused', async () => {
  const root = plantWorkspace(['src/a']);
  const outside = plantWorkspace(['far/x']);
  symlinkSync(path.join(outside, 'far'), path.join(root, 'src/link'));
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const rules = ['bash * allow', 'fs.read ** allow'];
  const decideIn = async (fs: { readonly read: readonly string[] } | undefined) => {
    const capabilities = { shell: [{ cmd: '*' }], ...(fs && { fs }) };
    return (await evaluateBash('grep -R x src', rules, { folders, capabilities, lookMs: 60_000 }))
      .decision;
  };
  assert.equal(await decideIn(undefined), 'allow');
  assert.equal(await decideIn({ read: ['src/**', 'src'] }), 'refuse');
  assert.equal(await decideIn({ read: ['src/**', 'src', `${outside}/**`] }), 'allow');
});

test('programs that follow links by default are asked about one that leads out', async () => {
  const root = plantWorkspace(['src/a', 'lib/a']);
  const outside = plantWorkspace(['far/x']);
  symlinkSync(path.join(outside, 'far'), path.join(root, 'src/link'));
  const folders = { workspace: [root], adHoc: [], cwd: root };
  for (const [line, expected] of [
    ['scp -r src host:x', 'ask'],
    ['scp -r lib host:x', 'allow'],
    ['scp src host:x', 'allow'],
    ['zip -r a.zip src', 'ask'],
    ['zip -ry a.zip src', 'allow'],
    ['zip -r a.zip lib', 'allow'],
    ['rsync -aL src/ out', 'ask'],
    ['rsync -a src/ out', 'allow'],
    ['tar chf a.tar src', 'ask'],
    ['tar cf a.tar src', 'allow'],
    ['grep -R x src', 'ask'],
    ['ls -LR src', 'ask'],
    ['ls -R src', 'allow'],
    ['find -L src -name x', 'ask'],
    ['find src -name x', 'allow'],
    ['cp -rL src out', 'ask'],
    ['cp -r src out', 'allow'],
    ['diff -r src lib', 'ask'],
    ['diff -r --no-dereference src lib', 'allow'],
  ] as const) {
    const rules = ['bash * allow', 'fs.write ** allow', `bash ${line} allow`];
    const { decision, reason } = await evaluateBash(line, rules, { folders, lookMs: 60_000 });
    assert.equal(decision, expected, `${line}: ${reason}`);
  }
});

// What arrives below a folder isn't there yet, so a rule about a place in it decides by itself.
for (const [line, rule, expected] of [
  ['cp -r lib src', 'fs.write src/none/** deny', 'deny'],
  ['cp -r lib src', 'fs.write src/none/x ask', 'ask'],
  ['mv lib src', 'fs.write src/none/** deny', 'ask'],
  ['rsync -a lib/ src', 'fs.write src/none/** deny', 'deny'],
  ['cp -r lib src', 'fs.write lib/none/** deny', 'allow'],
  // The files that have this name anywhere are those that are copied.
  ['cp -r lib src', 'fs.write **/none deny', 'allow'],
  ['cp -r lib src', 'fs.write **/k deny', 'deny'],
] as const) {
  test(`${line} is ${expected} under ${rule}`, async () => {
    const root = plantWorkspace(['src/a', 'lib/k']);
    const folders = { workspace: [root], adHoc: [], cwd: root };
    const rules = ['bash * allow', 'fs.write ** allow', `bash ${line} allow`, rule];
    const { decision, reason } = await evaluateBash(line, rules, { folders, lookMs: 60_000 });
    assert.equal(decision, expected, reason);
  });
}

for (const [line, expected] of [
  ['grep -R x src & cp -r lib src/d', 'ask'],
  ["bash -c 'grep -R x src &'; cp -r lib src/d", 'ask'],
  ['cat src/*.ts & cp -r lib src/d', 'ask'],
  ['grep -R x src | cp -r lib src/d', 'ask'],
  ['cat src/*.ts | (cp -r lib src/d)', 'ask'],
  ['grep -R x src | xargs mv -t lib', 'ask'],
  ['grep -R x src; cp -r lib src/d', 'allow'],
  ['grep -R x src &', 'allow'],
  ['grep -R x src | sort | wc -l', 'allow'],
  ['cat src/*.ts | wc -l; cp a.md b.md', 'allow'],
] as const) {
  test(`what runs at the same time may change what is below a folder: ${line} is ${expected}`, async () => {
    const programs = 'grep cp cat mv wc sort xargs bash'.split(' ');
    const rules = [...programs.map((name) => `bash ${name} * allow`), 'fs.* ** allow'];
    const { decision, reason } = await evaluateBash(line, rules, {
      folders: FOLDERS,
      lookMs: 60_000,
    });
    assert.equal(decision, expected, reason);
  });
}

for (const [line, carries, unsettled] of [
  ['git rm a', 'tracked', undefined],
  ['git log', 'tracked', undefined],
  ['git add a', 'removed', undefined],
  ['git mv a b', 'removed', true],
  ['cp rm b', 'removed', true],
  ['ls rm', 'tracked', undefined],
] as const) {
  test(`after ${line}, the tracked files of a folder are ${carries}`, () => {
    const words = line.split(' ').map(literalWord);
    const base = { kind: 'file', access: 'fs.write', role: 'operand' } as const;
    const folder: Act = { ...base, target: 'src', folders: ['/w'], carries: 'tracked' };
    const [, marked] = markUnsettled([{ kind: 'command', words, risky: new Set() }, folder], false);
    const expected = { ...folder, carries, ...(unsettled && { unsettled }) };
    assert.deepEqual(marked, expected);
  });
}

for (const line of [
  'unknown; tar cf a.tar src',
  'unknown; bsdtar cf a.tar src',
  'unknown; tree -l src',
  'unknown; du -L src',
]) {
  test(`another command may change what is packed, or listed behind links: ${line}`, async () => {
    const { decision, reason } = await decide(line);
    assert.equal(decision, 'ask', reason);
    assert.match(reason, /^Another part of the command line may change what is in/);
  });
}
