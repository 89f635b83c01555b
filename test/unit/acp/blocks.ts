import type { ContentBlock } from '@agentclientprotocol/sdk';
import fc from 'fast-check';

const base64 = fc
  .uint8Array({ maxLength: 40 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));
const extras = {
  annotations: fc.record({ audience: fc.constant(['user' as const]), priority: fc.nat(9) }),
  _meta: fc.dictionary(fc.string(), fc.nat(), { noNullPrototype: true }),
};
const file = { uri: fc.webUrl(), mimeType: fc.constantFrom('text/x-c', 'application/pdf') };
const text = fc.record(
  { ...file, text: fc.string({ unit: 'binary' }), _meta: extras._meta },
  { requiredKeys: ['uri', 'text'] },
);
const blob = fc.record(
  { ...file, blob: base64, _meta: extras._meta },
  { requiredKeys: ['uri', 'blob'] },
);
const data = { data: base64, mimeType: fc.constantFrom('image/png', 'audio/wav') };

const blocks = fc.oneof(
  fc.record(
    { type: fc.constant('image' as const), ...data, uri: fc.webUrl(), ...extras },
    { requiredKeys: ['type', 'data', 'mimeType'] },
  ),
  fc.record(
    { type: fc.constant('audio' as const), ...data, ...extras },
    { requiredKeys: ['type', 'data', 'mimeType'] },
  ),
  fc.record(
    {
      type: fc.constant('resource_link' as const),
      ...file,
      name: fc.string(),
      title: fc.string(),
      description: fc.string(),
      size: fc.nat(),
      ...extras,
    },
    { requiredKeys: ['type', 'uri', 'name'] },
  ),
  fc.record(
    { type: fc.constant('resource' as const), resource: fc.oneof(text, blob), ...extras },
    { requiredKeys: ['type', 'resource'] },
  ),
);

/** Every content block except text, with and without its optional fields, as received. */
export const anyBlock: fc.Arbitrary<ContentBlock> = blocks.map((block) =>
  JSON.parse(JSON.stringify(block)),
);
