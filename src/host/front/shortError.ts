import type { AnyMessage } from '@agentclientprotocol/sdk';
import { ERROR_BYTES, toErrorText } from '../../base/text/boundedText.ts';
import { KB } from '../../base/units.ts';

/** Bytes kept of an error's message, and of each name and text in its data. */
const MESSAGE_BYTES = KB;
const NAME_BYTES = 64;
const TEXT_BYTES = 128;

/** Fields kept of the data. */
const FIELDS = 4;

/**
 * The message with its error cut to 2 KB. Errors quote what the client sent, such as an id of several
 * megabytes, and clients show and log them.
 */
export function withShortError(message: AnyMessage): AnyMessage {
  if (!('error' in message) || message.error === undefined) return message;
  const { code, message: text, data } = message.error;
  if (Buffer.byteLength(JSON.stringify(message.error)) <= ERROR_BYTES) return message;
  const error = { code, message: toErrorText(text, MESSAGE_BYTES), ...shortData(data) };
  return { ...message, error };
}

function shortData(data: unknown): { readonly data?: unknown } {
  if (typeof data === 'string') return { data: toErrorText(data, TEXT_BYTES) };
  if (typeof data !== 'object' || data === null) return {};
  const kept = Object.entries(data).flatMap(([name, value]) => {
    if (typeof value === 'object') return [];
    const short = typeof value === 'string' ? toErrorText(value, TEXT_BYTES) : value;
    return [[toErrorText(name, NAME_BYTES), short] as const];
  });
  return { data: Object.fromEntries(kept.slice(0, FIELDS)) };
}
