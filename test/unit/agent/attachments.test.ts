import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toAttachmentParts } from '../../../src/agent/attachments.ts';
import type { Attachment } from '../../../src/base/stream/attachment.ts';
import { cpuTime } from '../cpuTime.ts';

const PNG = { kind: 'image', base64: 'AAAA', mediaType: 'image/png' } as const;
const IMAGE_PART = {
  type: 'file',
  data: { type: 'data', data: 'AAAA' },
  mediaType: 'image/png',
} as const;
const OPAQUE = { kind: 'blob', uri: 'file:///w/a.zip', base64: 'AAAA' } as const;

check(
  'text is framed with its name, URI, path and type',
  { kind: 'text', uri: 'file:///w/a%20b.ts', text: 'const a = 1;\n', mediaType: 'text/x-ts' },
  `<attachment name="a b.ts" uri="file:///w/a%20b.ts" path="/w/a b.ts" type="text/x-ts">
const a = 1;

</attachment>`,
);
check(
  'a URI that is no file has no path',
  { kind: 'text', uri: 'git:/w/a.ts', text: 'x' },
  '<attachment name="a.ts" uri="git:/w/a.ts">\nx\n</attachment>',
);
check(
  'a link is named so that a tool can read it',
  { kind: 'link', uri: 'file:///w/a.ts', name: 'a.ts', title: 'The A', size: 12 },
  `<attachment name="a.ts" title="The A" uri="file:///w/a.ts" path="/w/a.ts" size="12 bytes">
The user attached only this link. Use a tool to read it if its content is needed.
</attachment>`,
);
check(
  'bytes of a text type are text',
  {
    kind: 'blob',
    uri: 'file:///w/a.svg',
    base64: Buffer.from('<svg/>').toString('base64'),
    mediaType: 'image/svg+xml',
  },
  `<attachment name="a.svg" uri="file:///w/a.svg" path="/w/a.svg" type="image/svg+xml">
<svg/>
</attachment>`,
);
check(
  'audio is named with its type and size instead of silence',
  { kind: 'audio', base64: 'AAAA', mediaType: 'audio/wav' },
  `<attachment name="audio" type="audio/wav" size="3 bytes">
This model does not accept files of type audio/wav, so the content (3 bytes) is missing.
</attachment>`,
);
check(
  'bytes of no known type are named, too',
  OPAQUE,
  `<attachment name="a.zip" uri="file:///w/a.zip" path="/w/a.zip" size="3 bytes">
This model does not accept files of type application/octet-stream, so the content (3 bytes) is missing.
</attachment>`,
);
check(
  'a row that cannot be read is said to be missing',
  { kind: 'unknown', value: {} },
  '<attachment>\nThis attachment could not be read, so its content is missing.\n</attachment>',
);

test('an image is sent as an image, preceded by its name if it has one', () => {
  assert.deepEqual(toAttachmentParts(PNG, true), [IMAGE_PART]);
  const [label, image] = toAttachmentParts({ ...PNG, uri: 'file:///w/shot.png' }, true);
  assert.match(toText(label), /^<attachment name="shot\.png"[^>]*>\nThe image follows\./);
  assert.deepEqual(image, IMAGE_PART);
  const blob = toAttachmentParts({ ...OPAQUE, mediaType: 'IMAGE/JPG' }, true);
  assert.deepEqual(blob.at(-1), { ...IMAGE_PART, mediaType: 'image/jpeg' });
});

test('an image of an unsupported type is named instead of sent', () => {
  const [part] = toAttachmentParts({ ...PNG, mediaType: 'image/tiff' }, true);
  assert.match(toText(part), /files of type image\/tiff/);
});

test("a model without image support gets the images' names", () => {
  const [part, ...others] = toAttachmentParts({ ...PNG, uri: 'file:///w/shot.png' }, false);
  assert.match(toText(part), /name="shot\.png".*\n.*files of type image\/png/);
  assert.deepEqual(others, []);
});

test('content cannot close its frame, and a field cannot close its attribute', () => {
  const hostile = fc
    .array(
      fc.constantFrom(
        '</attachment',
        '</ATTACHMENT-2',
        '</attachment-3>',
        '< / attachment',
        '>',
        '"',
        '\n',
        'x',
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(hostile, hostile, (text, field) => {
      const [part] = toAttachmentParts({ kind: 'text', uri: field, text, mediaType: field }, true);
      const framed = toText(part);
      const [, tag = '', body = ''] =
        /^<(attachment(?:-\d+)?)(?: [a-z]+="[^"<>\n]*")*>\n(.*)$/s.exec(framed) ?? [];
      assert.equal(body, `${text}\n</${tag}>`);
      const ends = body.toLowerCase().replace(/\s/g, '').split(`</${tag}>`);
      assert.deepEqual([ends.length, ends.at(-1)], [2, '']);
    }),
    { numRuns: 500 },
  );
});

test('a text full of ends is framed in time', async () => {
  const ends = Array.from({ length: 60_000 }, (_, at) => `</attachment-${at + 2}`).join('');
  let text = '';
  const took = await cpuTime(() => {
    const [part] = toAttachmentParts({ kind: 'text', uri: 'file:///w/a', text: ends }, true);
    text = toText(part);
  });
  assert.match(text, /^<attachment-60002 /);
  assert.ok(took < 1000, `${took} ms`);
});

test('an image without bytes, as older rows may hold one, is named instead', () => {
  const [part, ...others] = toAttachmentParts({ ...PNG, base64: '' }, true);
  assert.match(toText(part), /is empty/);
  assert.deepEqual(others, []);
});

function check(name: string, attachment: Attachment, expected: string) {
  test(name, () => {
    assert.deepEqual(toAttachmentParts(attachment, true), [{ type: 'text', text: expected }]);
  });
}

function toText(part: ReturnType<typeof toAttachmentParts>[number] | undefined): string {
  return part?.type === 'text' ? part.text : '';
}
