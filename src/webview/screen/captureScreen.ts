import {
  isScreenAttribute,
  MOST_SCREEN_CHARACTERS,
  MOST_SCREEN_NODES,
  SCREEN_ATTRIBUTES,
  SCREEN_TAGS,
  type ScreenElement,
  type ScreenNode,
} from '../messages/screen.ts';

/** Pixels from the end that still count as the end. */
const NEAR = 32;

/**
 * Not kept: what is read by screen readers only or shown on hover, what the user writes, requests, and what an
 * agent was just doing.
 */
const LEFT_OUT = [
  ...['.hidden', '.message-actions', '.jump', '.find', '.activity', '.retry'],
  ...['.asks', '.request', '[data-ask]'],
  ...['.queue', '.composer-hint', '.suggestions', '.chips'],
].join();

/** They look the same as other elements, and mean nothing there. */
const STAND_INS: Readonly<Record<string, ScreenElement['tag']>> = {
  ...{ header: 'div', main: 'div', section: 'div', article: 'div', aside: 'div', footer: 'div' },
  ...{ button: 'span', textarea: 'div' },
};

/** What a page shows of the end of a session. */
export type Captured =
  /** The reader is elsewhere, or another screen is still in the way. */
  | 'later'
  /** There is nothing to keep, or more than may be kept. */
  | 'nothing'
  | readonly ScreenNode[];

/** Reads what is drawn under an element, without changing it. */
export function captureScreen(root: ParentNode): Captured {
  const chat = root.querySelector('.chat');
  const box = chat?.querySelector('.transcript');
  if (!chat || !box || chat.ownerDocument.querySelector('.kept') !== null) return 'later';
  if (box.querySelector('.row-box > .item') === null) return 'nothing';
  if (box.scrollHeight - box.scrollTop - box.clientHeight >= NEAR) return 'later';
  const counts = { nodes: 0, characters: 0 };
  const node = toNode(chat, counts);
  const { nodes, characters } = counts;
  if (nodes > MOST_SCREEN_NODES || characters > MOST_SCREEN_CHARACTERS) return 'nothing';
  return node === undefined ? 'nothing' : [node];
}

interface Counts {
  nodes: number;
  characters: number;
}

function toNode(node: Node, counts: Counts): ScreenNode | undefined {
  counts.nodes += 1;
  if (node instanceof Text) {
    counts.characters += node.data.length;
    return node.data;
  }
  if (!(node instanceof HTMLElement) || node.matches(LEFT_OUT)) return undefined;
  const name = node.localName;
  const tag = STAND_INS[name] ?? SCREEN_TAGS.find((each) => each === name);
  if (tag === undefined) return undefined;
  return { tag, attributes: toAttributes(node), children: toChildren(node, counts) };
}

function toChildren(element: HTMLElement, counts: Counts): readonly ScreenNode[] {
  if (element instanceof HTMLTextAreaElement) {
    return element.value === '' ? [element.placeholder] : [];
  }
  const shown = isContent(element) ? [...element.children].filter(isInView) : element.childNodes;
  const children: ScreenNode[] = [];
  for (const each of shown) {
    if (counts.nodes > MOST_SCREEN_NODES || counts.characters > MOST_SCREEN_CHARACTERS) break;
    const child = toNode(each, counts);
    if (child !== undefined) children.push(child);
  }
  return children;
}

function toAttributes(element: HTMLElement): ScreenElement['attributes'] {
  const attributes: Record<string, string> = {};
  for (const { name, value } of element.attributes) {
    if (isScreenAttribute(name) && SCREEN_ATTRIBUTES[name].test(value)) attributes[name] = value;
  }
  const add = (name: string) => {
    attributes['class'] = `${attributes['class'] ?? ''} ${name}`.trim();
  };
  if (element instanceof HTMLButtonElement) add('kept-button');
  if (element instanceof HTMLTextAreaElement) {
    add('kept-field');
    attributes['data-height'] = toPixels(element.offsetHeight);
  } else if (isContent(element)) {
    attributes['data-above'] = toPixels(toAbove(element));
    attributes['data-below'] = toPixels(Number.parseFloat(element.style.paddingBottom));
  } else if (element.scrollTop > 0 && !element.matches('.transcript')) {
    attributes['data-top'] = toPixels(element.scrollTop);
  }
  return attributes;
}

/** The element whose children are the rows of the transcript. */
function isContent(element: Element): boolean {
  return element.querySelector(':scope > .row-box') !== null && element.matches('.transcript > *');
}

/** How far the first row that is in view is below the begin of all rows. */
function toAbove(content: Element): number {
  const first = [...content.children].find(isInView);
  if (first === undefined) return 0;
  return first.getBoundingClientRect().top - content.getBoundingClientRect().top;
}

function isInView(row: Element): boolean {
  const box = row.closest('.transcript');
  if (box === null || row.querySelector(':scope > .activity') !== null) return false;
  return row.getBoundingClientRect().bottom > box.getBoundingClientRect().top;
}

function toPixels(value: number): string {
  return String(Math.round(100 * Math.max(0, value || 0)) / 100);
}
