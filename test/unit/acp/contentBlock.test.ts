import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { toContentBlock } from '../../../src/acp/contentBlock.ts';
import { findPromptFault, isRetry, toPromptParts } from '../../../src/acp/prompt.ts';
import { parseAttachment, toAttachmentJson } from '../../../src/recorder/attachmentRow.ts';
import { anyBlock } from './blocks.ts';

test('a block is read back from its row as it was sent', () => {
  fc.assert(
    fc.property(anyBlock, (block) => {
      const [part] = toPromptParts([block]);
      assert.ok(part?.type === 'file');
      const row: unknown = JSON.parse(JSON.stringify(toAttachmentJson(part.data)));
      assert.deepEqual(parseAttachment(row), part.data);
      assert.deepEqual(toContentBlock(parseAttachment(row)), block);
    }),
  );
});

test('a row of an earlier version, which holds the whole block, is read as the same attachment', () => {
  fc.assert(
    fc.property(anyBlock, (block) => {
      const [part] = toPromptParts([block]);
      assert.ok(part?.type === 'file');
      assert.deepEqual(parseAttachment(JSON.parse(JSON.stringify(block))), part.data);
    }),
  );
});

test('the keys of a row are snake_case', () => {
  fc.assert(
    fc.property(anyBlock, (block) => {
      const [part] = toPromptParts([block]);
      assert.ok(part?.type === 'file');
      for (const key of Object.keys(toAttachmentJson(part.data))) assert.match(key, /^[a-z0-9_]+$/);
    }),
  );
});

test('a null is an absent field', () => {
  const block: ContentBlock = {
    type: 'resource_link',
    uri: 'file:///w/a.ts',
    name: 'a.ts',
    mimeType: null,
    size: null,
    annotations: null,
    _meta: null,
  };
  const [part] = toPromptParts([block]);
  assert.deepEqual(part, {
    type: 'file',
    data: { kind: 'link', uri: 'file:///w/a.ts', name: 'a.ts' },
  });
});

test('an unreadable row is kept, and sent to no client', () => {
  for (const value of [
    undefined,
    'text',
    { kind: 'hologram' },
    { type: 'image' },
    { kind: 'text' },
  ]) {
    const attachment = parseAttachment(value);
    assert.deepEqual(attachment, { kind: 'unknown', value });
    assert.equal(toContentBlock(attachment), undefined);
  }
});

test('a prompt is refused for the first attachment that cannot be accepted', () => {
  const text: ContentBlock = { type: 'text', text: 'x'.repeat(3_000_000) };
  const image: ContentBlock = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
  assert.equal(findPromptFault([text, image]), undefined);
  assert.match(findPromptFault([text, { ...image, data: '?' }]) ?? '', /not valid Base64/);
});

test('the same words with the same attachment are a retry, also of an older row', () => {
  const block: ContentBlock = { type: 'image', mimeType: 'image/png', data: 'AAAA' };
  const retried = (data: string) =>
    isRetry(
      [
        {
          id: 'msg_1',
          sessionId: 'ses_1',
          role: 'user',
          metadata: {},
          createdAt: 0,
          parts: [{ id: 'prt_1', type: 'file', data: parseAttachment(block) }],
        },
      ],
      toPromptParts([{ ...block, data }]),
    );
  assert.deepEqual([retried('AAAA'), retried('BBBB')], [true, false]);
});
