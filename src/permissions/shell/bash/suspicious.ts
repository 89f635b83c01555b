/** Characters that a person does not see, or sees elsewhere than the shell reads them (CVE-2021-42574). */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0\uFFFC-\uFFFF]|\u034F|\u17B4|\u17B5|[\u180B-\u180F]|[\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}]/u;
const PLAIN_CONTROL = /[\n\t]/g;
const ODD_SPACE = /(?! )\p{Zs}/u;
const LONE_SURROGATE = /\p{Cs}/u;

/** What is suspicious about the text, in words for a person; undefined when every character shows. */
export function findSuspicious(text: string): string | undefined {
  // Almost every command is ASCII; one cheap look spares the tables.
  if (/^[\x20-\x7e\n\t]*$/.test(text)) return undefined;
  if (HIDDEN.test(text.replace(PLAIN_CONTROL, ''))) {
    return 'it holds control, invisible or direction-changing characters';
  }
  if (ODD_SPACE.test(text)) return 'it holds a space that the shell does not take as one';
  return LONE_SURROGATE.test(text) ? 'it is not valid Unicode' : undefined;
}
