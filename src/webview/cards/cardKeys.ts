import type { Key } from '../controls/key.ts';

/** Key bindings of a permission card. They work only while the armed card has focus. */
export function cardShortcut(key: Key): 'approve' | 'reject' | undefined {
  if (key.repeat) return undefined;
  if (!(key.ctrlKey || key.metaKey) || key.shiftKey || key.altKey) return undefined;
  if (key.key === 'Enter') return 'approve';
  return key.key === 'Backspace' ? 'reject' : undefined;
}
