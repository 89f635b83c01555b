/** A fenced code block of a message. */
export interface CodeText {
  readonly text: string;
  readonly language: string;
  /** Nothing more will come. */
  readonly closed: boolean;
}

/** Colors code as HTML. Undefined for long code and unknown languages. */
export type Highlight = (text: string, language: string) => string | undefined;

/** Colors finished code when the page has nothing else to do. */
export interface Coloring {
  /** The HTML of code that was colored before; undefined if it was not, or can't be. */
  known(block: CodeText): string | undefined;
  /** Calls back with the HTML. Returns what cancels it. */
  request(block: CodeText, done: (html: string) => void): () => void;
}

/**
 * @param load loads what colors, once, when the first code is finished
 * @param idle runs work when the page is idle, and returns what cancels it
 */
export function createColoring(
  load: () => Promise<Highlight>,
  idle: (work: () => void) => () => void,
): Coloring {
  const colored = new WeakMap<CodeText, string>();
  let loading: Promise<Highlight> | undefined;
  return {
    known: (block) => colored.get(block),
    request(block, done) {
      let cancel: () => void = () => undefined;
      let wanted = true;
      loading ??= load();
      void loading.then((highlight) => {
        if (!wanted) return;
        cancel = idle(() => {
          const html = highlight(block.text, block.language);
          if (html === undefined) return;
          colored.set(block, html);
          done(html);
        });
      }, ignoreMissing);
      return () => {
        wanted = false;
        cancel();
      };
    },
  };
}

/** Without colors code is still readable. */
function ignoreMissing(): void {}
