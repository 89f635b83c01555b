import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { applyPatch } from '../../../../src/tools/patch/applyPatch.ts';
import { ALLOW_ALL, type Bed, openBed } from '../bed.ts';
import { dataOf, errorOf, openSession, type SessionOptions } from '../session.ts';

const LINES = Array.from({ length: 20 }, (_, at) => `line ${at + 1}\n`).join('');
const SECOND = [
  '--- a/a.txt',
  '+++ b/a.txt',
  '@@ -1,3 +1,3 @@',
  ' line 1',
  '-line 2',
  '+LINE 2',
  ' line 3',
  '',
].join('\n');

function open(bed: Bed, files: Readonly<Record<string, string | Buffer>>, more?: SessionOptions) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(bed.workspace, name)), { recursive: true });
    writeFileSync(path.join(bed.workspace, name), text);
  }
  const session = openSession(bed, { rules: ALLOW_ALL, extra: [applyPatch], ...more });
  return {
    session,
    patch: (patch: string) => session.call('apply_patch', { patch }),
    text: (name: string) => readFileSync(path.join(bed.workspace, name), 'latin1'),
    has: (name: string) => existsSync(path.join(bed.workspace, name)),
    at: (name: string) => path.join(bed.workspace, name),
  };
}

test('one patch changes, creates, deletes and renames files', async () => {
  using bed = openBed();
  const run = open(bed, { 'a.txt': LINES, 'gone.txt': 'x\n', 'old.txt': 'one\ntwo\n' });
  await using _ = run.session;
  const patch = `Here is the patch:
diff --git a/a.txt b/a.txt
${SECOND}diff --git a/sub/new.txt b/sub/new.txt
new file mode 100644
--- /dev/null
+++ b/sub/new.txt
@@ -0,0 +1,2 @@
+first
+second
\\ No newline at end of file
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/old.txt b/moved.txt
similarity index 50%
rename from old.txt
rename to moved.txt
--- a/old.txt
+++ b/moved.txt
@@ -1,2 +1,2 @@
 one
-two
+TWO
`;
  assert.deepEqual(dataOf(await run.patch(patch)), {
    files: [
      { path: run.at('a.txt'), change: 'changed' },
      { path: run.at('sub/new.txt'), change: 'created' },
      { path: run.at('gone.txt'), change: 'deleted' },
      { path: run.at('old.txt'), change: 'deleted' },
      { path: run.at('moved.txt'), change: 'created' },
    ],
  });
  assert.equal(run.text('a.txt'), LINES.replace('line 2\n', 'LINE 2\n'));
  assert.equal(run.text('sub/new.txt'), 'first\nsecond');
  assert.deepEqual([run.has('gone.txt'), run.has('old.txt')], [false, false]);
  assert.equal(run.text('moved.txt'), 'one\nTWO\n');
});

test('what git diff writes about random files applies to them', async () => {
  using bed = openBed();
  const run = open(bed, {});
  await using _ = run.session;
  let seed = 7;
  const random = (limit: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * limit);
  };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: bed.workspace, encoding: 'latin1' });
  git('init', '-q');
  for (let round = 0; round < 40; round += 1) {
    const end = ['\n', '\r\n'][random(2)] ?? '\n';
    const before = Array.from({ length: random(30) }, () => `l${random(6)}`);
    const after = before.flatMap(
      (line) => [[line], [], [line, `n${random(9)}`], ['c']][random(9)] ?? [line],
    );
    const toText = (lines: readonly string[]) => lines.join(end) + (random(3) === 0 ? '' : end);
    const [old, next] = [toText(before), toText(after)];
    writeFileSync(run.at('f'), old);
    git('-c', 'core.safecrlf=false', 'add', 'f');
    writeFileSync(run.at('f'), next);
    const patch = git('diff', `-U${random(4)}`, 'f');
    if (patch === '') continue;
    writeFileSync(run.at('f'), old);
    const done = await run.patch(patch);
    assert.equal(
      done.type,
      'output',
      `${JSON.stringify({ patch, old, next })} ${JSON.stringify(done)}`,
    );
    assert.equal(run.text('f'), next);
  }
});

