import type { ShellWord } from './acts.ts';

/** What may stand between a path and the rest of a word; a URL's own marks are none. */
const MARK = /[=@:,;|]/;
const URL_MARK = /[=,;|]/;
/** No more parts of one word are looked at. */
const PART_LIMIT = 64;

/** The paths a word may name: itself, what follows a short option, and the parts between `=`, `@`, `:` and `,`. */
export function toPaths(word: ShellWord | undefined): readonly string[] {
  if (word?.literal !== true || word.value === '' || word.value.length > 4096) return [];
  const { value } = word;
  // Most words are a name and nothing else.
  if (/^[\w./][\w./-]*$/.test(value)) return [value];
  const found = new Set<string>();
  if (!value.startsWith('-')) found.add(value);
  else if (/^-[a-zA-Z]./.test(value)) found.add(value.slice(2));
  const mark = value.includes('://') ? URL_MARK : MARK;
  for (const part of value.split(mark, PART_LIMIT)) if (part !== value) found.add(part);
  // The mark may be part of the name.
  for (const sign of ['=', '@', ':']) {
    const at = value.indexOf(sign);
    if (at >= 0 && !value.startsWith('://', at)) found.add(value.slice(at + 1));
  }
  const file = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(value)?.[1];
  if (file !== undefined) found.add(file);
  return [...found].filter(
    (each) => each !== '' && !each.startsWith('-') && !/^[a-z][a-z0-9+.-]*:\/\//i.test(each),
  );
}

/** The path in an option that is not known: `--out=.git/config`, `-o.git/config`. */
export function toAttachedPaths(word: ShellWord): readonly string[] {
  const attached = /^-(?:-?[\w-]+=.|[a-zA-Z][\w-]*[./])/.test(word.value);
  return attached && word.literal ? toPaths(word) : [];
}
