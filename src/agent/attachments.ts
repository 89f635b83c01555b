import { fileURLToPath } from 'node:url';
import {
  type Attachment,
  type AudioAttachment,
  type BlobAttachment,
  getAttachmentName,
  getAttachmentSize,
  type ImageAttachment,
  type LinkAttachment,
} from '../base/stream/attachment.ts';
import { isTextType, toModelImage } from '../base/stream/mediaTypes.ts';
import { frameText, toOneLine } from '../base/text/frame.ts';
import type { ModelMessage } from './model.ts';

export type UserPart = Extract<ModelMessage, { readonly role: 'user' }>['content'][number];

/**
 * Converts an attachment to message parts for the model. Text is framed; an image is sent as an
 * image; a link is named, so that a tool can read it. Anything that cannot be sent is named with
 * the reason. Nothing is dropped silently, and nothing is fetched.
 */
export function toAttachmentParts(attachment: Attachment, images: boolean): UserPart[] {
  switch (attachment.kind) {
    case 'text':
      return [frame(describeFile(attachment), attachment.text)];
    case 'link':
      return [frame(describeLink(attachment), LINK_NOTE)];
    case 'image':
    case 'blob':
    case 'audio':
      return toDataParts(attachment, images);
    case 'unknown':
      return [frame([], 'This attachment could not be read, so its content is missing.')];
  }
}

const LINK_NOTE =
  'The user attached only this link. Use a tool to read it if its content is needed.';

type DataAttachment = ImageAttachment | AudioAttachment | BlobAttachment;

function toDataParts(attachment: DataAttachment, images: boolean): UserPart[] {
  const mediaType = (attachment.mediaType ?? 'application/octet-stream').toLowerCase();
  const facts = describeFile(attachment);
  if (attachment.base64 === '') return [frame(facts, 'This file is empty.')];
  const image = images ? toModelImage(mediaType) : undefined;
  if (image !== undefined) {
    const data = { type: 'data' as const, data: attachment.base64 };
    const file: UserPart = { type: 'file', data, mediaType: image };
    return 'uri' in attachment ? [frame(facts, 'The image follows.'), file] : [file];
  }
  if (isTextType(mediaType)) {
    return [frame(facts, Buffer.from(attachment.base64, 'base64').toString('utf8'))];
  }
  const size = `${getAttachmentSize(attachment)} bytes`;
  const note = `This model does not accept files of type ${mediaType}, so the content (${size}) is missing.`;
  return [frame([...facts, ['size', size]], toOneLine(note))];
}

type Facts = readonly (readonly [name: string, value: string])[];

function describeFile(attachment: Exclude<Attachment, { readonly kind: 'unknown' }>): Facts {
  const uri = 'uri' in attachment ? attachment.uri : undefined;
  return [
    ['name', getAttachmentName(attachment)],
    ...describeUri(uri),
    ...(attachment.mediaType === undefined ? [] : [['type', attachment.mediaType] as const]),
  ];
}

function describeLink(link: LinkAttachment): Facts {
  return [
    ['name', link.name],
    ...(link.title === undefined ? [] : [['title', link.title] as const]),
    ...describeUri(link.uri),
    ...(link.description === undefined ? [] : [['description', link.description] as const]),
    ...(link.mediaType === undefined ? [] : [['type', link.mediaType] as const]),
    ...(link.size === undefined ? [] : [['size', `${link.size} bytes`] as const]),
  ];
}

/** File tools take paths, so a file URI is followed by its path. */
function describeUri(uri: string | undefined): Facts {
  if (uri === undefined) return [];
  const path = toPath(uri);
  return path === undefined
    ? [['uri', uri]]
    : [
        ['uri', uri],
        ['path', path],
      ];
}

function toPath(uri: string): string | undefined {
  if (!uri.startsWith('file:')) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

/** A file cannot close its frame and pass as the user's own words. */
function frame(facts: Facts, content: string): UserPart {
  return { type: 'text', text: frameText('attachment', facts, content) };
}
