import type { ShellWord } from './acts.ts';

/** Options of curl and wget whose value is a URL too. */
const URL_OPTIONS = /^--(?:url|referer|proxy|preproxy|doh-url|post-url)(?:=|$)/;

/** The address in a word: `https://host/x`, `user@host:path`, `host:path`, `host`. Undefined: none. */
export function findUrl(word: ShellWord): string | undefined {
  if (!word.value.includes(':/')) return undefined;
  const value = word.value.replace(/^--?[\w-]+=/, '');
  const url = /[a-z][a-z0-9+.-]*:\/\/[^\s'"]+/i.exec(value);
  if (url !== null) return url[0];
  // `http:/host` is what curl and others take as `http://host`.
  return /^(?:https?|ftps?|wss?):\/[^\s'"]+/i.exec(value)?.[0].replace(':/', '://');
}

/** `user@host:path` and `host:path` of ssh, scp, rsync and git. */
export function findRemote(word: ShellWord): string | undefined {
  const url = findUrl(word);
  if (url !== undefined) return url;
  const match = /^(?:[\w.+-]+@)?(\[[0-9a-f:]+\]|[A-Za-z0-9][\w.-]*):(?![\\/]{2})/.exec(word.value);
  return match?.[1] === undefined ? undefined : `ssh://${match[1]}`;
}

/** A bare operand that is a host: `ping example.com`, `curl example.com/x`, `ssh user@host`. */
export function toHostUrl(word: ShellWord): string | undefined {
  const url = findUrl(word);
  if (url !== undefined) return url;
  const match = /^(?:[^@/\s]+@)?([A-Za-z0-9[][^/\s?#]*)/.exec(word.value);
  return match?.[1] === undefined || URL_OPTIONS.test(word.value) ? undefined : match[1];
}

/** Where a URL's authority ends within the word; the whole word when it has no path. */
export function authorityEnd(value: string): number {
  return /^(?:[\s\S]*?:\/\/)?[^/?#]*/.exec(value)?.[0].length ?? value.length;
}
