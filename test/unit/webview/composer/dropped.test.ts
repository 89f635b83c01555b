import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUriList, readDropped, toUriLabel } from '../../../../src/webview/composer/dropped.ts';

const image = { name: 'a.png', type: 'image/png' } as File;

const dropped = (data: Readonly<Record<string, string>>, files: readonly File[] = []) =>
  readDropped({
    getData: (type) => data[type] ?? '',
    files: files as unknown as FileList,
  });

test('files of the explorer are attached by their addresses', () => {
  const list = 'file:///work/a%20b.ts\r\nfile:///work/src\r\n';
  const expected = { uris: ['file:///work/a%20b.ts', 'file:///work/src'], images: [], text: '' };
  assert.deepEqual(dropped({ 'application/vnd.code.uri-list': list }), expected);
  assert.deepEqual(dropped({ 'text/uri-list': list }, [image]), expected);
});

test('comments of a list, web pages and other text are no files', () => {
  assert.deepEqual(parseUriList('# files\nhttps://example.com/\nhello\n'), []);
});

test('a text goes before the picture of it, which office programs copy too', () => {
  const cells = { 'text/plain': 'a\tb' };
  assert.deepEqual(dropped(cells, [image]), { uris: [], images: [], text: 'a\tb' });
  // A file that is copied in a file manager comes with its name.
  for (const name of ['a.png', '/home/me/a.png\n', 'file:///home/me/a.png']) {
    assert.deepEqual(dropped({ 'text/plain': name }, [image]).images, [image]);
  }
});

test('the address of a page is a text', () => {
  const page = 'https://example.com/';
  assert.deepEqual(dropped({ 'text/uri-list': page }), { uris: [], images: [], text: page });
});

test('an image without an address is attached with its bytes, other files are not', () => {
  const text = { name: 'a.txt', type: 'text/plain' } as File;
  assert.deepEqual(dropped({}, [image, text]), { uris: [], images: [image], text: '' });
});

test('the chip of an address shows the name at its end', () => {
  assert.equal(toUriLabel('file:///work/my%20notes.md'), 'my notes.md');
  assert.equal(toUriLabel('file:///work/src/'), 'src');
  assert.equal(toUriLabel('vscode-remote://host/a/b.ts?x=1#L3'), 'b.ts');
  assert.equal(toUriLabel('file:///work/100%.txt'), '100%.txt');
});
