/** The fields of a keyboard event that key bindings use. */
export interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** The key is held down, and this is not its first event. */
  readonly repeat: boolean;
  /** True while an input method (IME) composes characters; the key belongs to it. */
  readonly isComposing: boolean;
  readonly keyCode: number;
}
