import type { Act, ShellWord } from './acts.ts';

/** Options of curl and wget with a URL as their value. */
const URL_OPTIONS = /^--(?:expand-)?(?:url|referer|proxy|preproxy|doh-url|post-url)(?:=|$)/;

/** Curl accepts one slash instead of two after the schemes it knows: `curl http:/host`. */
const ONE_SLASH =
  /^((?:https?|ftps?|sftp|dict|gophers?|ldaps?|imaps?|pop3s?|smtps?|smbs?|telnet|tftp|rtsp|rtmps?|mqtt|wss?):)\/(?!\/)/i;

/** The address in a word: `https://host/x`, `user@host:path`, `host:path`, `host`. Undefined: none. */
export function findUrl(word: ShellWord): string | undefined {
  if (!word.value.includes(':/')) return undefined;
  const value = word.value.replace(/^--?[\w-]+=/, '').replace(ONE_SLASH, '$1//');
  return /[a-z][a-z0-9+.-]*:\/\/[^\s'"]+/i.exec(value)?.[0];
}

/**
 * Adds a host that is contacted. If programs disagree about the host of a URL, each reading is
 * added, so that a rule for any of them counts: for `http://a\@b`, curl contacts b and a browser a.
 */
export function addHost(url: string, acts: Act[]): void {
  const readings = /\\|[?#][^/]*@/.test(url)
    ? [url, url.replace(/[\\?#][\s\S]*/, ''), url.replace(/[\\?#]/g, '')]
    : [url];
  for (const each of readings) acts.push({ kind: 'host', url: each, role: 'operand' });
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

/** `git@host:path` and `host:path`, but not `host:5000/image` and `github:user/name`. */
const HOST_AND_PATH =
  /^(?:[^\s/:@]+@)?(?:\[[^\]]+\]|(?!(?:github|gitlab|bitbucket|sourcehut|gist):)[\w.-]+):(?!\d+(?:\/|$))/;

/** The index where the name of another host ends in the word that names it. */
export function remoteEnd(value: string): number {
  const own = value.includes('://') ? undefined : HOST_AND_PATH.exec(value)?.[0].length;
  return own ?? authorityEnd(value);
}

/** The index where a URL's authority ends in the word; the length of the word if it has no path. */
export function authorityEnd(value: string): number {
  return /^(?:[\s\S]*?:\/\/)?[^/?#]*/.exec(value)?.[0].length ?? value.length;
}
