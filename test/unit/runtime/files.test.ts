import assert from 'node:assert/strict';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import iconv from 'iconv-lite';
import { ALLOW_ALL, type Bed, openBed } from '../tools/bed.ts';
import { dataOf, errorOf, openSession } from '../tools/session.ts';

const EM_DASH = '\u2014';

/** Files in which an edit of `old` to `new` changes only those bytes. */
const FILES: Readonly<Record<string, Buffer>> = {
  'mixed line ends': Buffer.from('a\r\nb\n\rold\r\nc\n\n'),
  'no final newline': Buffer.from('a\nold'),
  'a byte order mark': Buffer.from('\ufeffa\nold\n'),
  'UTF-16 little endian': Buffer.from('\ufeffa\r\nold é\r\n', 'utf16le'),
  'UTF-16 big endian': Buffer.from('\ufeffa\nold é\n', 'utf16le').swap16(),
  'bytes of no known encoding': Buffer.from([
    0x61,
    0xe9,
    0x0a,
    ...Buffer.from('old\n'),
    0xff,
    0x0a,
  ]),
  'white space at line ends': Buffer.from('a  \t\n  old  \n'),
  'a form feed and a NEL': Buffer.from('a\f\u0085\nold\u2028x\n'),
};

for (const [name, bytes] of Object.entries(FILES)) {
  test(`edit changes nothing but the replaced text: ${name}`, async () => {
    using bed = openBed();
    const file = path.join(bed.workspace, 'f');
    writeFileSync(file, bytes);
    await using session = openSession(bed, { rules: ALLOW_ALL });
    dataOf(await session.call('edit', { path: 'f', old_string: 'old', new_string: 'new!' }));
    const wide = /UTF-16/.test(name);
    const encode = (text: string) => {
      const encoded = Buffer.from(text, wide ? 'utf16le' : 'utf8');
      return name.endsWith('big endian') ? encoded.swap16() : encoded;
    };
    assert.deepEqual(readFileSync(file), splice(bytes, encode('old'), encode('new!')));
  });
}

for (const encoding of ['windows1252', 'shiftjis', 'gbk', 'koi8r', 'iso885915']) {
  test(`edit keeps ${encoding}, the encoding the editor names`, async () => {
    using bed = openBed();
    const file = path.join(bed.workspace, 'f');
    const sample =
      { shiftjis: '日本', gbk: '中文', koi8r: 'Привет' }[encoding] ?? 'Größe €'.slice(0, 5);
    writeFileSync(file, iconv.encode(`${sample}\nold\n${sample}\n`, encoding));
    const runtime = { getEncoding: () => encoding };
    await using session = openSession(bed, { rules: ALLOW_ALL, runtime });
    const read = dataOf(await session.call('read', { path: 'f' }));
    assert.match(String(read['content']), new RegExp(sample));
    dataOf(await session.call('edit', { path: 'f', old_string: 'old', new_string: sample }));
    assert.deepEqual(
      readFileSync(file),
      iconv.encode(`${sample}\n${sample}\n${sample}\n`, encoding),
    );
  });
}

test('a character that the encoding lacks is rejected, and the file is unchanged', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  writeFileSync(file, Buffer.from('Gr\xf6\xdfe old\n', 'latin1'));
  const runtime = { getEncoding: () => 'windows1252' };
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime });
  const input = { path: 'f', old_string: 'old', new_string: '日' };
  assert.match(errorOf(await session.call('edit', input)), /cannot represent a character/);
  assert.deepEqual(readFileSync(file), Buffer.from('Gr\xf6\xdfe old\n', 'latin1'));
});

for (const [name, odd] of [
  ['that its encoding does not know', '\xff\xff'],
  ['that its encoding would write in another way', '\x87\x9b'],
] as const) {
  test(`a file with bytes ${name} is not edited behind them`, () => editBehind(odd));
}

async function editBehind(odd: string): Promise<void> {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  const bytes = Buffer.concat([
    iconv.encode('日本', 'shiftjis'),
    Buffer.from(`${odd} old\n`, 'latin1'),
  ]);
  writeFileSync(file, bytes);
  const runtime = { getEncoding: () => 'shiftjis' };
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime });
  const input = { path: 'f', old_string: 'old', new_string: 'new' };
  assert.match(errorOf(await session.call('edit', input)), /content is not valid/);
  assert.deepEqual(readFileSync(file), bytes);
}

