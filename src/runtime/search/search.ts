import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { SearchFilter } from '../../permissions/evaluate/searchFilter.ts';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
import { describeSpecial, openFolder } from '../files/open.ts';
import { findRealPath } from '../files/realPath.ts';
import type { ClientFiles, Gate, Search } from '../runtime.ts';
import type { FilesQuery, GrepQuery, GrepResult, GrepRow } from '../searchQuery.ts';
import { changedSince, findFiles, searchStart } from './changedFolders.ts';
import { grepDocuments, searchAgain, typeMatcher, unsavedDocuments } from './documentSearch.ts';
import { type NameFilter, namesHidden, parseNameFilter } from './nameFilter.ts';
import { findRipgrep } from './ripgrep.ts';
import { createRowJoiner, parseRow } from './ripgrepRow.ts';
import { runRipgrep, toShapeOptions } from './runRipgrep.ts';

export interface SearchOptions {
  readonly folders: PolicyFolders;
  readonly gate: Gate;
  readonly signal: AbortSignal;
  readonly client?: ClientFiles;
  /** The editor's ripgrep. */
  readonly rgPath?: string;
}

/** Searching with ripgrep; dirty and unsaved documents in place of what is on disk. */
export function createSearch(options: SearchOptions): Search {
  return {
    files: (query) => files(options, query),
    grep: (query) => grep(options, query),
  };
}

/** Options without which a configuration file or a name could add its own. */
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
  { rg, cwd, directory, name: single }: Target,
  query: FilesQuery,
  filter: NameFilter,
): Promise<Outcome<readonly string[]>> {
  if (single !== undefined)
    return failure(`${query.directory} is a file. Give its folder as path.`);
  // ripgrep sorts while it lists, which costs less than asking for every file's time again.
  const shape = ['--files', '--null', '--sortr=modified'];
  const shown = hidden(query.hidden || namesHidden(query.pattern));
  const args = [...ALWAYS, ...shape, ...shown, ...filter.options];
  const { shows } = options.gate.filterBelow(directory) ?? NO_FILTER;
  const found: string[] = [];
  const doubtful: string[] = [];
  // Since it sorts, ripgrep has been in every folder by its first row: they are looked at while it ends.
  const changed = changedSince(cwd, searchStart());
  const ran = await runRipgrep(rg, [...args, '--', './'], {
    cwd,
    signal: options.signal,
    separator: 0,
    onRow: (row) => {
      const name = toRelative(row.toString('utf8'));
      if (!filter.matches(name) || !shows(name)) return true;
      found.push(name);
      // Of the file its name alone is told: what matters is whether another folder stood around it.
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
  return success([...new Set([...unsaved.filter(shows), ...there])]);
}

const NO_FILTER: SearchFilter = { shows: () => true, own: false };

async function grep(options: SearchOptions, query: GrepQuery): Promise<Outcome<GrepResult>> {
  if (query.pattern.includes('\0')) return failure('The pattern holds a NUL: write it as \\x00.');
  const filter = parseNameFilter(query.include);
  if (!filter.ok) return filter;
  return withTarget(options, query.directory, (target) =>
    grepFiles(options, target, query, filter.data),
  );
}

async function grepFiles(
  options: SearchOptions,
  { rg, cwd, directory, name }: Target,
  query: GrepQuery,
  filter: NameFilter,
): Promise<Outcome<GrepResult>> {
  const { client, signal } = options;
  if (name !== undefined && !typeMatcher(filter)(toRelative(name))) {
    return success({
      rows: [],
      more: false,
      notes: ['include leaves out the file that path names.'],
    });
  }
  // A file that was named has been judged by itself.
  const below = name === undefined ? options.gate.filterBelow(directory) : undefined;
  const kept = below ?? NO_FILTER;
  const shows = remember(kept.shows);
  const part = { client, rg, directory, query, filter, signal, single: name, shows };
  const dirty = await grepDocuments(part);
  if (!dirty.ok) return dirty;
  const rows: GrepRow[] = [];
  const start = searchStart();
  let matches = dirty.data.rows.filter((row) => !row.context).length;
  const args = [...grepArguments(query), ...filter.options, ...dirty.data.exclude];
  const joined = createRowJoiner();
  const ran = await runRipgrep(rg, [...args, '--', name ?? './'], {
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
      // One more than the limit tells that there is more.
      return matches <= query.limit;
    },
  });
  if (!ran.ok) return failure(withoutOptions(ran.error));
  const certain = await searchAgain(part, rows, changedSince(cwd, start));
  if (!certain.ok) return certain;
  const found = await readable(options, directory, [...dirty.data.rows, ...certain.data]);
  // Said whether or not something matched there: that it did is what those files hold.
  const notes = kept.own ? ['Files that the rules keep from being read are left out.'] : [];
  return success({ rows: found, more: matches > query.limit, notes });
}

/** ripgrep's own words, but for the options it advises, which no call can give. */
function withoutOptions(message: string): string {
  const [said = ''] = message.split('\n\nConsider enabling');
  if (said === message) return message;
  return `${said}\nEach line is searched by itself, without look-around and back-references. Search for a part of it, and see what stands around with context.`;
}

/** A file's rows come one after the other. */
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

/** What was found is judged again as what it is by now: a link may stand where a folder stood. */
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

/** `.git` is never of interest, hidden files on request. */
function hidden(wanted: boolean | undefined): readonly string[] {
  return wanted ? ['--hidden', '--glob=!.git'] : [];
}

interface Target {
  readonly rg: string;
  /** The folder that is searched, or that holds the one file. Absolute, links resolved. */
  readonly directory: string;
  /** The same folder as it was opened: it stays the same when its name leads elsewhere. */
  readonly cwd: string;
  /** Set when one file is searched, as `./name`. */
  readonly name?: string;
}

/** Searching a folder is reading below it; a link in it is never followed. */
async function withTarget<Data>(
  { folders, gate, rgPath }: SearchOptions,
  written: string,
  search: (target: Target) => Promise<Outcome<Data>>,
): Promise<Outcome<Data>> {
  const resolved = findRealPath({ folders, gate }, written);
  if (!resolved.ok) return resolved;
  const real = resolved.data;
  const authorized = await gate.authorize({ capability: 'fs.read', target: real });
  if (!authorized.ok) return authorized;
  const stats = await lstat(real).catch(() => undefined);
  if (stats === undefined) return failure(`${real} does not exist. Use glob to find the folder.`);
  if (stats.isSymbolicLink()) return failure(`${real} leads in circles.`);
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

function toRelative(name: string): string {
  const slashed = process.platform === 'win32' ? name.replaceAll('\\', '/') : name;
  return slashed.replace(/^\.\//, '');
}
