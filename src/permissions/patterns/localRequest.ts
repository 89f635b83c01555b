/** The options of curl that a request to this machine may have, as rule flags. */
export const LOCAL_REQUEST_OPTIONS =
  '-s -S -f -i -I -v -k -g -N -q -4 -6 -o: -w: -m: -H: -A: -X: --silent --show-error --fail --fail-with-body --include --head --verbose --insecure --globoff --no-buffer --disable --ipv4 --ipv6 --compressed --no-progress-meter --http1.0 --http1.1 --path-as-is --output: --write-out: --max-time: --connect-timeout: --retry: --retry-delay: --retry-max-time: --retry-connrefused --header: --user-agent: --request:';

const FLAGS: ReadonlySet<string> = new Set(LOCAL_REQUEST_OPTIONS.split(' '));

/** `127.0.0.1`, without octal numbers, which some programs read and others look up as names. */
const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
/** Signs that curl may expand or bash may read otherwise are left out: `[1-3]`, `{a,b}`, `\`. */
const URL = new RegExp(
  String.raw`^(?:https?://)?(?:localhost|127(?:\.${OCTET}){3}|\[::1\])(?::\d{1,5})?(?:[/?#][\w.~:/?#@!$&'()*+,;=%-]*)?$`,
  'i',
);

/**
 * Whether curl only gets something from this machine and prints it: every address is one of the
 * loopback interface, redirects aren't followed, and nothing is sent or written. `words`: all of the
 * command, each literal.
 */
export function isLocalRequest([program, ...words]: readonly string[]): boolean {
  if (program !== 'curl') return false;
  let urls = 0;
  let pending: string | undefined;
  for (const word of words) {
    if (pending !== undefined) {
      if (!mayHave(pending, word)) return false;
      pending = undefined;
    } else if (word.startsWith('-')) {
      const option = parseOption(word);
      if (option === undefined) return false;
      const { name, value } = option;
      if (name !== undefined && value !== undefined && !mayHave(name, value)) return false;
      pending = value === undefined ? name : undefined;
    } else if (URL.test(word)) urls += 1;
    else return false;
  }
  return urls > 0 && pending === undefined;
}

/** The option that takes a value, which may be in the same word; undefined: one isn't known. */
function parseOption(
  word: string,
): { readonly name?: string; readonly value?: string } | undefined {
  if (word.startsWith('--')) {
    if (FLAGS.has(`${word}:`)) return { name: word };
    return FLAGS.has(word) ? {} : undefined;
  }
  if (word.length < 2) return undefined;
  for (let at = 1; at < word.length; at += 1) {
    const name = `-${word[at]}`;
    if (FLAGS.has(name)) continue;
    if (!FLAGS.has(`${name}:`)) return undefined;
    const value = word.slice(at + 1);
    return value === '' ? { name } : { name, value };
  }
  return {};
}

/** Headers that don't change what is requested, and where. */
const HEADER =
  /^(?:accept(?:-[a-z]+)?|authorization|cache-control|content-type|if-modified-since|if-none-match|origin|pragma|user-agent):[\x20-\x7e]*$/i;

const VALUES: Readonly<Record<string, RegExp>> = {
  '-o': /^(?:\/dev\/null|-)$/,
  '--output': /^(?:\/dev\/null|-)$/,
  // `@file` is read, and `%output{file}` written.
  '-w': /^(?!@)(?![\s\S]*%output)[\s\S]*$/i,
  '--write-out': /^(?!@)(?![\s\S]*%output)[\s\S]*$/i,
  '-H': HEADER,
  '--header': HEADER,
  '-A': /^[\x20-\x7e]*$/,
  '--user-agent': /^[\x20-\x7e]*$/,
  '-X': /^(?:GET|HEAD)$/,
  '--request': /^(?:GET|HEAD)$/,
};

function mayHave(option: string, value: string): boolean {
  return (VALUES[option] ?? /^\d+(?:\.\d+)?$/).test(value);
}
