import { getAttachmentName } from '../../base/stream/attachment.ts';
import { isToolBody, type PartBody } from '../../base/stream/fold.ts';
import type { HistoryMessage } from '../../base/stream/historyMessage.ts';

/** Characters of one call's arguments, its outcome and an attachment that a summary is made from. */
const INPUT = 1_000;
const OUTPUT = 1_500;
const ATTACHED = 4_000;

/**
 * The conversation as plain text, for a summary of it. Reasoning is left out, and what calls returned is
 * cut: what mattered of it is in the answers that follow.
 */
export function toPlainHistory(messages: readonly HistoryMessage[]): string {
  return messages
    .map(({ role, parts }) => {
      const lines = parts.map(toLine).filter((line) => line !== '');
      return lines.length === 0
        ? ''
        : `${role === 'user' ? 'User' : 'Assistant'}:\n${lines.join('\n')}`;
    })
    .filter((text) => text !== '')
    .join('\n\n');
}

function toLine(part: PartBody): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'file') {
    const { data } = part;
    if (data.kind === 'unknown') return '';
    const text = data.kind === 'text' ? `:\n${cut(data.text, ATTACHED)}` : '';
    return `[Attached ${getAttachmentName(data)}${text}]`;
  }
  if (!isToolBody(part)) return '';
  const input = cut(JSON.stringify(part.input ?? {}), INPUT);
  return `[Called ${part.toolName} ${input}\n${toOutcome(part)}]`;
}

function toOutcome({ output, errorText }: Extract<PartBody, { toolCallId: string }>): string {
  if (output === undefined) return errorText === undefined ? 'No result.' : `Failed: ${errorText}`;
  if (output.type === 'error') return `Failed: ${cut(output.error_text, OUTPUT)}`;
  const { data } = output;
  return `Returned: ${cut(typeof data === 'string' ? data : JSON.stringify(data), OUTPUT)}`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}
