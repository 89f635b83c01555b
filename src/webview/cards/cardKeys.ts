import type { Key } from '../controls/key.ts';

/** Keys of a permission card; they count only with the focus in it, and once it is armed. */
export function cardAction(key: Key): 'allowOnce' | 'deny' | undefined {
  if (!(key.ctrlKey || key.metaKey) || key.shiftKey || key.altKey) return undefined;
  if (key.key === 'Enter') return 'allowOnce';
  return key.key === 'Backspace' ? 'deny' : undefined;
}
