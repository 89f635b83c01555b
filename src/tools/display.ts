import { fieldAt } from '../base/json.ts';
import type { ToolDisplay } from '../base/stream/chunk.ts';
import { dataText } from '../base/stream/envelope.ts';
import { KB } from '../base/units.ts';
import type { FileChange } from '../diff/fileChange.ts';
import type { Preview } from '../gate/preview.ts';
import type { Decision } from '../permissions/rules/policy.ts';
import { cutText } from '../runtime/text.ts';
import { diffContent, documentContent } from './hunks.ts';

export function describePreview(preview: Preview): ToolDisplay {
  const { changes } = preview;
  const content = changes.slice(0, SHOWN_FILES).flatMap(toContent);
  const more = changes.length - SHOWN_FILES;
  const files = changes.filter(({ document }) => !document);
  return {
    ...(files.length > 0 && { locations: files.map(({ path: file }) => ({ path: file })) }),
    content: more > 0 ? [...content, { type: 'text', text: `… and ${more} more files.` }] : content,
  };
}

function toContent({ path: file, oldText, newText, document }: FileChange) {
  if (document) return documentContent(file, newText ?? '');
  return diffContent(file, oldText, newText);
}

/** The most files of a proposal that a card shows; ACP lines are limited to 32 MiB. */
const SHOWN_FILES = 40;

/** The card text of a result, if the call published no content while it ran. */
export function describeResult(shown: ToolDisplay, data: unknown): ToolDisplay {
  if (shown.content !== undefined) return {};
  const text = getText(data);
  if (text === undefined || text === '') return {};
  const head = cutText(text, CARD_BYTES);
  return { content: [{ type: 'text', text: head === text ? text : `${head}\n…` }] };
}

/** Cards show only a summary; the tool's output has the whole. */
const CARD_BYTES = 8 * KB;

function getText(data: unknown): string | undefined {
  const text = dataText(data);
  if (text !== undefined) return text;
  for (const key of ['entries', 'matches', 'results', 'answers']) {
    const value = fieldAt(data, key);
    if (!Array.isArray(value)) continue;
    return value.length === 0 ? 'No results.' : value.map(toLine).join('\n');
  }
  return undefined;
}

/** One entry of a list: a path, a match, a search result, or the answers to one question. */
function toLine(entry: unknown): string {
  if (typeof entry === 'string') return entry;
  if (Array.isArray(entry)) return entry.length === 0 ? '(skipped)' : entry.join(', ');
  const { path: file, line, text, title, url, id, description } = Object(entry);
  if (id !== undefined) return `${id}: ${String(description).split('\n', 1)[0]}`;
  return file === undefined ? `${title}\n${url}\n` : `${file}:${line}: ${text}`;
}

/** The rules that allowed a call, or the user who was asked. */
export function whyAllowed(decided: Decision): Pick<ToolDisplay, 'rule' | 'rules' | 'layer'> {
  const { decision, rule, layer, subjects } = decided;
  if (decision === 'ask') return { layer: 'user' };
  if (decision !== 'allow' || rule === undefined) return {};
  const rules = [...new Set(subjects.flatMap((subject) => subject.rule ?? []))];
  return { rule, ...(rules.length > 1 && { rules }), layer };
}
