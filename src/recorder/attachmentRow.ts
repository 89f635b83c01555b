import { toRecord } from '../base/json.ts';
import type { Attachment, Json } from '../base/stream/attachment.ts';
import { parseContentBlock, toExtras, toLinkFields, toType } from '../base/stream/contentBlock.ts';

/** Converts an attachment to the JSON of its row, with snake_case keys (spec CS-71). */
export function toAttachmentJson(attachment: Attachment): Json {
  if (attachment.kind === 'unknown') return toRecord(attachment.value);
  const { mediaType, resourceMeta, ...same } = { mediaType: undefined, ...attachment };
  return { ...same, media_type: mediaType, resource_meta: resourceMeta };
}

/** Parses a row's JSON. Earlier versions stored the complete content block instead. */
export function parseAttachment(value: unknown): Attachment {
  return parseOwn(toRecord(value)) ?? parseContentBlock(value) ?? { kind: 'unknown', value };
}

function parseOwn(row: Json): Attachment | undefined {
  const { kind, uri, text, base64, name } = row;
  const mediaType = row['media_type'];
  const extras = toExtras(row['annotations'], row['meta'], row['resource_meta']);
  const type = toType(mediaType);
  switch (kind) {
    case 'text':
      if (typeof uri !== 'string' || typeof text !== 'string') return undefined;
      return { kind, uri, text, ...type, ...extras };
    case 'blob':
      if (typeof uri !== 'string' || typeof base64 !== 'string') return undefined;
      return { kind, uri, base64, ...type, ...extras };
    case 'image':
    case 'audio': {
      if (typeof base64 !== 'string' || typeof mediaType !== 'string') return undefined;
      if (kind === 'audio') return { kind, base64, mediaType, ...extras };
      return { kind, base64, mediaType, ...(typeof uri === 'string' && { uri }), ...extras };
    }
    case 'link':
      if (typeof uri !== 'string' || typeof name !== 'string') return undefined;
      return { kind, uri, name, ...toLinkFields(row), ...type, ...extras };
    default:
      return undefined;
  }
}
