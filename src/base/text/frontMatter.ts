/** A Markdown file that begins with front matter between `---` lines. */
export interface FrontMatterText {
  /** YAML. */
  readonly front: string;
  readonly body: string;
}

/** Undefined when the text doesn't begin with front matter. A byte order mark is skipped. */
export function splitFrontMatter(text: string): FrontMatterText | undefined {
  const parts = /^---[ \t]*\r?\n(?:(.*?)\r?\n)?---[ \t]*(?:\r?\n|$)(.*)$/s.exec(
    text.replace(/^\ufeff/, ''),
  );
  return parts === null ? undefined : { front: parts[1] ?? '', body: parts[2] ?? '' };
}
