import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { expandGlob } from '../../../../src/permissions/disk/expandGlob.ts';
import { evaluateBash, plantWorkspace } from '../ask.ts';

/** What bash passes for a word. */
function expandInBash(word: string, cwd: string): readonly string[] {
  const run = spawnSync('bash', ['-c', `printf '%s\\0' ${word}`], { cwd, encoding: 'utf8' });
  assert.equal(run.status, 0, `${word}: ${run.stderr}`);
  return run.stdout.split('\0').slice(0, -1);
}

/** A generator of the same numbers in every run (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const NAMES = [
  'a',
  'b.ts',
  'ab.ts',
  '.c',
  '.c.ts',
  '-d',
  'e f',
  "g'h",
  'i\nj',
  '[k]',
  'l*',
  'é',
  '{m,n}',
  'src',
  'x1',
  'x2',
  '\\o',
];
const PARTS = [
  '*',
  '?',
  '[ab]',
  '[!a]',
  '[a-z]',
  '[0-9]',
  '[b-a]',
  '[9-0]',
  'a',
  'b',
  '.ts',
  'x',
  '{a,b}',
  '{x1,{a,s}*}',
  "'*'",
  '"?"',
  '\\*',
  '.',
  '{,a}',
  '-',
  'src',
  '[]a]',
  '[[]',
  '**',
  '{a}',
  '{1..3}',
  '[',
  ']',
  "' '",
  'e',
];

test('real bash agrees on what a word expands to', () => {
  const random = createRandom(20_261_122);
  let compared = 0;
  for (let round = 0; round < 12; round += 1) {
    const root = plantWorkspace([]);
    for (const name of NAMES) if (random(3) > 0) writeFileSync(path.join(root, name), '');
    for (const folder of ['d1', 'd2', '.h', '-p']) {
      mkdirSync(path.join(root, folder));
      for (const name of NAMES)
        if (random(3) === 0) writeFileSync(path.join(root, folder, name), '');
    }
    symlinkSync('d1', path.join(root, 'link'));
    symlinkSync('gone', path.join(root, 'dangling'));
    const words = Array.from({ length: 60 }, () => {
      const count = 1 + random(4);
      const picked = Array.from({ length: count }, () => PARTS[random(PARTS.length)] ?? '');
      return (
        ['', '', 'd1/', '*/', './', 'link/', `${root}/`][random(7)] +
        picked.join('') +
        (random(9) === 0 ? '/' : '')
      );
    }).filter((word) => !/^\[|^$/.test(word) || word.length > 1);
    const line = words.map((word) => `printf '%s\\0' ${word}; printf '\\1'`).join('\n');
    const env = { ...process.env, LC_ALL: 'C' };
    const run = spawnSync('bash', ['-c', line], { cwd: root, encoding: 'utf8', env });
    const real = run.stdout.split('\x01').slice(0, -1);
    assert.equal(real.length, words.length, run.stderr);
    for (const [index, word] of words.entries()) {
      const own = expandGlob(word, root);
      if (!own.ok) continue;
      compared += 1;
      const theirs = (real[index] ?? '').split('\0').slice(0, -1);
      assert.deepEqual(own.values, theirs, JSON.stringify(word));
    }
  }
  assert.ok(compared > 250, `${compared} compared`);
});

test('what bash reads in several ways is not expanded', () => {
  const root = plantWorkspace(['a.ts', '.b', 'é']);
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x63, 0xff])]), '');
  for (const word of [
    '.*',
    '?',
    '[a-é]',
    '[[:alpha:]]',
    'c*',
    '$x*',
    '*(a)',
    '~/*',
    '`x`*',
    '{1..3}*',
    '"$a"*',
    '[a-Z]*',
    '[b-a]*',
    'a[!9-0]*',
    '*[ax-b]',
  ])
    assert.equal(expandGlob(word, root).ok, false, word);
  assert.deepEqual(expandInBash('*.ts', root), ['a.ts']);
  assert.deepEqual(expandGlob('*.ts', root), { ok: true, values: ['a.ts'] });
  assert.deepEqual(expandGlob('{a,b}.ts', root), { ok: true, values: ['a.ts', 'b.ts'] });
});

test('more than can be listed is not expanded', () => {
  const many = plantWorkspace(Array.from({ length: 600 }, (_, index) => `f${index}`));
  const expansion = expandGlob('f*', many);
  assert.deepEqual(expansion, { ok: false, why: 'it matches more than 512 files' });
  assert.equal(expandGlob('{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', many).ok, false);
});

