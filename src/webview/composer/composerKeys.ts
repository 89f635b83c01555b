/** The fields of a keyboard event that decide what a key in the composer does. */
export interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** An input method is choosing characters: the key is meant for it. */
  readonly isComposing: boolean;
  readonly keyCode: number;
}

export type ComposerAction = 'send' | 'newline' | 'stop' | 'recall' | undefined;

const COMPOSING = 229;

/** What a key does. Undefined leaves it to the text field. */
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

/** Keys of a permission card; they count only with the focus in it, and once it is armed. */
export function cardAction(key: Key): 'allowOnce' | 'deny' | undefined {
  if (!(key.ctrlKey || key.metaKey) || key.shiftKey || key.altKey) return undefined;
  if (key.key === 'Enter') return 'allowOnce';
  return key.key === 'Backspace' ? 'deny' : undefined;
}
