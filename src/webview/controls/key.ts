/** The fields of a keyboard event that decide what a key does. */
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
