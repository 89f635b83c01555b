/** A run of text with one style. */
export interface StyledText {
  readonly text: string;
  /** CSS classes; empty for plain text. */
  readonly classes: string;
}

/** Reads an output with escapes as runs of text with one style. */
export type StyleOutput = (text: string) => readonly StyledText[];

/** Styles outputs as their escapes say. What does it is loaded for the first output that has some. */
export interface OutputStyles {
  /** The output as runs of text: without styles until `request` has called back. */
  style(text: string): readonly StyledText[];
  /** Calls back when what styles a text was loaded for it. Returns what cancels it. */
  request(text: string, done: () => void): () => void;
}

const ESCAPE = '\u001B';
/** An escape sequence, also one that the end of the text cuts off. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it begins with one.
const SEQUENCE = /\u001B(?:\[[0-?]*[ -/]*[@-~]?)?/g;

/** @param load loads what reads escapes; it is called once */
export function createOutputStyles(load: () => Promise<StyleOutput>): OutputStyles {
  let loading: Promise<StyleOutput> | undefined;
  let loaded: StyleOutput | undefined;
  return {
    style(text) {
      if (!text.includes(ESCAPE)) return [{ text, classes: '' }];
      return loaded?.(text) ?? [{ text: text.replace(SEQUENCE, ''), classes: '' }];
    },
    request(text, done) {
      let wanted = loaded === undefined && text.includes(ESCAPE);
      if (!wanted) return () => undefined;
      loading ??= load();
      void loading.then((style) => {
        loaded = style;
        if (wanted) done();
      }, ignoreMissing);
      return () => {
        wanted = false;
      };
    },
  };
}

/** Without styles an output is still readable. */
function ignoreMissing(): void {}
