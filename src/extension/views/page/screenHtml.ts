import type { ScreenNode } from '../../../webview/messages/screen.ts';

/** The HTML of a kept screen. Its nodes are parsed: each name and value is one of a list, and texts are escaped. */
export function screenHtml(nodes: readonly ScreenNode[]): string {
  return nodes.map(toHtml).join('');
}

const VOID: ReadonlySet<string> = new Set(['br', 'hr']);

function toHtml(node: ScreenNode): string {
  if (typeof node === 'string') return escapeText(node);
  const { tag, attributes, children } = node;
  const all = Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeText(value)}"`)
    .join('');
  if (VOID.has(tag)) return `<${tag}${all}>`;
  // A parser drops a line break at the begin of a `pre`.
  const begin = tag === 'pre' ? '\n' : '';
  return `<${tag}${all}>${begin}${screenHtml(children)}</${tag}>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"'\0\r]/g, (character) =>
    character === '\0' ? '\ufffd' : `&#${character.charCodeAt(0)};`,
  );
}
