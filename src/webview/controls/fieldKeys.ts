import type { Key } from './key.ts';

export type FieldCommand = 'selectAll' | 'undo' | 'redo';

/**
 * What a key does to the text field that has the focus. The page does it at once and keeps the key
 * from VS Code, which would do it a moment later, when the user has already typed on.
 */
export function fieldCommand(key: Key, mac: boolean): FieldCommand | undefined {
  const modified = mac ? key.metaKey && !key.ctrlKey : key.ctrlKey && !key.metaKey;
  if (!modified || key.altKey || key.isComposing) return undefined;
  const name = key.key.toLowerCase();
  if (name === 'z') return key.shiftKey ? 'redo' : 'undo';
  if (key.shiftKey) return undefined;
  if (name === 'a') return 'selectAll';
  return name === 'y' && !mac ? 'redo' : undefined;
}
