/** A fenced code block of a message. */
export interface CodeText {
  readonly text: string;
  readonly language: string;
  /** Nothing more will come. */
  readonly closed: boolean;
}

/** Colors code as HTML. Undefined for unknown languages, and for code that would take too long. */
export type Highlight = (text: string, language: string) => Promise<string | undefined>;

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
  /** A row that is drawn again asks again, also for code that can't be colored. */
  const begun = new WeakMap<CodeText, Promise<string | undefined>>();
  let loading: Promise<Highlight> | undefined;
  return {
    known: (block) => colored.get(block),
    request(block, done) {
      let cancel: () => void = () => undefined;
      let wanted = true;
      loading ??= load();
      void loading.then((highlight) => {
        if (!wanted) return;
        cancel = idle(async () => {
          const coloring = begun.get(block) ?? highlight(block.text, block.language);
          begun.set(block, coloring);
          const html = await coloring;
          if (html === undefined) return;
          colored.set(block, html);
          if (wanted) done(html);
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
