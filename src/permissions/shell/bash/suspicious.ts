/**
 * Characters that are invisible, or that display in another order than the shell reads them
 * (CVE-2021-42574).
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0\uFFFC-\uFFFF]|\u034F|\u17B4|\u17B5|[\u180B-\u180F]|[\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}]/u;
const PLAIN_CONTROL = /[\n\t]/g;
const ODD_SPACE = /(?! )\p{Zs}/u;
const LONE_SURROGATE = /\p{Cs}/u;

/** Describes suspicious characters in the text; undefined if every character is visible. */
export function findSuspicious(text: string): string | undefined {
  // Fast path: almost every command is ASCII.
  if (/^[\x20-\x7e\n\t]*$/.test(text)) return undefined;
  if (HIDDEN.test(text.replace(PLAIN_CONTROL, ''))) {
    return 'the command contains control, invisible or direction-changing characters';
  }
  if (ODD_SPACE.test(text))
    return 'the command contains white space that the shell does not treat as a separator';
  return LONE_SURROGATE.test(text) ? 'the command is not valid Unicode' : undefined;
}
