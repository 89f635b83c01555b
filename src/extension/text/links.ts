import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
/** The line at the end of a path: `:10`, `:10:5`, `:10-20`, `:10–20`, `#L10` or `#L10-L20`. */
const POSITION = /(?::(\d{1,9})(?:(?:[:–-]|%E2%80%93)\d{1,9})?|#L(\d{1,9})(?:-L?\d{1,9})?)$/i;

/** What a link in the chat names. */
export type ChatLink =
  | { readonly kind: 'web'; readonly href: string }
  /** A file, as an absolute path or one of a workspace folder. The line is 1-based. */
  | { readonly kind: 'file'; readonly path: string; readonly line?: number };

/** Parses a link that may be opened from the chat; undefined for others (corpus WE-023). */
export function parseLink(href: string): ChatLink | undefined {
  const text = href.trim();
  const url = URL.parse(text);
  if (url !== null && SCHEMES.has(url.protocol)) return { kind: 'web', href: url.href };
  return parseFileLink(text);
}

function parseFileLink(text: string): ChatLink | undefined {
  const position = POSITION.exec(text);
  const line = position?.[1] ?? position?.[2];
  // Other fragments, such as those of headings, are no places in an editor.
  const named = position === null ? text.replace(/(?<=.)#.*$/, '') : text.slice(0, position.index);
  // On a server's share, looking for the file would already send the user's name there.
  if (named === '' || /^(?:[\\/]{2}|#|\?)/.test(named)) return undefined;
  const file = decode(named);
  // What is left with a scheme is no path; a drive's letter is one.
  if (file === undefined || /^[\\/]{2}|^[a-z][a-z0-9+.-]+:/i.test(file) || /\p{Cc}/u.test(file)) {
    return undefined;
  }
  return { kind: 'file', path: file, ...(line !== undefined && { line: Number(line) }) };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * The places where a linked file may be: below the workspace folders, in their order. Empty if the link
 * leads out of all of them.
 */
export function linkedFiles(
  file: string,
  folders: readonly string[],
  at: Pick<typeof path, 'resolve' | 'relative' | 'isAbsolute'> = path,
): readonly string[] {
  return folders
    .map((folder) => ({ folder, found: at.resolve(folder, file) }))
    .filter(({ folder, found }) => {
      const inside = at.relative(folder, found);
      return inside !== '' && !/^\.\.(?:[\\/]|$)/.test(inside) && !at.isAbsolute(inside);
    })
    .map(({ found }) => found);
}

/**
 * The first of these places where a file is. Undefined if there is none, or if a symbolic link leads out
 * of the workspace.
 */
export async function findLinked(
  file: string,
  folders: readonly string[],
): Promise<string | undefined> {
  for (const found of linkedFiles(file, folders)) {
    try {
      const real = await realpath(found);
      const roots = await Promise.all(folders.map((folder) => realpath(folder)));
      if (linkedFiles(real, roots).includes(real) && (await stat(real)).isFile()) return found;
    } catch {
      // It is not there, or can't be read.
    }
  }
  return undefined;
}
