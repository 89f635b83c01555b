import path from 'node:path';
import { fieldAt } from '../base/json.ts';
import type { ToolDisplay } from '../base/stream/chunk.ts';
import { dataText } from '../base/stream/envelope.ts';
import { KB } from '../base/units.ts';
import type { Preview } from '../gate/preview.ts';
import { resolvePath } from '../permissions/patterns/paths.ts';
import type { PolicyFolders } from '../permissions/rules/policy.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import { cutText } from '../runtime/text.ts';
import type { Tool } from './contract.ts';
import { diffContent } from './hunks.ts';

/** What a person sees of a call before it runs. */
export function describeCall(
  tool: Tool,
  input: unknown,
  subjects: readonly Subject[],
  folders: Pick<PolicyFolders, 'cwd'>,
): ToolDisplay {
  const locations = locate(subjects, input, folders);
  return {
    title: toOneLine(tool.title?.(input) ?? '') || tool.id,
    kind: tool.kind,
    ...(locations.length > 0 && { locations }),
  };
}

/** A model writes parts of a title: no more than a line of it, and nothing that hides or turns text. */
function toOneLine(title: string): string {
  const line = title
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd');
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH).toWellFormed()}…`;
}

const TITLE_LENGTH = 300;

export function describePreview(preview: Preview): ToolDisplay {
  const { path: file, oldText, newText } = preview;
  return { locations: [{ path: file }], content: diffContent(file, oldText, newText) };
}

/** The text a card shows of a result that showed nothing while it ran. */
export function describeResult(shown: ToolDisplay, data: unknown): ToolDisplay {
  if (shown.content !== undefined) return {};
  const text = textOf(data);
  if (text === undefined || text === '') return {};
  const head = cutText(text, CARD_BYTES);
  return { content: [{ type: 'text', text: head === text ? text : `${head}\n…` }] };
}

/** A card is a glance; the whole is in the tool's output. */
const CARD_BYTES = 8 * KB;

function textOf(data: unknown): string | undefined {
  const text = dataText(data);
  if (text !== undefined) return text;
  for (const key of ['entries', 'matches', 'results', 'answers']) {
    const value = fieldAt(data, key);
    if (!Array.isArray(value)) continue;
    return value.length === 0 ? 'Nothing was found.' : value.map(toLine).join('\n');
  }
  return undefined;
}

/** One entry of a list: a path, a match, a page that was found, the answers to one question. */
function toLine(entry: unknown): string {
  if (typeof entry === 'string') return entry;
  if (Array.isArray(entry)) return entry.length === 0 ? '(skipped)' : entry.join(', ');
  const { path: file, line, text, title, url } = Object(entry);
  return file === undefined ? `${title}\n${url}\n` : `${file}:${line}: ${text}`;
}

function locate(subjects: readonly Subject[], input: unknown, { cwd }: Pick<PolicyFolders, 'cwd'>) {
  const files = new Set<string>();
  for (const { match, target } of subjects) {
    if (match !== 'path') continue;
    const resolved = resolvePath(target, { cwd, platform: process.platform });
    if (resolved.ok) files.add(path.normalize(resolved.path));
  }
  const offset = fieldAt(input, 'offset');
  const line = typeof offset === 'number' && offset > 0 ? { line: offset } : {};
  return [...files].map((file) => ({ path: file, ...line }));
}
