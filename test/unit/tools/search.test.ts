import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ALLOW_ALL, type Bed, openBed } from './bed.ts';
import { dataOf, errorOf, openSession } from './session.ts';

const TREE: Readonly<Record<string, string>> = {
  'a.ts': 'const needle = 1;\n',
  'b.md': 'needle\nnothing\nNeedle\n',
  'src/c.ts': 'before\nneedle(here)\nafter\n',
  'src/d.test.ts': '',
  '.hidden/e.ts': 'needle\n',
  'ignored/f.ts': 'needle\n',
  'skip.log': 'needle\n',
  '.gitignore': 'ignored/\n*.log\n',
};

glob('a name at any depth', { pattern: '*.ts' }, ['a.ts', 'src/c.ts', 'src/d.test.ts']);
glob('a glob over folders', { pattern: 'src/**/*.ts' }, ['src/c.ts', 'src/d.test.ts']);
glob('a folder of its own', { pattern: '*.ts', path: 'src' }, ['src/c.ts', 'src/d.test.ts']);
glob('alternatives', { pattern: '{a,b}.{ts,md}' }, ['a.ts', 'b.md']);
glob('a negation', { pattern: '!*.ts' }, ['b.md']);
glob('what is ignored, never', { pattern: '**/*.log' }, []);
glob('everything visible', { pattern: '**' }, ['a.ts', 'b.md', 'src/c.ts', 'src/d.test.ts']);
glob('hidden files on request', { pattern: '**/e.ts', hidden: true }, ['.hidden/e.ts']);

glob('hidden files that it names', { pattern: '.hidden/*' }, ['.hidden/e.ts']);
glob('hidden files by one alternative', { pattern: '{.hidden,src}/?.ts' }, [
  '.hidden/e.ts',
  'src/c.ts',
]);

function glob(name: string, input: object, expected: readonly string[]) {
  test(`glob lists ${name}`, async () => {
    using bed = plant();
    await using session = openSession(bed, { rules: ALLOW_ALL });
    const { entries } = dataOf(await session.call('glob', input));
    assert.ok(Array.isArray(entries));
    assert.deepEqual([...entries].sort(), expected);
  });
}

test('glob lists the newest first', async () => {
  using bed = plant();
  const names = ['src/d.test.ts', 'a.ts', 'src/c.ts'];
  names.forEach((name, age) => {
    utimesSync(path.join(bed.workspace, name), 1_000_000 - age, 1_000_000 - age);
  });
  await using session = openSession(bed, { rules: ALLOW_ALL });
  assert.deepEqual(dataOf(await session.call('glob', { pattern: '*.ts' }))['entries'], names);
});

for (const pattern of ['/etc/*', '../*', 'a/../../*', '{..,a}/*']) {
  test(`glob ${pattern} says to name the folder in path`, async () => {
    using bed = plant();
    await using session = openSession(bed, { rules: ALLOW_ALL });
    assert.match(errorOf(await session.call('glob', { pattern })), /Put the folder in path/);
  });
}

for (const [pattern, expected] of [
  ['src/', /only files are returned. Append \*\*/],
  ['!', /a pattern to exclude after the !/],
] as const) {
  test(`glob ${pattern} says what to write`, async () => {
    using bed = plant();
    await using session = openSession(bed, { rules: ALLOW_ALL });
    assert.match(errorOf(await session.call('glob', { pattern })), expected);
  });
}

test('a file name that is not UTF-8 is listed with a note to use bash', async () => {
  using bed = openBed();
  const name = Buffer.concat([Buffer.from(`${bed.workspace}/a`), Buffer.from([0xff])]);
  try {
    writeFileSync(name, 'needle\n');
  } catch {
    // A file system that takes no such name has none to show.
    return;
  }
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const listed = dataOf(await session.call('glob', { pattern: '*' }));
  assert.deepEqual(listed['entries'], ['a\ufffd']);
  assert.match(
    String(listed['note']),
    /not UTF-8. The file tools cannot open such a file; use bash/,
  );
  const found = dataOf(await session.call('grep', { pattern: 'needle' }));
  assert.match(String(found['note']), /not UTF-8/);
});

test('grep says what a pattern over two lines should be, and names no option of ripgrep', async () => {
  using bed = plant();
  await using session = openSession(bed, { rules: ALLOW_ALL });
  for (const pattern of ['a\nb', '(?<=a)b']) {
    const error = errorOf(await session.call('grep', { pattern }));
    assert.match(error, /not (allowed|supported)/);
    assert.match(error, /Each line is searched separately/);
    assert.doesNotMatch(error, /--/);
  }
});