test('only ASCII is written to a file of unknown encoding', async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'f'), Buffer.from('Gr\xf6\xdfe old\n', 'latin1'));
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const input = { path: 'f', old_string: 'old', new_string: 'ö' };
  assert.match(errorOf(await session.call('edit', input)), /encoding is unknown/);
});

test('write keeps mode, links, line ends, byte order mark and encoding', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  writeFileSync(file, Buffer.from('\ufeffone\r\ntwo\r\n', 'utf16le'));
  chmodSync(file, 0o751);
  symlinkSync('f', path.join(bed.workspace, 'link'));
  await using session = openSession(bed, { rules: ALLOW_ALL });
  dataOf(await session.call('write', { path: 'link', content: `one\n${EM_DASH}\n` }));
  assert.deepEqual(readFileSync(file), Buffer.from(`\ufeffone\r\n${EM_DASH}\r\n`, 'utf16le'));
  assert.equal(statSync(file).mode & 0o777, 0o751);
  assert.ok(lstatSync(path.join(bed.workspace, 'link')).isSymbolicLink());
});

for (const [encoding, bytes] of [
  ['windows1252', Buffer.from([0xe9, 0x80])],
  ['utf8bom', Buffer.from('\ufeffé€')],
  ['utf16le', Buffer.from('\ufeffé€', 'utf16le')],
  ['utf8', Buffer.from('é€')],
] as const) {
  test(`a new file is written in ${encoding}, which the editor names, and reads back`, async () => {
    using bed = openBed();
    const runtime = { getEncoding: () => encoding };
    await using session = openSession(bed, { rules: ALLOW_ALL, runtime });
    dataOf(await session.call('write', { path: 'f', content: 'é€' }));
    assert.deepEqual(readFileSync(path.join(bed.workspace, 'f')), bytes);
    assert.equal(dataOf(await session.call('read', { path: 'f' }))['content'], '     1\té€');
  });
}

test('a new file with a character that its encoding lacks is not created', async () => {
  using bed = openBed();
  const runtime = { getEncoding: () => 'windows1252' };
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime });
  const refused = await session.call('write', { path: 'f', content: '日本' });
  assert.match(errorOf(refused), /cannot represent a character/);
  assert.deepEqual(listFiles(bed), []);
});

for (const [name, bytes] of [
  ['half a character at its end', Buffer.from('fffe610062', 'hex')],
  ['half a pair at its start', Buffer.from('fffe00d86100', 'hex')],
] as const) {
  test(`write replaces all of a file with ${name}`, async () => {
    using bed = openBed();
    writeFileSync(path.join(bed.workspace, 'f'), bytes);
    await using session = openSession(bed, { rules: ALLOW_ALL });
    dataOf(await session.call('write', { path: 'f', content: 'new' }));
    assert.deepEqual(
      readFileSync(path.join(bed.workspace, 'f')),
      Buffer.from('\ufeffnew', 'utf16le'),
    );
  });
}

for (const [before, after] of [
  ['a\r\nb\n', 'x\r\ny\n'],
  ['a\r\nb\r\nc\n', 'x\r\ny\r\n'],
  ['a\rb\r', 'x\ry\r'],
  [`\r${'a'.repeat(70_000)}\n`, 'x\ny\n'],
  ['a', 'x\ny\n'],
] as const) {
  test(`write into ${JSON.stringify(before.slice(0, 20))} keeps the line ends that its lines have`, async () => {
    using bed = openBed();
    const file = path.join(bed.workspace, 'f');
    writeFileSync(file, before);
    await using session = openSession(bed, { rules: ALLOW_ALL });
    dataOf(await session.call('write', { path: 'f', content: 'x\ny\n' }));
    assert.equal(readFileSync(file, 'utf8'), after);
  });
}

test('write creates parent folders, and leaves no temporary file', async () => {
  using bed = openBed();
  await using session = openSession(bed, { rules: ALLOW_ALL });
  dataOf(await session.call('write', { path: 'a/b/c/new.txt', content: 'text' }));
  assert.deepEqual(listFiles(bed), ['a/b/c/new.txt']);
  assert.deepEqual(readdirSync(path.join(bed.data, 'state', 'journal')), []);
});

