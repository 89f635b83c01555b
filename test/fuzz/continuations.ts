/** The line with a backslash and a newline before each character in turn, and at its end. */
export function continueEverywhere(line: string): readonly string[] {
  return Array.from(
    { length: line.length + 1 },
    (_, at) => `${line.slice(0, at)}\\\n${line.slice(at)}`,
  );
}
