import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ALLOW_ALL, openBed } from '../bed.ts';
import { dataOf, errorOf, openSession } from '../session.ts';

const LINES = Array.from({ length: 50_000 }, (_, n) => `line ${n + 1}`).join('\n');
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000001000000008000', 'hex');
const NOTEBOOK = JSON.stringify({
  cells: [
    { cell_type: 'markdown', id: 'm1', source: ['# Title\n', 'text'] },
    {
      cell_type: 'code',
      source: 'print(1)',
      outputs: [
        { output_type: 'stream', text: ['1\n'] },
        { output_type: 'display_data', data: { 'image/png': 'iVBOR' } },
        { output_type: 'error', ename: 'NameError', evalue: 'x' },
      ],
    },
  ],
});

check('lines with numbers', 'a\nb\n', {}, /^ {5}1\ta\n {5}2\tb$/);
check('a file without a final newline', 'a\nb', {}, /^ {5}1\ta\n {5}2\tb$/);
check('an empty file', '', {}, /^$/);
check('Windows line ends without their CR', 'a\r\nb\r\n', {}, /^ {5}1\ta\n {5}2\tb$/);
check('lines that end with a CR alone', 'a\rb\r', {}, /^ {5}1\ta\n {5}2\tb$/);
check('one of them', 'a\rb\rc', { offset: 2, limit: 1 }, /^ {5}2\tb$/);
check('the lines asked for', LINES, { offset: 10, limit: 2 }, /^ {4}10\tline 10\n {4}11\tline 11$/);
check('the bytes asked for', 'abcdefgh', { byte_offset: 2, byte_limit: 3 }, /^cde$/);
check('what an image is', PNG, {}, /PNG image, 256 × 128 pixels, 25 bytes/);
check('text that begins like an image', 'Convert WEBP', {}, /^ {5}1\tConvert WEBP$/);
check('text that names an image', 'GIF89a is old', {}, /^ {5}1\tGIF89a is old$/);
check('what a GIF is', Buffer.from('GIF89a\x02\0\x03\0\0'), {}, /GIF image, 2 × 3 pixels/);
check('what a WebP is', Buffer.from('RIFF\x1a\0\0\0WEBPVP8'), {}, /WebP image, 15 bytes/);
check('what a PDF is, of letters alone', '%PDF-1.4\n%%EOF', {}, /PDF document, 14 bytes/);
check('what another binary file is', Buffer.from([1, 0, 2]), {}, /binary file, 3 bytes/);
check('what an image is, by bytes too', PNG, { byte_offset: 1 }, /PNG image, 256 × 128 pixels/);
check('whole characters alone', '😀é', { byte_offset: 1, byte_limit: 3 }, /^é$/);
check('a character that is larger than the range', '😀é', { byte_limit: 2 }, /^😀$/);
check('UTF-16 by the bytes of its text', utf16('aé\nb'), { byte_offset: 1, byte_limit: 2 }, /^é$/);
check('a text behind its byte order mark', '\ufeffabc', { byte_offset: 0, byte_limit: 2 }, /^ab$/);
check('UTF-32 as text', Buffer.from('fffe0000e90000000a000000', 'hex'), {}, /^ {5}1\té$/);
check(
  'UTF-16 that lacks half of its end',
  Buffer.from('fffe610062', 'hex'),
  {},
  /^ {5}1\ta\ufffd$/,
);
check('UTF-16 as text', Buffer.from('\ufeffé\n', 'utf16le'), {}, /^ {5}1\té$/);

function check(name: string, content: string | Buffer, range: object, expected: RegExp) {
  test(`read shows ${name}`, async () => {
    using bed = openBed();
    writeFileSync(path.join(bed.workspace, 'f'), content);
    await using session = openSession(bed, { rules: ALLOW_ALL });
    const data = dataOf(await session.call('read', { path: 'f', ...range }));
    assert.match(String(data['content']), expected);
  });
}

function utf16(text: string): Buffer {
  return Buffer.from(`\ufeff${text}`, 'utf16le');
}

test('every byte range goes on where the one before says, and no character is lost', async () => {
  using bed = openBed();
  const text = 'aé€😀'.repeat(50);
  writeFileSync(path.join(bed.workspace, 'f'), text);
  await using session = openSession(bed, { rules: ALLOW_ALL });
  for (const byte_limit of [1, 2, 3, 4, 7]) {
    let seen = '';
    for (let byte_offset: number | undefined = 0; byte_offset !== undefined; ) {
      const data = dataOf(await session.call('read', { path: 'f', byte_offset, byte_limit }));
      seen += String(data['content']);
      const next = /Continue at (\d+)/.exec(String(data['note']))?.[1];
      byte_offset = next === undefined ? undefined : Number(next);
    }
    assert.equal(seen, text);
  }
});

