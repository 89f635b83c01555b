import { INVISIBLE } from '../../../base/hidden.ts';

const HIDDEN = new RegExp(INVISIBLE, 'u');
const PLAIN_CONTROL = /[\n\t]/g;
const ODD_SPACE = /(?! )\p{Zs}/u;
const LONE_SURROGATE = /\p{Cs}/u;

/** Describes suspicious characters in the text; undefined if every character is visible. */
export function findSuspicious(text: string): string | undefined {
  // Fast path: almost every command is ASCII.
  if (/^[\x20-\x7e\n\t]*$/.test(text)) return undefined;
  if (HIDDEN.test(text.replace(PLAIN_CONTROL, ''))) {
    return 'The command contains characters that are invisible or change the reading direction.';
  }
  if (ODD_SPACE.test(text))
    return "The command contains white space that the shell doesn't treat as a separator.";
  return LONE_SURROGATE.test(text) ? "The command isn't valid Unicode." : undefined;
}
