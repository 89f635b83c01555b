import fc from 'fast-check';

/** Every way a line can end, and texts that end without one. */
const LINE_ENDS = ['\n', '\r\n', '\r'] as const;

const line = fc.oneof(
  fc.constantFrom('', 'a', 'b', '}', '\ufeff', '\u{1f600}', '\u{1f601}', 'é', '\ud83d'),
  fc.string({ maxLength: 3 }),
);

const parts = fc.array(fc.tuple(line, fc.constantFrom(...LINE_ENDS)), { maxLength: 12 });

/** Texts with few different lines, so that they repeat. */
export const anyText = fc
  .tuple(parts, line, fc.option(fc.constantFrom(...LINE_ENDS), { nil: undefined }))
  .map(([lines, last, only]) => lines.map(([text, end]) => text + (only ?? end)).join('') + last);

/** Two texts; the second is the first with some lines changed. */
export const edited = fc
  .tuple(
    parts,
    fc.array(fc.tuple(fc.nat(12), fc.nat(2), line), { maxLength: 6 }),
    fc.constantFrom(...LINE_ENDS),
  )
  .map(([lines, edits, end]): readonly [string, string] => {
    const before = lines.map(([text]) => text + end);
    const after = [...before];
    for (const [at, removed, text] of edits) after.splice(at, removed, text + end);
    return [before.join(''), after.join('')];
  });

/** Related and unrelated texts. */
export const textPair = fc.oneof(edited, fc.tuple(anyText, anyText));
