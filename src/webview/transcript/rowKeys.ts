import type { Key } from '../controls/key.ts';

/** Rows to go on, or what else a key does at a row. */
export type RowAction = -1 | 1 | 'first' | 'last' | 'up' | 'down' | 'enter' | 'leave';

/**
 * What a key does at a row of the transcript, or in one of its controls. Undefined leaves it to the
 * browser.
 *
 * @param overflow whether parts of the row are out of view: arrow keys scroll to them first
 */
export function rowKey(
  { key, ctrlKey, metaKey, altKey, shiftKey }: Key,
  inControl: boolean,
  overflow: { readonly above: boolean; readonly below: boolean },
): RowAction | undefined {
  if (ctrlKey || metaKey || altKey || shiftKey) return undefined;
  if (inControl) return key === 'Escape' ? 'leave' : undefined;
  switch (key) {
    case 'ArrowUp':
      return overflow.above ? 'up' : -1;
    case 'ArrowDown':
      return overflow.below ? 'down' : 1;
    case 'Home':
      return 'first';
    case 'End':
      return 'last';
    case 'Enter':
    case 'ArrowRight':
      return 'enter';
    default:
      return undefined;
  }
}

/** Whether a key opens *Find in Chat*. On macOS, Ctrl+F moves the cursor in a field. */
export function isFindKey({ key, ctrlKey, metaKey, altKey, shiftKey }: Key, mac: boolean): boolean {
  if (key.toLowerCase() !== 'f' || altKey || shiftKey) return false;
  return mac ? metaKey && !ctrlKey : ctrlKey && !metaKey;
}
