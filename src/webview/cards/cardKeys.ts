import type { Key } from '../controls/key.ts';

/** Keys of a permission card; they count only with the focus in it, and once it is armed. */
export function cardShortcut(key: Key): 'approve' | 'reject' | undefined {
  if (!(key.ctrlKey || key.metaKey) || key.shiftKey || key.altKey) return undefined;
  if (key.key === 'Enter') return 'approve';
  return key.key === 'Backspace' ? 'reject' : undefined;
}
