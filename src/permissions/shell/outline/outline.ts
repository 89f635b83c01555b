/**
 * What one reader sees in a text: where its words are, and which parts of them are quoted or
 * expanded. Whatever lies between the words are operators and keywords, so readers with the same
 * outline agree about those, too.
 */
export interface Outline {
  /** The ranges of the words, `start-end`. Adjacent ones are joined. */
  readonly words: ReadonlySet<string>;
  /**
   * Two words without anything between them, from the start of the first. Bash reads them as one:
   * `cat<(ls)` runs the file `cat/dev/fd/63`.
   */
  readonly touching: string | undefined;
  /** The quotes and expansions in them, as a letter and a range. */
  readonly parts: ReadonlySet<string>;
  /** Commands in here-documents, which must be compared by themselves. */
  readonly nested: readonly string[];
  /**
   * Replacements of what the other grammar is known to read wrongly, as index and new text of the
   * same length. They move no word.
   */
  readonly replacements: readonly Rewriting[];
}

export type Rewriting = readonly [at: number, text: string];

/** Collects an outline. */
export class OutlineBuilder {
  private readonly ranges: (readonly [start: number, end: number])[] = [];
  private readonly parts = new Set<string>();
  readonly nested: string[] = [];
  private readonly replacements: Rewriting[] = [];

  addWord(start: number, end: number): void {
    if (end > start) this.ranges.push([start, end]);
  }

  addPart(kind: PartKind, start: number, end: number): void {
    this.parts.add(`${kind}${start}-${end}`);
  }

  replace(at: number, text: string): void {
    this.replacements.push([at, text]);
  }

  build(): Outline {
    const words = new Set<string>();
    let [start, end] = [-1, -1];
    for (const [from, to] of this.ranges.sort(([a], [b]) => a - b)) {
      if (from > end) {
        if (end > start) words.add(`${start}-${end}`);
        start = from;
      }
      end = Math.max(end, to);
    }
    if (end > start) words.add(`${start}-${end}`);
    const { parts, nested, replacements } = this;
    return { words, touching: this.findTouching(), parts, nested, replacements };
  }

  private findTouching(): string | undefined {
    const starts = new Map(this.ranges.map(([start, end]) => [end, start]));
    const next = this.ranges.find(([start]) => starts.has(start));
    return next && `${starts.get(next[0])}-${next[1]}`;
  }
}

/**
 * `'…'`, `"…"`, `$'…'`, a variable, a command's output, the name of a process's pipe, arithmetic,
 * and the end of a here-document.
 */
export type PartKind = 's' | 'd' | 'a' | 'v' | 'c' | 'p' | 'm' | 'h';

/** The range that only one of the readers sees. Undefined if they agree. */
export function findDifference(a: Outline, b: Outline): string | undefined {
  return (
    findOdd(a.words, b.words) ??
    findOdd(b.words, a.words) ??
    findOdd(a.parts, b.parts) ??
    findOdd(b.parts, a.parts)
  );
}

function findOdd(a: ReadonlySet<string>, b: ReadonlySet<string>): string | undefined {
  for (const each of a) if (!b.has(each)) return each;
  return undefined;
}
