/** `*.{ts,tsx}` is `*.ts` and `*.tsx`. More than a few lists are any name. */
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

/** No more texts are told apart. */
const LIST_LIMIT = 32;
