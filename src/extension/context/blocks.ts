import type { ContentBlock } from '@agentclientprotocol/sdk';
import { ATTACHED_TEXT_BYTES } from '../../base/stream/attachment.ts';

/** Lines of a file, 1-based and inclusive. */
export interface Lines {
  readonly from: number;
  readonly to: number;
}

/** `app.ts:10–42`. */
export function toLinesLabel(name: string, { from, to }: Lines): string {
  return from === to ? `${name}:${from}` : `${name}:${from}–${to}`;
}

/** A file or folder, which the agent reads itself if it needs to. */
export function toLink(uri: string, name: string): ContentBlock {
  return { type: 'resource_link', uri, name };
}

/** Lines of a file with their text. */
export function toLinesBlock(uri: string, { from, to }: Lines, text: string): ContentBlock {
  const lines = from === to ? `L${from}` : `L${from}-${to}`;
  return { type: 'resource', resource: { uri: `${uri}#${lines}`, text } };
}

/** A text that is in no file, such as the output of a command. Only its end is kept if it is long. */
export function toTextBlock(name: string, text: string, mimeType = 'text/plain'): ContentBlock {
  return {
    type: 'resource',
    resource: { uri: toContextUri(name), text: keepEnd(text), mimeType },
  };
}

export function toImageBlock(name: string, mimeType: string, base64: string): ContentBlock {
  return { type: 'image', mimeType, data: base64, uri: toContextUri(name) };
}

/** Names what has no address of its own. */
function toContextUri(name: string): string {
  return `gatehouse-context:/${encodeURIComponent(name)}`;
}

function keepEnd(text: string): string {
  // At most three bytes for each UTF-16 unit.
  const most = Math.floor(ATTACHED_TEXT_BYTES / 3) - 1;
  return text.length <= most ? text : `…${text.slice(-most)}`;
}
