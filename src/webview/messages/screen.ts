/**
 * The last screen of a session as data: what a page drew of the end of its transcript, which the next window shows
 * until it has the session. Pages make it, the extension keeps it on disk, and each side takes from it only what
 * is listed here: no links, identifiers, handlers, styles, fields or requests.
 */
export type ScreenNode = string | ScreenElement;

export interface ScreenElement {
  readonly tag: ScreenTag;
  readonly attributes: Readonly<Partial<Record<ScreenAttribute, string>>>;
  readonly children: readonly ScreenNode[];
}

export const SCREEN_TAGS = [
  ...['div', 'p', 'span', 'strong', 'em', 's', 'del', 'code', 'pre', 'a', 'bdi', 'ul', 'ol', 'li'],
  ...['blockquote', 'hr', 'br', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody'],
  ...['tr', 'th', 'td', 'figure', 'figcaption', 'details', 'summary', 'dl', 'dt', 'dd'],
] as const;
export type ScreenTag = (typeof SCREEN_TAGS)[number];

const NUMBER = /^\d{1,7}(?:\.\d{1,4})?$/;

/** The attributes that count, and which of their values. The script of the kept screen takes `data-*` for sizes. */
export const SCREEN_ATTRIBUTES = {
  class: /^[a-z0-9_ -]{1,200}$/i,
  dir: /^(?:auto|ltr|rtl)$/,
  open: /^$/,
  start: /^\d{1,9}$/,
  role: /^img$/,
  'aria-disabled': /^(?:true|false)$/,
  /** Pixels: of what is above and below the rows, of an element's height, and of what is scrolled out above. */
  'data-above': NUMBER,
  'data-below': NUMBER,
  'data-height': NUMBER,
  'data-top': NUMBER,
} as const;
export type ScreenAttribute = keyof typeof SCREEN_ATTRIBUTES;

/** More is not kept: a screen has to be sent and drawn before anything else is. */
export const MOST_SCREEN_NODES = 6_000;
export const MOST_SCREEN_CHARACTERS = 150_000;
const MOST_LEVELS = 60;

/** Reads a screen that may have been made by anyone. Undefined unless all of it is allowed. */
export function parseScreen(value: unknown): readonly ScreenNode[] | undefined {
  let nodes = 0;
  let characters = 0;
  const parseNode = (node: unknown, level: number): ScreenNode | undefined => {
    nodes += 1;
    if (nodes > MOST_SCREEN_NODES || level > MOST_LEVELS) return undefined;
    if (typeof node === 'string') {
      characters += node.length;
      return characters > MOST_SCREEN_CHARACTERS ? undefined : node;
    }
    if (typeof node !== 'object' || node === null) return undefined;
    const { tag: name, attributes: given, children: inner, ...others } = node as Loose;
    const tag = SCREEN_TAGS.find((each) => each === name);
    const attributes = parseAttributes(given);
    if (tag === undefined || attributes === undefined || Object.keys(others).length > 0) {
      return undefined;
    }
    const children = parseAll(inner, level + 1);
    return children && { tag, attributes, children };
  };
  const parseAll = (list: unknown, level: number): readonly ScreenNode[] | undefined => {
    if (!Array.isArray(list) || list.length > MOST_SCREEN_NODES) return undefined;
    const parsed: ScreenNode[] = [];
    for (const each of list) {
      const node = parseNode(each, level);
      if (node === undefined) return undefined;
      parsed.push(node);
    }
    return parsed;
  };
  return parseAll(value, 0);
}

interface Loose {
  readonly tag?: unknown;
  readonly attributes?: unknown;
  readonly children?: unknown;
}

function parseAttributes(value: unknown): ScreenElement['attributes'] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const attributes: Partial<Record<ScreenAttribute, string>> = {};
  for (const [name, each] of Object.entries(value)) {
    if (!isScreenAttribute(name) || typeof each !== 'string') return undefined;
    if (!SCREEN_ATTRIBUTES[name].test(each)) return undefined;
    attributes[name] = each;
  }
  return attributes;
}

export function isScreenAttribute(name: string): name is ScreenAttribute {
  return Object.hasOwn(SCREEN_ATTRIBUTES, name);
}
