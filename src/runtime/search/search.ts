import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { SearchFilter } from '../../permissions/evaluate/searchFilter.ts';
import { isBelow } from '../../permissions/patterns/paths.ts';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
import { describeSpecial, openFolder } from '../files/open.ts';
import { findRealPath } from '../files/realPath.ts';
import type { Overlay } from '../overlay.ts';
import type { ClientFiles, Gate, Search } from '../runtime.ts';
import type { FilesQuery, GrepQuery, GrepResult, GrepRow } from '../searchQuery.ts';
import { changedSince, findFiles, searchStart } from './changedFolders.ts';
import {
  grepDocuments,
  proposedNames,
  searchAgain,
  typeMatcher,
  unsavedDocuments,
} from './documentSearch.ts';
import { type NameFilter, namesHidden, parseNameFilter } from './nameFilter.ts';
import { findRipgrep } from './ripgrep.ts';
import { createRowJoiner, parseRow } from './ripgrepRow.ts';
import { runRipgrep, toShapeOptions } from './runRipgrep.ts';

export interface SearchOptions {
  readonly folders: PolicyFolders;
  readonly gate: Gate;
  readonly signal: AbortSignal;
  readonly client?: ClientFiles;
  /** The proposed changes that the call sees. */
  readonly overlay?: Overlay;
  /** The editor's ripgrep. */
  readonly rgPath?: string;
}

/** Searches with ripgrep; dirty and unsaved documents take the place of what is on disk. */
export function createSearch(options: SearchOptions): Search {
  return {
    files: (query) => files(options, query),
    grep: (query) => grep(options, query),
  };
}

/** Keep configuration files from adding options, and links from being followed. */
const ALWAYS = [
  '--no-config',
  '--no-messages',
  '--color=never',
  '--no-follow',
  '--no-require-git',
] as const;

async function files(
  options: SearchOptions,
  query: FilesQuery,
): Promise<Outcome<readonly string[]>> {
  const filter = parseNameFilter(query.pattern);
  if (!filter.ok) return filter;
  return withTarget(options, query.directory, (target) =>
    listFiles(options, target, query, filter.data),
  );
}

async function listFiles(
  options: SearchOptions,
  { rg, cwd, directory, name: single, proposed: isProposed }: Target,
  query: FilesQuery,
  filter: NameFilter,
): Promise<Outcome<readonly string[]>> {
  if (single !== undefined) return failure(`${query.directory} is a file. Use its folder as path.`);
  // Sorting in ripgrep is cheaper than reading every file's time again.
  const shape = ['--files', '--null', '--sortr=modified'];
  const shown = hidden(query.hidden || namesHidden(query.pattern));
  const args = [...ALWAYS, ...shape, ...shown, ...filter.options];
  const { shows } = options.gate.filterBelow(directory) ?? NO_FILTER;
  const found: string[] = [];
  const doubtful: string[] = [];
  // Because it sorts, ripgrep has visited every folder before its first row. The folders are
  // checked while it exits.
  const changed = changedSince(cwd, searchStart());
  const ran = isProposed
    ? success(undefined)
    : await runRipgrep(rg, [...args, '--', './'], {
        cwd,
        signal: options.signal,
        separator: 0,
        onRow: (row) => {
          const name = toRelative(row.toString('utf8'));
          if (!filter.matches(name) || !shows(name)) return true;
          found.push(name);
          // Only the file's name is returned, so only a swapped parent folder matters.
          const folder = path.posix.dirname(name);
          if (folder !== '.' && changed(folder)) doubtful.push(name);
          return true;
        },
      });
  if (!ran.ok) return ran;
  const unsaved = await unsavedDocuments(options.client, directory, filter);
  const files = findFiles(directory, doubtful);
  const gone = new Set(doubtful.filter((name) => !files.has(name)));
  const there = gone.size === 0 ? found : found.filter((name) => !gone.has(name));
  const proposed = proposedNames(options.overlay, directory, filter);
  const names = [...proposed.there.filter(shows), ...unsaved.filter(shows), ...there];
  return success([...new Set(names)].filter((name) => !proposed.gone.has(name)));
}

