import type { Attachment } from '../../base/stream/attachment.ts';
import { dataText } from '../../base/stream/envelope.ts';
import {
  isToolPart,
  type StoredMessage,
  type StoredPart,
  type StoredToolPart,
} from '../../base/stream/stored.ts';
import { readLines, readMessage } from '../messages.ts';
import type { RecorderStore } from '../recorder.ts';
import { textAt } from '../rows.ts';

/**
 * The session's rows as JSON lines (spec CS-97), a message with its parts at a time. They are what is
 * stored and nothing else: secrets are never stored.
 */
export function exportLines(store: RecorderStore, sessionId: string): Generator<string> {
  store.flush(sessionId);
  return readLines(store.database, sessionId);
}

/** The session's visible messages as Markdown, one at a time. For reading: it can't be imported. */
export function* exportMarkdown(store: RecorderStore, sessionId: string): Generator<string> {
  const { database } = store;
  store.flush(sessionId);
  const session = database.get(SESSION, sessionId);
  const title = session?.['title'];
  yield `# ${typeof title === 'string' ? title : 'Untitled session'}\n`;
  const ids = database.all(VISIBLE, sessionId).map((row) => textAt(row, 'id'));
  for (const id of ids) {
    const message = readMessage(database, sessionId, id);
    if (message !== undefined) yield toMarkdown(message);
  }
}

const SESSION =
  "SELECT json_extract(metadata_json, '$.title') AS title FROM chat_sessions WHERE id = ?";
const VISIBLE = `SELECT id FROM chat_messages WHERE session_id = ? AND role <> 'system'
  AND json_extract(metadata_json, '$.hidden_at') IS NULL ORDER BY rowid`;

function toMarkdown({ role, createdAt, parts }: StoredMessage): string {
  const heading = `\n## ${role === 'user' ? 'You' : 'Agent'} (${new Date(createdAt).toISOString()})\n`;
  const blocks = parts.map(toBlock).filter((block) => block !== '');
  return [heading, ...blocks].map((block) => `${block}\n`).join('');
}

function toBlock(part: StoredPart): string {
  if (isToolPart(part)) return toCallBlock(part);
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return part.text.replace(/^/gm, '> ');
    case 'file':
      return `Attached: ${toCode(toName(part.data))}`;
    default:
      return '';
  }
}

function toName(attachment: Attachment): string {
  return 'uri' in attachment && attachment.uri !== undefined ? attachment.uri : attachment.kind;
}

function toCallBlock({ toolName, state, input, output, errorText }: StoredToolPart): string {
  const blocks = [`### ${toCode(toolName)}: ${STATES[state] ?? state}\n`];
  if (input !== undefined) blocks.push(toFence(toText(input), 'json'));
  const data = output?.type === 'output' ? (dataText(output.data) ?? output.data) : undefined;
  const result = errorText ?? (output?.type === 'error' ? output.error_text : data);
  if (result !== undefined) {
    blocks.push(toFence(toText(result), typeof result === 'string' ? '' : 'json'));
  }
  return blocks.join('\n');
}

const STATES: Readonly<Record<string, string>> = {
  'output-available': 'completed',
  'output-error': 'failed',
  'output-denied': 'rejected',
};

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

function toCode(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1);
  return ticks.length === 1 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}

/** The fence is longer than any in the text. */
function toFence(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}\n`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
