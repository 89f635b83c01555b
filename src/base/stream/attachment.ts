import { MB } from '../units.ts';
import { isTextType, toModelImage } from './mediaTypes.ts';

/**
 * An attachment of a prompt. The recorder stores this shape, replay sends it to the client, and the
 * model's request is built from it.
 */
export type Attachment = KnownAttachment | UnknownAttachment;

export type KnownAttachment =
  | TextAttachment
  | BlobAttachment
  | ImageAttachment
  | AudioAttachment
  | LinkAttachment;

/** A file, or part of one, with its text. */
export interface TextAttachment extends Extras {
  readonly kind: 'text';
  readonly uri: string;
  readonly text: string;
  readonly mediaType?: string;
}

/** A file with its bytes in Base64. */
export interface BlobAttachment extends Extras {
  readonly kind: 'blob';
  readonly uri: string;
  readonly base64: string;
  readonly mediaType?: string;
}

export interface ImageAttachment extends Extras {
  readonly kind: 'image';
  readonly base64: string;
  readonly mediaType: string;
  readonly uri?: string;
}

export interface AudioAttachment extends Extras {
  readonly kind: 'audio';
  readonly base64: string;
  readonly mediaType: string;
}

/** A file or page without its content. */
export interface LinkAttachment extends Extras {
  readonly kind: 'link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mediaType?: string;
  /** Size in bytes, as stated by the client. */
  readonly size?: number;
}

/**
 * A stored row that this version cannot read. It is kept, and the model is told that its content is
 * missing.
 */
export interface UnknownAttachment {
  readonly kind: 'unknown';
  readonly value: unknown;
}

/** Additional fields of the client's block. Sent back unchanged, and never shown to the model. */
export interface Extras {
  readonly annotations?: Json;
  readonly meta?: Json;
  /** The `_meta` of the embedded resource inside its block. */
  readonly resourceMeta?: Json;
}

export type Json = Readonly<Record<string, unknown>>;

/** Limit in bytes for an attachment: images are sent again with every request of the session. */
export const ATTACHMENT_BYTES = 10 * MB;
/** Limit in bytes for an attachment that becomes text: all of it goes into the model's context. */
export const ATTACHED_TEXT_BYTES = MB;

/** Limit in bytes for a message of the protocol: room for an escaped file of 10 MB. */
export const MESSAGE_BYTES = 16 * MB;

/** Explains to the user why the attachment is not accepted; undefined when it is. */
export function findAttachmentFault(attachment: Attachment): string | undefined {
  if (attachment.kind === 'unknown') return 'An attachment has an unknown type. Remove it.';
  if (attachment.kind === 'link') return undefined;
  const name = getAttachmentName(attachment);
  if ('base64' in attachment && !isBase64(attachment.base64)) {
    return `The attachment ${name} is not valid Base64. Attach the file again.`;
  }
  // Providers refuse an image without bytes, and with it every later request of the session.
  if (attachment.kind === 'image' && attachment.base64 === '') {
    return `The attachment ${name} is empty. Remove it.`;
  }
  const limit = becomesText(attachment) ? ATTACHED_TEXT_BYTES : ATTACHMENT_BYTES;
  if (getAttachmentSize(attachment) <= limit) return undefined;
  return `The attachment ${name} is larger than ${limit / MB} MB. Attach a link to the file, or a part of it.`;
}

/** Explains why no model would see what the user attached as an image; undefined if models accept it. */
export function findImageFault(attachment: Attachment): string | undefined {
  if (attachment.kind !== 'image') return undefined;
  const { mediaType } = attachment;
  if (toModelImage(mediaType) !== undefined || isTextType(mediaType)) return undefined;
  const name = getAttachmentName(attachment);
  return `Models accept no images of type ${mediaType}. Save ${name} as PNG or JPEG and attach that.`;
}

function becomesText(attachment: Exclude<KnownAttachment, LinkAttachment>): boolean {
  if (attachment.kind === 'text') return true;
  return isTextType(attachment.mediaType ?? '');
}

/** Whole bytes; the padding may be left out. */
function isBase64(text: string): boolean {
  const bare = text.replace(/={1,2}$/, '');
  if (!/^[A-Za-z0-9+/]*$/.test(bare) || bare.length % 4 === 1) return false;
  return bare.length === text.length || text.length % 4 === 0;
}

/**
 * A short name for the user and the model: the last segment of the URI, or else the kind of file.
 */
export function getAttachmentName(attachment: Attachment): string {
  if (attachment.kind === 'link') return attachment.title ?? attachment.name;
  const uri = 'uri' in attachment ? attachment.uri : undefined;
  if (uri !== undefined) return getUriName(uri);
  return attachment.kind === 'unknown' ? 'file' : attachment.kind;
}

/** The last segment of a URI with its fragment: `a.ts#L3` for `file:///w/a.ts?x#L3`. */
function getUriName(uri: string): string {
  const [, path = '', fragment = ''] = /^([^?#]*)(?:\?[^#]*)?(#.*)?$/s.exec(uri) ?? [];
  const last = path.split('/').findLast((segment) => segment !== '');
  return last === undefined ? uri : `${decode(last)}${fragment}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The attached content's size in bytes. */
export function getAttachmentSize(attachment: Exclude<KnownAttachment, LinkAttachment>): number {
  if (attachment.kind === 'text') return new TextEncoder().encode(attachment.text).length;
  const { base64 } = attachment;
  const padding = base64.endsWith('==') ? 2 : Number(base64.endsWith('='));
  return Math.floor((base64.length * 3) / 4) - padding;
}
