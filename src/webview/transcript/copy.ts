import { useEffect, useRef } from 'preact/hooks';
import type { ChatItem } from '../messages/chatState.ts';
import type { Row } from './rows.ts';

/**
 * What *Copy Message* copies: the text as it is read. Undefined for calls, which have more than one.
 *
 * @param toPlainText absent until it is loaded: the text is copied as it was written
 */
export function toCopied(
  item: ChatItem | undefined,
  toPlainText: (markdown: string) => string = String,
): string | undefined {
  if (item === undefined || item.kind === 'tool') return undefined;
  return item.kind === 'agent' ? toPlainText(item.text) : item.text;
}

/**
 * Copies the message that has the focus by Ctrl+C, or Cmd+C on macOS, if nothing is selected.
 *
 * @param copied called when a message was copied
 */
export function useCopy(
  box: { readonly current: HTMLElement | null },
  rows: readonly Row[],
  toPlainText: ((markdown: string) => string) | undefined,
  copied: () => void,
): void {
  const latest = useRef({ rows, toPlainText, copied });
  latest.current = { rows, toPlainText, copied };
  useEffect(() => {
    // Without a selection the event is the body's.
    const onCopy = (event: ClipboardEvent) => {
      const { rows, toPlainText } = latest.current;
      const text = toCopied(findFocused(box.current, rows), toPlainText);
      if (text === undefined || document.getSelection()?.isCollapsed === false) return;
      event.clipboardData?.setData('text/plain', text);
      event.preventDefault();
      latest.current.copied();
    };
    document.addEventListener('copy', onCopy);
    return () => document.removeEventListener('copy', onCopy);
  }, []);
}

/** The item whose article has the focus, not one of its controls. */
function findFocused(box: HTMLElement | null, rows: readonly Row[]): ChatItem | undefined {
  const { activeElement } = document;
  if (!activeElement?.matches('article') || !box?.contains(activeElement)) return undefined;
  const index = activeElement.closest<HTMLElement>('.row-box')?.dataset['index'];
  const row = rows[Number(index)];
  return row?.kind === 'item' ? row.item : undefined;
}