test('when one file does not match, none is changed, and the error says what is there', async () => {
  using bed = openBed();
  const run = open(bed, { 'a.txt': LINES, 'b.txt': 'other\n' });
  await using _ = run.session;
  const patch = `${SECOND}--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-mine\n+yours\n`;
  assert.match(
    errorOf(await run.patch(patch)),
    /no file was changed\.\nb\.txt: Hunk 1 does not match: line 1 should be "mine", but it is "other"/,
  );
  assert.equal(run.text('a.txt'), LINES);
});

test('a hunk at another line applies if its lines are there once', async () => {
  using bed = openBed();
  const run = open(bed, {
    'a.txt': `${'new\n'.repeat(5)}${LINES}`,
    'b.txt': 'x\ny\n\nx\ny\n\nx\ny\n',
  });
  await using _ = run.session;
  dataOf(await run.patch(SECOND));
  assert.match(run.text('a.txt'), /line 1\nLINE 2\nline 3/);
  const twice = '--- a/b.txt\n+++ b/b.txt\n@@ -2,2 +2,1 @@\n-x\n-y\n+z\n';
  assert.match(errorOf(await run.patch(twice)), /at 3 other lines \(1, 4, 7\)/);
});

test('bytes outside the change, line ends and encodings stay', async () => {
  using bed = openBed();
  const mixed = 'line 1\r\nline 2\r\nline 3\nline 4\r\n';
  const latin = Buffer.from([0xe9, 10, ...Buffer.from('line 2\n'), 0xff, 10]);
  const run = open(bed, {
    'a.txt': mixed,
    'l.txt': latin,
    'u.txt': Buffer.from('\ufeffline 2\n', 'utf16le'),
  });
  await using _ = run.session;
  dataOf(await run.patch(SECOND));
  assert.equal(run.text('a.txt'), 'line 1\r\nLINE 2\r\nline 3\nline 4\r\n');
  dataOf(await run.patch('--- l.txt\n+++ l.txt\n@@ -2 +2 @@\n-line 2\n+two\n'));
  assert.equal(run.text('l.txt'), '\xe9\ntwo\n\xff\n');
  dataOf(await run.patch('--- u.txt\n+++ u.txt\n@@ -1 +1 @@\n-line 2\n+two\n'));
  assert.equal(readFileSync(run.at('u.txt'), 'utf16le'), '\ufefftwo\n');
});

const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  ['no diff', 'hello', /not a unified diff/],
  ['another format', '*** Begin Patch\n*** End Patch\n', /not a unified diff/],
  [
    'a wrong line count',
    SECOND.replace('-1,3', '-1,9'),
    /not a valid unified diff: Hunk at line 3/,
  ],
  ['lines that no hunk counts', `${SECOND}\n+lost\n`, /1 lines that begin with "\+" outside/],
  ['one file twice', SECOND + SECOND, /names a\.txt twice/],
  ['a file that exists', '--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n', /exists already/],
  ['a file that is missing', SECOND.replaceAll('a.txt', 'no.txt'), /no\.txt does not exist/],
  [
    'a deletion that leaves lines',
    '--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-line 1\n',
    /remove all/,
  ],
  ['a missing end marker', '--- e\n+++ e\n@@ -1 +1 @@\n-end\n+END\n', /it has no line end/],
  [
    'a line behind a missing end',
    '--- e\n+++ e\n@@ -1,0 +2 @@\n+x\n',
    /has no line end, but is not the last/,
  ],
  [
    'a change of modes',
    'diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n',
    /changes nothing in a\.txt/,
  ],
  [
    'a copy',
    'diff --git a/a.txt b/c\nsimilarity index 100%\ncopy from a.txt\ncopy to c\n',
    /copies c/,
  ],
  [
    'a binary file',
    'diff --git a/e b/e\nindex 1..2 100644\nBinary files a/e and b/e differ\n',
    /binary/,
  ],
];

for (const [name, patch, expected] of REFUSED) {
  test(`a patch with ${name} is refused and changes nothing`, async () => {
    using bed = openBed();
    const run = open(bed, { 'a.txt': LINES, e: 'end' });
    await using _ = run.session;
    assert.match(errorOf(await run.patch(patch)), expected);
    assert.deepEqual([run.text('a.txt'), run.text('e')], [LINES, 'end']);
  });
}

