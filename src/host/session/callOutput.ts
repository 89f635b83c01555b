import { RequestError } from '@agentclientprotocol/sdk';
import type { CallOutput, CallOutputQuery } from '../../acp/gatehouse/terminal.ts';
import { toRecord } from '../../base/json.ts';
import { dataText } from '../../base/stream/envelope.ts';
import { isToolPart, type StoredMessage, type StoredToolPart } from '../../base/stream/stored.ts';
import type { OpenHost } from './openHost.ts';

/** What a call of a session put out: its text, and the file with all of it when that was cut. */
export function callOutput({ services }: OpenHost, query: CallOutputQuery): CallOutput {
  const found = findOutput(services.recorder.messages(query.sessionId), query.toolCallId);
  if (found === undefined) throw RequestError.resourceNotFound(query.toolCallId);
  return found;
}

/** Undefined if the session has no such call. */
export function findOutput(
  messages: readonly StoredMessage[],
  toolCallId: string,
): CallOutput | undefined {
  const part = messages
    .flatMap(({ parts }) => parts)
    .findLast((each): each is StoredToolPart => isToolPart(each) && each.toolCallId === toolCallId);
  if (part === undefined) return undefined;
  const path = part.output?.metadata.output_path;
  return { text: getText(part), ...(path !== undefined && { path }) };
}

function getText({ output, display, hosted, errorText }: StoredToolPart): string {
  const content = display?.content ?? hosted?.['content'];
  const shown = (Array.isArray(content) ? content : []).flatMap((part) => toTexts(part));
  const data = output?.type === 'output' ? dataText(output.data) : output?.error_text;
  return data ?? (shown.length > 0 ? shown.join('\n') : (errorText ?? ''));
}

/** The text of a part of our own cards, or of a hosted agent's. */
function toTexts(part: unknown): readonly string[] {
  const { type, text, content } = toRecord(part);
  const found = type === 'content' ? toRecord(content)['text'] : text;
  return typeof found === 'string' ? [found] : [];
}
