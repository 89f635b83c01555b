import path from 'node:path';
import type { OpenDocument } from '../../base/openDocument.ts';
import { type Outcome, success } from '../../base/outcome.ts';
import { isBelow } from '../../permissions/patterns/paths.ts';
import { findLaterFile } from '../files/documents.ts';
import type { Overlay } from '../overlay.ts';
import type { ClientFiles } from '../runtime.ts';
import type { GrepQuery, GrepRow } from '../searchQuery.ts';
import { readInside } from './changedFolders.ts';
import type { NameFilter } from './nameFilter.ts';
import { parseRow, toRowText } from './ripgrepRow.ts';
import { runRipgrep, toShapeOptions } from './runRipgrep.ts';

/** Names of documents that exist only in the editor; they count as the most recently modified. */
export async function unsavedDocuments(
  client: ClientFiles | undefined,
  directory: string,
  filter: NameFilter,
): Promise<readonly string[]> {
  const names: string[] = [];
  if (client === undefined) return names;
  const type = typeMatcher(filter);
  for (const document of await client.documents()) {
    const name =
      document.dirty && document.path === null ? toRelativeName(document, directory) : undefined;
    if (name !== undefined && type(name)) names.push(name);
  }
  return names;
}

/** The names of the files below a folder that an overlay has, by what becomes of them. */
export function proposedNames(
  overlay: Overlay | undefined,
  directory: string,
  filter: NameFilter,
): { readonly there: readonly string[]; readonly gone: ReadonlySet<string> } {
  const matches = typeMatcher(filter);
  const there: string[] = [];
  const gone = new Set<string>();
  for (const { path: file, text } of overlay?.list() ?? []) {
    const name = toNameBelow(file, directory);
    if (name === undefined) continue;
    if (text === undefined) gone.add(name);
    else if (matches(name)) there.unshift(name);
  }
  return { there, gone };
}

interface DocumentGrep {
  readonly client: ClientFiles | undefined;
  /** Takes the place of documents and files. */
  readonly overlay: Overlay | undefined;
  readonly rg: string;
  /** A folder that exists; texts are searched on standard input. */
  readonly cwd: string;
  readonly directory: string;
  readonly query: GrepQuery;
  readonly filter: NameFilter;
  readonly signal: AbortSignal;
  /** The only file to search, as `./name`. */
  readonly single: string | undefined;
  /** Whether a search may return the file. */
  shows(name: string): boolean;
  /** Whether it may return a file with this text, which isn't saved. */
  showsText(name: string, text: string): Promise<boolean>;
}

interface DocumentText {
  readonly name: string;
  /** Its file is not searched on disk. */
  readonly replaces: boolean;
  /** It is what the editor shows, not a change that waits. */
  readonly unsaved?: true;
  /** Undefined: there is nothing to search. */
  text(): Promise<string | undefined>;
}

/**
 * Searches the overlay and dirty documents; also returns the options that exclude their files from
 * the search on disk.
 */
export async function grepDocuments(
  parts: DocumentGrep,
): Promise<Outcome<{ readonly rows: readonly GrepRow[]; readonly exclude: readonly string[] }>> {
  const { directory, filter, single } = parts;
  const type = typeMatcher(filter);
  const rows: GrepRow[] = [];
  const exclude: string[] = [];
  for (const { name, replaces, unsaved, text } of await listTexts(parts, directory)) {
    if (!type(name) || !parts.shows(name)) continue;
    if (single !== undefined && `./${name}` !== single) continue;
    if (replaces) exclude.push(`--glob=!/${escapeGlob(name)}`);
    const content = await text();
    if (content === undefined) continue;
    if (unsaved && !(await parts.showsText(name, content))) continue;
    const found = await grepOne(parts, name, Buffer.from(content));
    if (!found.ok) return found;
    rows.push(...found.data);
  }
  return success({ rows, exclude });
}

async function listTexts(
  { client, overlay }: DocumentGrep,
  directory: string,
): Promise<readonly DocumentText[]> {
  const texts: DocumentText[] = [];
  for (const { path: file, text } of overlay?.list() ?? []) {
    const name = toNameBelow(file, directory);
    if (name !== undefined) texts.push({ name, replaces: true, text: async () => text });
  }
  for (const document of (await client?.documents()) ?? []) {
    const name = document.dirty ? toRelativeName(document, directory) : undefined;
    if (client === undefined || name === undefined) continue;
    if (texts.some((known) => known.name === name)) continue;
    const text = () => client.readText(document.path ?? document.uri);
    texts.push({ name, replaces: document.path !== null, unsaved: true, text });
  }
  return texts;
}

/**
 * Returns the rows after searching every file in a changed folder again, by its current bytes: a
 * link to anywhere may have stood there during the search.
 */
export async function searchAgain(
  parts: DocumentGrep,
  rows: readonly GrepRow[],
  changed: (name: string) => boolean,
): Promise<Outcome<readonly GrepRow[]>> {
  const certain: GrepRow[] = [];
  for (const [name, found] of Map.groupBy(rows, (row) => row.path)) {
    if (!changed(name)) {
      certain.push(...found);
      continue;
    }
    const bytes = readInside(parts.directory, name);
    if (bytes === undefined) continue;
    const again = holds(bytes, found) ? success(found) : await grepOne(parts, name, bytes);
    if (!again.ok) return again;
    certain.push(...again.data);
  }
  return success(certain);
}

/** Whether the file contains these rows, so that it need not be searched again. */
function holds(bytes: Buffer, rows: readonly GrepRow[]): boolean {
  const lines = bytes.toString('latin1').split('\n');
  return rows.every(({ line, text }) => {
    const own = line === 0 ? undefined : lines[line - 1];
    return own !== undefined && toRowText(Buffer.from(own, 'latin1')) === text;
  });
}

async function grepOne(
  { rg, cwd, query, signal }: DocumentGrep,
  name: string,
  input: Buffer,
): Promise<Outcome<readonly GrepRow[]>> {
  const rows: GrepRow[] = [];
  const args = [
    '--no-config',
    '--color=never',
    ...toShapeOptions(query),
    '-e',
    query.pattern,
    '--',
    '-',
  ];
  const ran = await runRipgrep(rg, args, {
    cwd,
    signal,
    separator: query.output === 'files' ? 0 : 10,
    input,
    onRow: (bytes) => {
      const row = parseRow(bytes, query.output);
      if (row !== undefined) rows.push({ ...row, path: name });
      return rows.length <= query.limit;
    },
  });
  return ran.ok ? success(rows) : ran;
}

/**
 * The document's path below the folder; its URI when it has no path; undefined when it is
 * elsewhere.
 */
function toRelativeName(document: OpenDocument, directory: string): string | undefined {
  const documentPath = (document.path ?? findLaterFile(document))?.replaceAll('\\', '/');
  return documentPath === undefined ? document.uri : toNameBelow(documentPath, directory);
}

/** The path below the folder; undefined when it is elsewhere. */
function toNameBelow(file: string, directory: string): string | undefined {
  if (!isBelow(file, directory) || file === directory) return undefined;
  return path.posix.relative(directory, file);
}

/**
 * ripgrep applies the type filter itself, except to standard input and to a file named as argument.
 */
export function typeMatcher({ matches, options }: NameFilter): (name: string) => boolean {
  const glob = options[0]?.replace(/^--type-add=\w+:/, '');
  if (glob === undefined) return matches;
  return (name) => matches(name) && path.posix.matchesGlob(path.posix.basename(name), glob);
}

function escapeGlob(name: string): string {
  return name.replace(/[\\*?[\]{}!]/g, '\\$&');
}
