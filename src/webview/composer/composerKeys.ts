import type { Key } from '../controls/key.ts';

export type ComposerAction =
  | 'send'
  | 'newline'
  /** A first Escape: it only says that a second one stops. */
  | 'warn'
  | 'stop'
  | 'recall'
  | 'forward'
  | undefined;

/** How soon a second Escape stops the turn, in milliseconds. */
export const ESCAPE_AGAIN = 1_500;

const COMPOSING = 229;

/** The action of a key. Undefined lets the text field process it. */
export function composerAction(
  key: Key,
  state: {
    readonly sendKey: 'enter' | 'modEnter';
    readonly running: boolean;
    readonly empty: boolean;
    /** The text is an earlier message that was brought back. */
    readonly recalled: boolean;
    /** Escape was pressed just before. */
    readonly escaped: boolean;
  },
): ComposerAction {
  if (key.isComposing || key.keyCode === COMPOSING) return undefined;
  if (key.key === 'Escape') return escapeAction(key, state);
  const walks = state.empty || state.recalled;
  if (key.key === 'ArrowUp' && walks && isPlain(key)) return 'recall';
  if (key.key === 'ArrowDown' && state.recalled && isPlain(key)) return 'forward';
  if (key.key !== 'Enter' || key.shiftKey || key.altKey) return undefined;
  const modified = key.ctrlKey || key.metaKey;
  if (state.sendKey === 'modEnter') return modified ? 'send' : undefined;
  return 'send';
}

/** A key that is held down is no second press. */
function escapeAction(
  { repeat }: Key,
  { running, escaped }: { readonly running: boolean; readonly escaped: boolean },
): ComposerAction {
  if (!running) return undefined;
  return escaped && !repeat ? 'stop' : 'warn';
}

function isPlain({ shiftKey, ctrlKey, metaKey, altKey }: Key): boolean {
  return !shiftKey && !ctrlKey && !metaKey && !altKey;
}
