import { isRecord, toRecord } from '../json.ts';
import type { Extras, KnownAttachment, LinkAttachment } from './attachment.ts';

/**
 * Converts a content block of ACP or MCP to an attachment. Undefined for text and for anything
 * else.
 */
export function parseContentBlock(value: unknown): KnownAttachment | undefined {
  const block = toRecord(value);
  const { type, data, mimeType, uri, name } = block;
  const extras = toExtras(block['annotations'], block['_meta']);
  switch (type) {
    case 'image':
    case 'audio':
      if (typeof data !== 'string' || typeof mimeType !== 'string') return undefined;
      if (type === 'audio') return { kind: type, base64: data, mediaType: mimeType, ...extras };
      return {
        kind: type,
        base64: data,
        mediaType: mimeType,
        ...(typeof uri === 'string' && { uri }),
        ...extras,
      };
    case 'resource_link':
      if (typeof uri !== 'string' || typeof name !== 'string') return undefined;
      return { kind: 'link', uri, name, ...toLinkFields(block), ...toType(mimeType), ...extras };
    case 'resource':
      return parseResource(toRecord(block['resource']), extras);
    default:
      return undefined;
  }
}

function parseResource(
  resource: Readonly<Record<string, unknown>>,
  outer: Extras,
): KnownAttachment | undefined {
  const { uri, text, blob, mimeType } = resource;
  if (typeof uri !== 'string') return undefined;
  const extras = { ...outer, ...toExtras(undefined, undefined, resource['_meta']) };
  if (typeof text === 'string') return { kind: 'text', uri, text, ...toType(mimeType), ...extras };
  if (typeof blob !== 'string') return undefined;
  return { kind: 'blob', uri, base64: blob, ...toType(mimeType), ...extras };
}

export function toType(mediaType: unknown): { readonly mediaType?: string } {
  return typeof mediaType === 'string' ? { mediaType } : {};
}

/** The link fields that have the same name in a block and in a stored row. */
export function toLinkFields({
  title,
  description,
  size,
}: Readonly<Record<string, unknown>>): Pick<LinkAttachment, 'title' | 'description' | 'size'> {
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(typeof size === 'number' && { size }),
  };
}

/** Keeps only values that are objects. */
export function toExtras(annotations?: unknown, meta?: unknown, resourceMeta?: unknown): Extras {
  return {
    ...(isRecord(annotations) && { annotations }),
    ...(isRecord(meta) && { meta }),
    ...(isRecord(resourceMeta) && { resourceMeta }),
  };
}
