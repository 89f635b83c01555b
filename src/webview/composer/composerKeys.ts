import type { Key } from '../controls/key.ts';

export type ComposerAction = 'send' | 'newline' | 'stop' | 'recall' | undefined;

const COMPOSING = 229;

/** The action of a key. Undefined lets the text field process it. */
export function composerAction(
  key: Key,
  state: {
    readonly sendKey: 'enter' | 'modEnter';
    readonly running: boolean;
    readonly empty: boolean;
  },
): ComposerAction {
  if (key.isComposing || key.keyCode === COMPOSING) return undefined;
  if (key.key === 'Escape') return state.running ? 'stop' : undefined;
  if (key.key === 'ArrowUp' && state.empty && !key.shiftKey) return 'recall';
  if (key.key !== 'Enter' || key.shiftKey || key.altKey) return undefined;
  const modified = key.ctrlKey || key.metaKey;
  if (state.sendKey === 'modEnter') return modified ? 'send' : undefined;
  return 'send';
}