const NO_FILTER: SearchFilter = { shows: () => true, own: false };

async function grep(options: SearchOptions, query: GrepQuery): Promise<Outcome<GrepResult>> {
  if (query.pattern.includes('\0'))
    return failure('The pattern contains a NUL character. Write it as \\x00.');
  const filter = parseNameFilter(query.include);
  if (!filter.ok) return filter;
  return withTarget(options, query.directory, (target) =>
    grepFiles(options, target, query, filter.data),
  );
}

async function grepFiles(
  options: SearchOptions,
  { rg, cwd, directory, name, proposed }: Target,
  query: GrepQuery,
  filter: NameFilter,
): Promise<Outcome<GrepResult>> {
  const { client, overlay, signal } = options;
  if (name !== undefined && !typeMatcher(filter)(toRelative(name))) {
    const notes = ['include excludes the file in path.'];
    return success({ rows: [], more: false, notes });
  }
  // A file named by the call was authorized itself.
  const below = name === undefined ? options.gate.filterBelow(directory) : undefined;
  const kept = below ?? NO_FILTER;
  const shows = remember(kept.shows);
  const showsText = toTextTest(options, directory);
  const own = { rg, cwd, directory, query, filter, single: name, shows, showsText };
  const part = { ...own, client, overlay, signal };
  const dirty = await grepDocuments(part);
  if (!dirty.ok) return dirty;
  const rows: GrepRow[] = [];
  const start = searchStart();
  let matches = dirty.data.rows.filter((row) => !row.context).length;
  const args = [...grepArguments(query), ...filter.options, ...dirty.data.exclude];
  const joined = createRowJoiner();
  // ripgrep searches a file that is named, whatever is excluded.
  const isSearched = name !== undefined && dirty.data.exclude.length > 0;
  const ran =
    proposed || isSearched
      ? success(undefined)
      : await runRipgrep(rg, [...args, '--', name ?? './'], {
          cwd,
          signal,
          separator: query.output === 'files' ? 0 : 10,
          onRow: (bytes) => {
            const whole = query.output === 'files' ? bytes : joined(bytes);
            const row = whole && parseRow(whole, query.output);
            const file = row && toRelative(row.path);
            if (row === undefined || file === undefined || !filter.matches(file)) return true;
            if (!shows(file)) return true;
            if (!row.context) matches += 1;
            rows.push({ ...row, path: file });
            // One match above the limit shows that there are more.
            return matches <= query.limit;
          },
        });
  if (!ran.ok) return failure(withoutOptions(ran.error));
  const certain = await searchAgain(part, rows, changedSince(cwd, start));
  if (!certain.ok) return certain;
  const found = await readable(options, directory, [...dirty.data.rows, ...certain.data]);
  // Added whether or not such files matched, because a match would reveal their content.
  const notes = kept.own ? ['Files that permission rules deny reading were skipped.'] : [];
  return success({ rows: found, more: matches > query.limit, notes });
}

/** Whether the text of a document, which isn't saved, may be shown. */
function toTextTest({ gate }: SearchOptions, directory: string) {
  return async (file: string, unsaved: string): Promise<boolean> => {
    const target = `${directory}/${file}`;
    return (await gate.authorize({ capability: 'fs.read', target, unsaved })).ok;
  };
}

/** ripgrep's message without the options it recommends, which calls can't set. */
function withoutOptions(message: string): string {
  const [reason = ''] = message.split('\n\nConsider enabling');
  if (reason === message) return message;
  return `${reason}\nEach line is searched separately, without look-around and backreferences. Search for part of the pattern and use context to see the lines around it.`;
}

/** Caches the last answer, because a file's rows arrive together. */
function remember(shows: SearchFilter['shows']): SearchFilter['shows'] {
  let last = '';
  let answer = false;
  return (name) => {
    if (name === last) return answer;
    last = name;
    answer = shows(name);
    return answer;
  };
}