const TREE = plantWorkspace([
  'src/a.ts',
  'src/b.ts',
  'docs/x.md',
  'a.json',
  'a/one.ts',
  'b/two.ts',
  'secrets/key',
  'src/.env',
  'opt/-x.ts',
  '-n.txt',
]);
symlinkSync('/etc/hostname', path.join(TREE, 'docs/out.md'));
symlinkSync('../secrets/key', path.join(TREE, 'a/in.ts'));

function decideIn(line: string, ...rules: readonly string[]) {
  const folders = { workspace: [TREE], adHoc: [], cwd: TREE };
  return evaluateBash(line, ['bash * allow', ...rules], { folders });
}

test('a reader may be given the files that a glob matches', async () => {
  const rules = ['* **/.env deny', 'fs.read secrets/** deny'];
  for (const line of [
    'wc -l src/*.ts',
    'ls *.json',
    'cat docs/x*.md',
    'head -n 3 {src,b}/*.ts',
    "grep -n x 'src'/*.ts",
    'cat src/*.none',
    'ls "src"/[ab].ts',
    'cd src && cat *.ts | sort',
    'timeout 5 wc -l src/*.ts',
    'cat src/*',
  ]) {
    const { decision, reason } = await decideIn(line, ...rules);
    assert.equal(decision, 'allow', `${line}: ${reason}`);
  }
});

test('each match is evaluated where its links lead', async () => {
  assert.equal((await decideIn('cat a/*.ts', 'fs.read secrets/** deny')).decision, 'deny');
  assert.equal((await decideIn('cat docs/*.md', 'fs.read /etc/** ask')).decision, 'ask');
  assert.equal((await decideIn('cat src/.e*', '* **/.env deny')).decision, 'deny');
  assert.equal((await decideIn('cat src/*', 'bash cat *b.ts* deny')).decision, 'deny');
  assert.equal((await decideIn('cat */key', 'fs.read secrets/** deny')).decision, 'deny');
});

test('a match that may be a pattern, a script, a value or a program asks', async () => {
  // Which file comes first depends on the locale, and the others are read.
  for (const line of [
    'grep src/*',
    'grep -n src/*.ts',
    'grep src/* a.json',
    'rg s*',
    'sed src/*.ts',
    'jq src/*.ts a.json',
    'head -n src/*.ts',
    'cut -d src/*.ts a.json',
    'timeout 5 grep src/*.ts',
    'timeout src/* ls',
    'nice src/*',
    'env src/* ls',
    'timeout 5 c*',
  ])
    assert.equal((await decideIn(line)).decision, 'ask', line);
  for (const line of ['grep -e x src/*.ts', 'grep x src/*.ts', 'sed -n 1p src/*.ts'])
    assert.equal((await decideIn(line)).decision, 'allow', line);
});

test('a line that makes files before a glob asks when they may be options', async () => {
  const root = plantWorkspace(['a.txt', 'src/x.ts']);
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const decide = async (line: string) => {
    const { decision } = await evaluateBash(line, ['bash * allow', 'fs.write ** allow'], {
      folders,
    });
    return decision;
  };
  for (const line of [
    'touch ./-f.env; grep x *',
    'touch -- -f.env; grep x *.env',
    '> ./-f.env; grep x {a,*}',
    'mkdir -p src/-R/x; (cd src && ls *)',
    'for i in 1 2; do grep x *; touch ./-f.env; done',
  ])
    assert.equal(await decide(line), 'ask', line);
  for (const line of ['touch x.txt; cat *', 'mkdir -p out; ls src/*', 'touch src/-x; ls src/*'])
    assert.equal(await decide(line), 'allow', line);
});

test('other programs, options and lines that change files ask', async () => {
  for (const line of [
    'rm src/*.ts',
    'node src/*.ts',
    'sed -i s/a/b/ src/*.ts',
    'sort *.json',
    'uniq src/*.ts',
    'cat *.txt',
    'git checkout x && cat src/*.ts',
    'for i in 1 2; do cat src/*.ts; npm test; done',
    'cd $x && cat *.ts',
    "sh -c 'cat {src,b}/*.ts'",
    'bash src/*.ts',
    'cat $(ls)/*.ts',
  ])
    assert.equal((await decideIn(line)).decision, 'ask', line);
  const { reason } = await decideIn('cat *.txt');
  assert.equal(
    reason,
    "Gatehouse can't tell which files `*.txt` matches, because it matches `-n.txt`, an option.",
  );
});
