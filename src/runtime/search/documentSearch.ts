import path from 'node:path';
import type { OpenDocument } from '../../base/openDocument.ts';
import { type Outcome, success } from '../../base/outcome.ts';
import { isBelow } from '../../permissions/patterns/paths.ts';
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

interface DocumentGrep {
  readonly client: ClientFiles | undefined;
  readonly rg: string;
  readonly directory: string;
  readonly query: GrepQuery;
  readonly filter: NameFilter;
  readonly signal: AbortSignal;
  /** The only file to search, as `./name`. */
  readonly single: string | undefined;
  /** Whether a search may return the file. */
  shows(name: string): boolean;
}

/**
 * Searches dirty documents; also returns the options that exclude their files from the search on
 * disk.
 */
export async function grepDocuments(
  parts: DocumentGrep,
): Promise<Outcome<{ readonly rows: readonly GrepRow[]; readonly exclude: readonly string[] }>> {
  const { client, directory, filter, single } = parts;
  if (client === undefined) return success({ rows: [], exclude: [] });
  const type = typeMatcher(filter);
  const rows: GrepRow[] = [];
  const exclude: string[] = [];
  for (const document of await client.documents()) {
    const name = document.dirty ? toRelativeName(document, directory) : undefined;
    if (name === undefined || !type(name) || !parts.shows(name)) continue;
    if (single !== undefined && `./${name}` !== single) continue;
    if (document.path !== null) exclude.push(`--glob=!/${escapeGlob(name)}`);
    const text = await client.readText(document.path ?? document.uri);
    const found = await grepOne(parts, name, Buffer.from(text));
    if (!found.ok) return found;
    rows.push(...found.data);
  }
  return success({ rows, exclude });
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
  { rg, directory, query, signal }: DocumentGrep,
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
    cwd: directory,
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
function toRelativeName({ path: file, uri }: OpenDocument, directory: string): string | undefined {
  const documentPath = (file ?? /^untitled:(\/.*)$/.exec(uri)?.[1])?.replaceAll('\\', '/');
  if (documentPath === undefined) return uri;
  if (!isBelow(documentPath, directory) || documentPath === directory) return undefined;
  return path.posix.relative(directory, documentPath);
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