/** Authorizes each file again under its current path: a link may have replaced a folder. */
async function readable(
  { gate }: SearchOptions,
  directory: string,
  rows: readonly GrepRow[],
): Promise<readonly GrepRow[]> {
  const answers = new Map<string, boolean>();
  for (const { path: file } of rows) {
    if (answers.has(file)) continue;
    const target = `${directory}/${file}`;
    const authorized = await gate.authorize({ capability: 'fs.read', target });
    answers.set(file, authorized.ok);
  }
  return rows.filter(({ path: file }) => answers.get(file));
}

function grepArguments(query: GrepQuery): readonly string[] {
  const shown = hidden(query.hidden || namesHidden(query.include));
  return [...ALWAYS, ...toShapeOptions(query), ...shown, '-e', query.pattern];
}

/** `.git` is always excluded; hidden files are excluded by default. */
function hidden(wanted: boolean | undefined): readonly string[] {
  return wanted ? ['--hidden', '--glob=!.git'] : [];
}

interface Target {
  readonly rg: string;
  /** The searched folder, or the parent of the single file. Absolute, links resolved. */
  readonly directory: string;
  /** The same folder as it was opened: stays the same if the path is redirected. */
  readonly cwd: string;
  /** Set when a single file is searched, as `./name`. */
  readonly name?: string;
  /** The target is only in the overlay, so there is nothing to search on disk. */
  readonly proposed?: true;
}

/** Opens the folder or file to search after authorizing it. Links below it are never followed. */
async function withTarget<Data>(
  { folders, gate, overlay, rgPath }: SearchOptions,
  written: string,
  search: (target: Target) => Promise<Outcome<Data>>,
): Promise<Outcome<Data>> {
  const resolved = findRealPath({ folders, gate }, written);
  if (!resolved.ok) return resolved;
  const real = resolved.data;
  const authorized = await gate.authorize({ capability: 'fs.read', target: real });
  if (!authorized.ok) return authorized;
  const stats = await lstat(real).catch(() => undefined);
  if (stats === undefined) {
    const proposed = findProposed(overlay, real);
    if (proposed === undefined) {
      return failure(`${real} does not exist. Use glob to find the folder.`);
    }
    const rg = await findRipgrep(rgPath);
    return rg.ok ? search({ rg: rg.data, cwd: folders.cwd, ...proposed }) : rg;
  }
  if (stats.isSymbolicLink()) return failure(`${real} contains a cycle of symbolic links.`);
  if (!stats.isDirectory() && !stats.isFile()) return failure(describeSpecial(real));
  const rg = await findRipgrep(rgPath);
  if (!rg.ok) return rg;
  const directory = stats.isDirectory() ? real : path.posix.dirname(real);
  const folder = openFolder(directory, false);
  if (!folder.ok) return folder;
  try {
    const name = stats.isDirectory() ? {} : { name: `./${path.posix.basename(real)}` };
    return await search({ rg: rg.data, directory, cwd: folder.data.at('.'), ...name });
  } finally {
    folder.data.close();
  }
}

/** A file that the overlay creates, or a folder with such files. */
function findProposed(
  overlay: Overlay | undefined,
  real: string,
): Pick<Target, 'directory' | 'name' | 'proposed'> | undefined {
  const there = (overlay?.list() ?? []).filter(({ text }) => text !== undefined);
  const proposed = true;
  if (there.some(({ path: file }) => file === real)) {
    return {
      directory: path.posix.dirname(real),
      name: `./${path.posix.basename(real)}`,
      proposed,
    };
  }
  return there.some(({ path: file }) => isBelow(file, real))
    ? { directory: real, proposed }
    : undefined;
}

function toRelative(name: string): string {
  const slashed = process.platform === 'win32' ? name.replaceAll('\\', '/') : name;
  return slashed.replace(/^\.\//, '');
}