test('write refuses a folder, and a binary file', async () => {
  using bed = openBed();
  mkdirSync(path.join(bed.workspace, 'folder'));
  writeFileSync(path.join(bed.workspace, 'binary'), Buffer.from([0, 1, 2]));
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const folder = errorOf(await session.call('write', { path: 'folder', content: '' }));
  const binary = errorOf(await session.call('write', { path: 'binary', content: '' }));
  const slash = errorOf(await session.call('write', { path: 'binary/', content: '' }));
  assert.match(folder, /is a folder/);
  assert.match(binary, /not a text file, so it was not changed\. If you must change it, use bash/);
  assert.match(slash, /is a folder path\. Add the file name/);
  assert.deepEqual(readFileSync(path.join(bed.workspace, 'binary')), Buffer.from([0, 1, 2]));
});

test('every tool reports a file that is too large, with what to do', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  writeFileSync(file, 'old');
  // A hole takes no room on the disk.
  truncateSync(file, 256 * 1024 * 1024 + 1);
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const edit = { path: 'f', old_string: 'old', new_string: 'new' };
  for (const [tool, input] of [
    ['edit', edit],
    ['write', { path: 'f', content: 'new' }],
  ] as const) {
    const error = errorOf(await session.call(tool, input));
    assert.match(error, /268435457 bytes; at most 268435456 .* edit it with bash/);
  }
  assert.equal(statSync(file).size, 268_435_457);
});

test('a file with a second name in the workspace stays one file', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  writeFileSync(file, 'old\n');
  linkSync(file, path.join(bed.workspace, 'second'));
  await using session = openSession(bed, { rules: ALLOW_ALL });
  dataOf(await session.call('edit', { path: 'f', old_string: 'old', new_string: 'new' }));
  assert.equal(readFileSync(path.join(bed.workspace, 'second'), 'utf8'), 'new\n');
  assert.equal(statSync(file).nlink, 2);
  assert.deepEqual(readdirSync(path.join(bed.data, 'state', 'journal')), []);
});

test('a file with a second name elsewhere is not written, and the error says why', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  writeFileSync(path.join(bed.outside, 'other'), 'old\n');
  linkSync(path.join(bed.outside, 'other'), file);
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const input = { path: 'f', old_string: 'old', new_string: 'new' };
  assert.match(errorOf(await session.call('edit', input)), /hard links/);
  assert.equal(readFileSync(path.join(bed.outside, 'other'), 'utf8'), 'old\n');
});

test('a file whose second name is protected is not written by the first', async () => {
  using bed = openBed();
  mkdirSync(path.join(bed.workspace, 'a/.vscode'), { recursive: true });
  const guarded = path.join(bed.workspace, 'a/.vscode/tasks.json');
  writeFileSync(guarded, 'old\n');
  linkSync(guarded, path.join(bed.workspace, 'f'));
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const input = { path: 'f', old_string: 'old', new_string: 'new' };
  assert.match(errorOf(await session.call('edit', input)), /hard links/);
  assert.equal(readFileSync(guarded, 'utf8'), 'old\n');
});

test('edit of a missing file is an error, and creates nothing', async () => {
  using bed = openBed();
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const input = { path: 'f', old_string: 'old', new_string: 'new' };
  assert.match(errorOf(await session.call('edit', input)), /does not exist/);
  assert.deepEqual(listFiles(bed), []);
});

test('edits of one path at the same time all arrive', async () => {
  using bed = openBed();
  const names = Array.from({ length: 20 }, (_, n) => `<${n}>`);
  writeFileSync(path.join(bed.workspace, 'f'), names.join('\n'));
  await using session = openSession(bed, { rules: ALLOW_ALL });
  await Promise.all(
    names.map(async (name) => {
      const input = {
        path: 'f',
        old_string: name,
        new_string: name.toUpperCase().replace('<', '['),
      };
      dataOf(await session.call('edit', input));
    }),
  );
  const text = readFileSync(path.join(bed.workspace, 'f'), 'utf8');
  assert.equal(text, names.map((name) => name.replace('<', '[')).join('\n'));
});

function splice(bytes: Buffer, old: Buffer, next: Buffer): Buffer {
  const at = bytes.indexOf(old);
  assert.ok(at >= 0);
  return Buffer.concat([bytes.subarray(0, at), next, bytes.subarray(at + old.length)]);
}

function listFiles({ workspace }: Bed): readonly string[] {
  return readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(workspace, path.join(entry.parentPath, entry.name)));
}