grep('lines with numbers', { pattern: 'needle', path: 'src' }, ['src/c.ts:2:needle(here)']);
grep('a file of its own', { pattern: 'needle', path: 'b.md' }, ['b.md:1:needle']);
grep('any case', { pattern: 'NEEDLE', include: '*.md', case: 'insensitive' }, [
  'b.md:1:needle',
  'b.md:3:Needle',
]);
grep('only what include names', { pattern: 'needle', include: 'src/*.ts' }, [
  'src/c.ts:2:needle(here)',
]);
grep('lines around a match', { pattern: 'here', context: 1 }, [
  'src/c.ts:1:before',
  'src/c.ts:2:needle(here)',
  'src/c.ts:3:after',
]);
grep('files alone', { pattern: 'needle', output: 'files' }, ['a.ts', 'b.md', 'src/c.ts']);
grep('counts', { pattern: '(?i)needle', output: 'count' }, ['a.ts:1', 'b.md:2', 'src/c.ts:1']);
grep('hidden files on request', { pattern: 'needle', include: 'e.ts', hidden: true }, [
  '.hidden/e.ts:1:needle',
]);
grep('hidden files that include names', { pattern: 'needle', include: '.hidden/*' }, [
  '.hidden/e.ts:1:needle',
]);
grep(
  'nothing of a file that include leaves out',
  { pattern: 'needle', path: 'a.ts', include: '*.md' },
  [],
);
grep('nothing where nothing is', { pattern: 'absent' }, []);
grep('a pattern that looks like an option', { pattern: '--files' }, []);

function grep(name: string, input: object, expected: readonly string[]) {
  test(`grep shows ${name}`, async () => {
    using bed = plant();
    await using session = openSession(bed, { rules: ALLOW_ALL });
    const { matches } = dataOf(await session.call('grep', input));
    assert.ok(Array.isArray(matches));
    const rows = matches.map((row) =>
      typeof row === 'string' ? row : `${row.path}:${row.line}:${row.text}`,
    );
    assert.deepEqual(rows.sort(), expected);
  });
}

test('grep gives the message of ripgrep for a bad pattern', async () => {
  using bed = plant();
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const error = errorOf(await session.call('grep', { pattern: '(?<=a)b' }));
  assert.match(error, /regex parse error[\s\S]*look-around/);
});

for (const permission of ['fs.read', 'read']) {
  for (const ask of [undefined, async () => ({ outcome: 'reject' as const })]) {
    const who = ask === undefined ? 'nobody' : 'somebody';
    test(`grep leaves out files that a deny of ${permission} names, with ${who} to ask`, async () => {
      using bed = plant();
      mkdirSync(path.join(bed.workspace, 'secrets'));
      writeFileSync(path.join(bed.workspace, 'secrets', 'key'), 'needle secret\n');
      const deny = { permission, pattern: 'secrets/**', action: 'deny' };
      const rules = [...ALLOW_ALL, deny];
      await using session = openSession(bed, { rules, ...(ask && { ask }) });
      const data = dataOf(await session.call('grep', { pattern: 'needle' }));
      assert.doesNotMatch(JSON.stringify(data['matches']), /secret/);
      assert.match(String(data['note']), /permission rules deny reading were skipped/);
    });
  }
}

test('a file that is searched keeps the name it was asked for by', async () => {
  using bed = plant();
  symlinkSync('../a.ts', path.join(bed.workspace, 'src/link'));
  await using session = openSession(bed, { rules: ALLOW_ALL });
  for (const name of ['src/link', 'src/../a.ts', path.join(bed.workspace, 'a.ts')]) {
    const input = { pattern: 'needle', path: name, output: 'files' };
    assert.deepEqual(dataOf(await session.call('grep', input))['matches'], [name]);
  }
});

test('a link in the workspace is not followed out of it', async () => {
  using bed = plant();
  writeFileSync(path.join(bed.outside, 'z.ts'), 'needle outside\n');
  symlinkSync(bed.outside, path.join(bed.workspace, 'link'));
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const found = await session.call('grep', { pattern: 'needle' });
  assert.doesNotMatch(JSON.stringify(found), /outside/);
  const listed = await session.call('glob', { pattern: '**/*.ts' });
  assert.doesNotMatch(JSON.stringify(listed), /z\.ts/);
});

test('a pipe is not searched, and does not block', async () => {
  using bed = plant();
  execFileSync('mkfifo', [path.join(bed.workspace, 'pipe')]);
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const error = errorOf(await session.call('grep', { pattern: 'x', path: 'pipe' }));
  assert.match(error, /not a regular file/);
  dataOf(await session.call('grep', { pattern: 'needle' }));
});

test('a configuration file of ripgrep has no say', async () => {
  using bed = plant();
  const config = path.join(bed.root, 'ripgreprc');
  writeFileSync(config, '--no-ignore\n');
  process.env['RIPGREP_CONFIG_PATH'] = config;
  try {
    await using session = openSession(bed, { rules: ALLOW_ALL });
    const found = await session.call('grep', { pattern: 'needle' });
    assert.doesNotMatch(JSON.stringify(found), /ignored/);
  } finally {
    delete process.env['RIPGREP_CONFIG_PATH'];
  }
});

function plant(): Bed {
  const bed = openBed();
  for (const [name, text] of Object.entries(TREE)) {
    const file = path.join(bed.workspace, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return bed;
}