test('all paths are asked about at once, and the approved texts are written', async () => {
  using bed = openBed();
  const run = open(
    bed,
    { 'a.txt': LINES, 'b.txt': 'b\n' },
    {
      rules: [],
      ask: async ({ preview }) => ({
        outcome: 'allow',
        approved: (preview?.changes ?? [])
          .slice(0, 1)
          .map(({ path }) => ({ path, text: 'mine\n' })),
      }),
    },
  );
  await using session = run.session;
  const done = await run.patch(`${SECOND}--- b.txt\n+++ b.txt\n@@ -1 +1 @@\n-b\n+B\n`);
  dataOf(done);
  assert.deepEqual([run.text('a.txt'), run.text('b.txt')], ['mine\n', 'b\n']);
  assert.deepEqual(
    done.metadata.review?.files.map(({ outcome }) => outcome),
    ['changed', 'rejected'],
  );
  const paths = new Set(session.asks[0]?.decision.subjects.map(({ target }) => target));
  assert.deepEqual(
    [...paths].map((each) => path.basename(each)),
    ['a.txt', 'b.txt'],
  );
});

test('when one file changed while the user looked, none is written', async () => {
  using bed = openBed();
  const second = path.join(bed.workspace, 'b.txt');
  const run = open(
    bed,
    { 'a.txt': LINES, 'b.txt': 'b\n' },
    {
      rules: [],
      ask: async () => {
        writeFileSync(second, 'mine\n');
        return { outcome: 'allow' };
      },
    },
  );
  await using _ = run.session;
  const patch = `${SECOND}--- b.txt\n+++ b.txt\n@@ -1 +1 @@\n-b\n+B\n`;
  assert.match(errorOf(await run.patch(patch)), /b\.txt changed while you waited.*Nothing was/s);
  assert.deepEqual([run.text('a.txt'), run.text('b.txt')], [LINES, 'mine\n']);
});

for (const permission of ['edit', 'write', 'fs.write', 'fs.read', 'apply_patch']) {
  test(`a deny rule for ${permission} on one path denies the whole patch`, async () => {
    using bed = openBed();
    const run = open(
      bed,
      { 'a.txt': LINES, 'b.txt': 'b\n' },
      {
        rules: [...ALLOW_ALL, { permission, pattern: '{workspace}/b.txt', action: 'deny' }],
      },
    );
    await using _ = run.session;
    const patch = `${SECOND}--- b.txt\n+++ b.txt\n@@ -1 +1 @@\n-b\n+B\n`;
    assert.match(errorOf(await run.patch(patch)), /b\.txt/);
    assert.deepEqual([run.text('a.txt'), run.text('b.txt')], [LINES, 'b\n']);
  });
}

test('an allow rule for edit does not allow a patch', async () => {
  using bed = openBed();
  const rules = [{ permission: 'edit', pattern: '**', action: 'allow' }];
  const run = open(bed, { 'a.txt': LINES }, { rules });
  await using _ = run.session;
  assert.match(errorOf(await run.patch(SECOND)), /No user is available/);
});

test('a rule for apply_patch alone is enough, if none asks about write or edit', async () => {
  const own = [
    { permission: 'apply_patch', pattern: '{workspace}/**', action: 'allow' },
    { permission: 'fs.read', pattern: '{workspace}/**', action: 'allow' },
  ];
  for (const permission of [undefined, 'write', 'edit']) {
    using bed = openBed();
    const ask = permission && { permission, pattern: 'a.txt', action: 'ask' };
    const run = open(bed, { 'a.txt': LINES }, { rules: [...own, ...(ask ? [ask] : [])] });
    await using _ = run.session;
    const answer = await run.patch(SECOND);
    if (permission === undefined) assert.equal(answer.type, 'output');
    else assert.match(errorOf(answer), new RegExp(`The rule \`${permission} a\\.txt\` asks`));
  }
});

test('links are followed only where the rules allow it', async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.outside, 'a.txt'), LINES);
  const run = open(
    bed,
    {},
    { rules: [{ permission: '*', pattern: '{workspace}/**', action: 'allow' }] },
  );
  await using _ = run.session;
  symlinkSync(path.join(bed.outside, 'a.txt'), run.at('a.txt'));
  assert.match(errorOf(await run.patch(SECOND)), /No rule covers/);
  assert.equal(readFileSync(path.join(bed.outside, 'a.txt'), 'utf8'), LINES);
});
