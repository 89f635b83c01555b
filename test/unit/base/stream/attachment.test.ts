import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ATTACHED_TEXT_BYTES,
  ATTACHMENT_BYTES,
  type Attachment,
  findAttachmentFault,
  findImageFault,
  getAttachmentName,
  getAttachmentSize,
} from '../../../../src/base/stream/attachment.ts';

const TEXT = { kind: 'text', uri: 'file:///w/a.ts', text: 'x' } as const;
const IMAGE = { kind: 'image', base64: 'AAAA', mediaType: 'image/png' } as const;

const NAMES: readonly (readonly [Attachment, string])[] = [
  [TEXT, 'a.ts'],
  [{ ...TEXT, uri: 'file:///w/my%20file.ts?v=2#L3:9' }, 'my file.ts#L3:9'],
  [{ ...TEXT, uri: 'file:///w/src/' }, 'src'],
  [{ ...TEXT, uri: 'file:///w/100%.ts' }, '100%.ts'],
  [{ ...TEXT, uri: 'untitled:Untitled-1' }, 'untitled:Untitled-1'],
  [{ ...TEXT, uri: '' }, ''],
  [IMAGE, 'image'],
  [{ ...IMAGE, uri: 'file:///w/shot.png' }, 'shot.png'],
  [{ kind: 'link', uri: 'https://a.example/x', name: 'x' }, 'x'],
  [{ kind: 'link', uri: 'https://a.example/x', name: 'x', title: 'The X' }, 'The X'],
  [{ kind: 'unknown', value: 1 }, 'file'],
];
for (const [attachment, name] of NAMES) {
  test(`the name of ${JSON.stringify(attachment)} is ${name}`, () => {
    assert.equal(getAttachmentName(attachment), name);
  });
}

test('sizes count bytes, not characters', () => {
  const sizes = ['', 'AA==', 'AAA=', 'AAAA'].map((base64) =>
    getAttachmentSize({ ...IMAGE, base64 }),
  );
  assert.deepEqual(sizes, [0, 1, 2, 3]);
  assert.equal(getAttachmentSize({ ...TEXT, text: 'ä🐢' }), 6);
});

test('attachments up to the limit are accepted, and one byte more is not', () => {
  const text = (bytes: number) => findAttachmentFault({ ...TEXT, text: 'x'.repeat(bytes) });
  const image = (bytes: number) =>
    findAttachmentFault({ ...IMAGE, base64: Buffer.alloc(bytes).toString('base64') });
  assert.equal(text(ATTACHED_TEXT_BYTES), undefined);
  assert.equal(image(ATTACHMENT_BYTES), undefined);
  assert.match(text(ATTACHED_TEXT_BYTES + 1) ?? '', /a\.ts is larger than 1 MB/);
  assert.match(image(ATTACHMENT_BYTES + 1) ?? '', /image is larger than 10 MB/);
  assert.equal(findAttachmentFault({ kind: 'link', uri: 'x', name: 'x', size: 1e12 }), undefined);
});

test('what becomes text has the limit of a text, whatever it is attached as', () => {
  const large = Buffer.alloc(ATTACHED_TEXT_BYTES + 1).toString('base64');
  const most = Buffer.alloc(ATTACHED_TEXT_BYTES).toString('base64');
  for (const mediaType of ['image/svg+xml', 'IMAGE/SVG+XML', 'text/csv', 'application/json']) {
    const blob = { kind: 'blob', uri: 'file:///w/big', mediaType } as const;
    assert.match(findAttachmentFault({ ...blob, base64: large }) ?? '', /larger than 1 MB/);
    assert.equal(findAttachmentFault({ ...blob, base64: most }), undefined);
    const image = { ...IMAGE, mediaType };
    assert.match(findAttachmentFault({ ...image, base64: large }) ?? '', /larger than 1 MB/);
  }
  assert.equal(
    findAttachmentFault({ kind: 'blob', uri: 'file:///w/a.bin', base64: large }),
    undefined,
  );
});

test('an image that no model accepts has a fault that says what to do', () => {
  const shot = { ...IMAGE, uri: 'file:///w/shot.bmp' };
  assert.equal(
    findImageFault({ ...shot, mediaType: 'image/bmp' }),
    'Models accept no images of type image/bmp. Save shot.bmp as PNG or JPEG and attach that.',
  );
  for (const mediaType of ['image/PNG', 'image/jpg', 'image/svg+xml']) {
    assert.equal(findImageFault({ ...shot, mediaType }), undefined);
  }
  assert.equal(findImageFault(TEXT), undefined);
});

test('invalid Base64 and unknown kinds are rejected', () => {
  for (const base64 of ['data:image/png;base64,AAAA', 'AA\nAA', 'AAAA=A', 'ä']) {
    assert.match(findAttachmentFault({ ...IMAGE, base64 }) ?? '', /not valid Base64/);
  }
  assert.match(findAttachmentFault({ kind: 'unknown', value: {} }) ?? '', /unknown type/);
});

test('an image without bytes and Base64 that ends within a byte are refused', () => {
  const image = (base64: string) => findAttachmentFault({ ...IMAGE, base64 }) ?? '';
  assert.match(image(''), /image is empty/);
  assert.match(image('AAAAA'), /not valid Base64/);
  assert.match(image('AAA=='), /not valid Base64/);
  assert.equal(image('AAAAAA'), '', 'padding may be left out');
  assert.equal(
    findAttachmentFault({ kind: 'blob', uri: 'file:///w/empty', base64: '' }),
    undefined,
  );
});
