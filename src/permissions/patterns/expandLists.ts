/**
 * Expands brace lists: `*.{ts,tsx}` becomes `*.ts` and `*.tsx`. Globs with too many alternatives
 * become `*`.
 */
export function expandLists(glob: string): readonly string[] {
  let texts = [glob];
  for (let round = 0; round < 4; round += 1) {
    texts = texts.flatMap((text) => {
      const [, head, list, tail] = /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(text) ?? [];
      return list === undefined ? [text] : list.split(',').map((each) => head + each + tail);
    });
    if (texts.length > LIST_LIMIT) return ['*'];
  }
  return texts;
}

/** Maximum number of alternatives. */
const LIST_LIMIT = 32;