test('a range of a file that is too large to be read whole keeps its characters', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  writeFileSync(file, 'aé😀b');
  // A hole takes no room on the disk.
  truncateSync(file, 256 * 1024 * 1024 + 1);
  writeFileSync(file, 'x'.repeat(9000), { flag: 'r+' });
  writeFileSync(file, 'aé😀b', { flag: 'r+' });
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const range = { path: 'f', byte_offset: 2, byte_limit: 5 };
  const data = dataOf(await session.call('read', range));
  assert.deepEqual([data['content'], data['total_bytes']], ['😀b', 268_435_457]);
  assert.match(String(data['note']), /^Bytes 3 to 8 of 268435457. Continue at 8.$/);
});

for (const range of [{}, { byte_offset: 0 }, { limit: 1 }]) {
  test(`text of no known encoding is said to be so: ${JSON.stringify(range)}`, async () => {
    using bed = openBed();
    writeFileSync(
      path.join(bed.workspace, 'f'),
      Buffer.from('Gr\xf6\xdfe\n'.repeat(50_000), 'latin1'),
    );
    await using session = openSession(bed, { rules: ALLOW_ALL });
    const envelope = await session.call('read', { path: 'f', ...range });
    assert.match(
      String(dataOf(envelope)['note']),
      /not UTF-8.* Ask the user to set files.encoding/,
    );
    const cut = !('limit' in range) && !('byte_offset' in range);
    assert.equal(envelope.metadata.truncated, cut ? true : undefined);
  });
}

test('a notebook comes as its cells', async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'n.ipynb'), NOTEBOOK);
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const { content } = dataOf(await session.call('read', { path: 'n.ipynb' }));
  const text = String(content).replaceAll(/^ *\d+\t/gm, '');
  assert.equal(
    text,
    `--- cell 1: markdown (id m1) ---
# Title
text

--- cell 2: code ---
print(1)
--- output ---
1

--- output: image/png, not shown ---
--- error ---
NameError: x`,
  );
});

test('over the limit come whole lines, the size, and the file itself as the place of the rest', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  writeFileSync(file, LINES);
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const envelope = await session.call('read', { path: 'f' });
  const data = dataOf(envelope);
  assert.deepEqual(envelope.metadata.truncated, true);
  assert.equal(envelope.metadata.output_path, file);
  assert.equal(data['total_bytes'], Buffer.byteLength(LINES));
  assert.equal(data['total_lines'], 50_000);
  const head = String(data['head']);
  assert.ok(Buffer.byteLength(head) <= 204_800);
  const next = Number(/Continue with offset (\d+)/.exec(String(data['note']))?.[1]);
  assert.equal(head.split('\n').length, next - 1);
});

test('every line is reached by going on where the note says', async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'f'), LINES);
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const seen: string[] = [];
  for (let offset: number | undefined = 1; offset !== undefined; ) {
    const data = dataOf(await session.call('read', { path: 'f', offset }));
    seen.push(...String(data['head'] ?? data['content']).split('\n'));
    const next = /Continue with offset (\d+)/.exec(String(data['note']))?.[1];
    offset = next === undefined ? undefined : Number(next);
  }
  assert.equal(seen.map((line) => line.replace(/^ *\d+\t/, '')).join('\n'), LINES);
});

test('a line that is longer than the limit is reached by bytes', async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'f'), `short\n${'é'.repeat(200_000)}\n`);
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const data = dataOf(await session.call('read', { path: 'f', offset: 2 }));
  assert.match(String(data['note']), /byte_offset 6/);
  assert.doesNotMatch(String(data['head']), /\ufffd/);
});

test('a line of a notebook that is longer than the limit names no place in the file', async () => {
  using bed = openBed();
  const cells = [{ cell_type: 'code', source: 'x'.repeat(300_000) }];
  writeFileSync(path.join(bed.workspace, 'n.ipynb'), JSON.stringify({ cells }));
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const data = dataOf(await session.call('read', { path: 'n.ipynb', offset: 2 }));
  assert.match(
    String(data['note']),
    /Line 2 alone .* source text of the notebook with byte_offset 0/,
  );
});

for (const [range, expected] of [
  [{ offset: 4 }, /has 3 lines; offset 4 is past/],
  [{ byte_offset: 100 }, /has 6 bytes; byte_offset 100 is past/],
  [{ offset: 0 }, /offset must be >= 1/],
] as const) {
  test(`read ${JSON.stringify(range)} of three lines is an error`, async () => {
    using bed = openBed();
    writeFileSync(path.join(bed.workspace, 'f'), 'a\nb\nc\n');
    await using session = openSession(bed, { rules: ALLOW_ALL });
    assert.match(errorOf(await session.call('read', { path: 'f', ...range })), expected);
  });
}

for (const [name, expected] of [
  ['missing', /does not exist. Use glob/],
  ['.', /is a folder. Use glob/],
] as const) {
  test(`read ${name} says what to do instead`, async () => {
    using bed = openBed();
    await using session = openSession(bed, { rules: ALLOW_ALL });
    assert.match(errorOf(await session.call('read', { path: name })), expected);
  });
}
