import type { Annotations, ContentBlock } from '@agentclientprotocol/sdk';
import { isRecord } from '../base/json.ts';
import type { Attachment, BlobAttachment, TextAttachment } from '../base/stream/attachment.ts';

/** The content block as the client sent it. Undefined for a stored row that cannot be read. */
export function toContentBlock(attachment: Attachment): ContentBlock | undefined {
  switch (attachment.kind) {
    case 'image':
    case 'audio': {
      const { kind: type, base64: data, mediaType: mimeType } = attachment;
      const content = { data, mimeType, ...toOuter(attachment) };
      if (type === 'audio') return { type, ...content };
      return { type, ...content, ...(attachment.uri !== undefined && { uri: attachment.uri }) };
    }
    case 'link': {
      const { uri, name, title, description, size } = attachment;
      return {
        type: 'resource_link',
        uri,
        name,
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
        ...(size !== undefined && { size }),
        ...toMimeType(attachment),
        ...toOuter(attachment),
      };
    }
    case 'text':
    case 'blob':
      return { type: 'resource', resource: toResource(attachment), ...toOuter(attachment) };
    case 'unknown':
      return undefined;
  }
}

function toResource(attachment: TextAttachment | BlobAttachment) {
  const { uri, resourceMeta: _meta } = attachment;
  const same = { uri, ...toMimeType(attachment), ...(_meta && { _meta }) };
  if (attachment.kind === 'text') return { ...same, text: attachment.text };
  return { ...same, blob: attachment.base64 };
}

function toMimeType({ mediaType }: { readonly mediaType?: string }) {
  return mediaType === undefined ? {} : { mimeType: mediaType };
}

function toOuter({ annotations, meta: _meta }: Exclude<Attachment, { readonly kind: 'unknown' }>) {
  return { ...(isAnnotations(annotations) && { annotations }), ...(_meta && { _meta }) };
}

function isAnnotations(value: unknown): value is Annotations {
  if (!isRecord(value)) return false;
  const { audience, lastModified, priority } = value;
  return (
    (audience == null || Array.isArray(audience)) &&
    (lastModified == null || typeof lastModified === 'string') &&
    (priority == null || typeof priority === 'number')
  );
}
