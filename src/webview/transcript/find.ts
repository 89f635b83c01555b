import { isAnswered } from '../cards/format.ts';
import type { ChatItem, ToolItem } from '../messages/chatState.ts';
import type { SubagentStates } from '../messages/subagents.ts';
import type { Row } from './rows.ts';

/** The texts of an item that a reader can see or open, longest messages included. */
function getTexts(item: ChatItem): readonly string[] {
  switch (item.kind) {
    case 'tool':
      return getCallTexts(item);
    case 'error':
      return [item.text, item.detail ?? ''];
    default:
      return [item.text];
  }
}

function getCallTexts(item: ToolItem): readonly string[] {
  const { title, command = '', output, locations, diffs, questions = [] } = item;
  return [
    title,
    command,
    // The card shows the answers in place of it.
    isAnswered(item) ? '' : output,
    ...locations.map(({ label }) => label),
    ...diffs.flatMap(({ label, rows }) => [
      label,
      ...rows.flatMap((row) => (row.sign === 'gap' ? [] : row.text)),
    ]),
    ...questions.flatMap(({ question, answers = [] }) => [question, ...answers]),
  ];
}

/** Changed items are new objects, so only they are converted again while an answer grows. */
const lowered = new WeakMap<ChatItem, readonly string[]>();

function getLowered(item: ChatItem): readonly string[] {
  const known = lowered.get(item);
  if (known !== undefined) return known;
  const texts = getTexts(item).map((text) => text.toLowerCase());
  lowered.set(item, texts);
  return texts;
}

/**
 * Returns the indexes of the rows that contain a text, in order, ignoring case. The card of a task
 * holds what was loaded of its subagent.
 */
export function findRows(
  rows: readonly Row[],
  query: string,
  subagents: SubagentStates = {},
): readonly number[] {
  const wanted = query.toLowerCase();
  if (wanted === '') return [];
  const holds = (item: ChatItem): boolean =>
    getLowered(item).some((text) => text.includes(wanted)) ||
    listNested(item, subagents).some((each) =>
      getLowered(each).some((text) => text.includes(wanted)),
    );
  return rows.flatMap((row, index) => {
    const items = row.kind === 'item' ? [row.item] : row.items;
    return items.some(holds) ? [index] : [];
  });
}

/** What the subagent of a card and those below it did, as far as it is loaded; each once. */
function listNested(item: ChatItem, subagents: SubagentStates): readonly ChatItem[] {
  const ids = new Set(toSubagents([item]));
  for (const id of ids) for (const below of toSubagents(subagents[id]?.items ?? [])) ids.add(below);
  return [...ids].flatMap((id) => subagents[id]?.items ?? []);
}

function toSubagents(items: readonly ChatItem[]): readonly string[] {
  return items.flatMap((item) => (item.kind === 'tool' ? (item.subagent ?? []) : []));
}

/** The first places of a text in what is drawn. A place that spans elements is not found. */
export function findRanges(root: Node, query: string): readonly Range[] {
  const wanted = query.toLowerCase();
  const document = root.ownerDocument;
  if (wanted === '' || document === null) return [];
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const shown = node.nodeValue ?? '';
    const text = shown.toLowerCase();
    // Some letters, such as İ, become two, so places in the two texts would differ.
    if (text.length !== shown.length) continue;
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      if (ranges.push(range) >= MOST_RANGES) return ranges;
    }
  }
  return ranges;
}

/** Each range is kept up to date by the browser whenever the text changes. */
const MOST_RANGES = 5_000;
