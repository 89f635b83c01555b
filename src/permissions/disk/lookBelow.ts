import { type Dirent, lstat, lstatSync, readdir, type Stats } from 'node:fs';
import { type LinkCache, ODD, type RealPath, resolvePath } from '../patterns/paths.ts';

/** What to look for below a folder, and where. Names are relative to the folder, with `/`. */
export interface LookRequest {
  /** Real and absolute. */
  readonly folder: string;
  /** Other paths by which the command reaches the folder. */
  readonly names: readonly string[];
  /** It matters by which links a folder is reached, so it is looked through for each way to it. */
  readonly everyWay: boolean;
  /** Whether a file or folder directly in a folder is left out because its name is hidden. */
  skips(folder: string, name: string): boolean;
  /** Links are followed, and listed. */
  readonly follows: boolean;
  readonly platform: NodeJS.Platform;
  /** The folder ignores case. */
  readonly folds?: boolean;
  readonly links: LinkCache;
  /** Files with one of these inodes (`dev:ino`) count whatever their name is. */
  readonly inodes: ReadonlySet<string>;
  /** Returns a test of which names directly in a folder, given by its path, count. */
  namesIn(folder: string): (name: string) => boolean;
  /** Whether something below the folder may count. */
  enters(folder: string): boolean;
  /** Whether everything in the folder counts, so that the folder is listed instead of its files. */
  countsWhole(folder: string): boolean;
  /** Whether the file or folder, given by its path, isn't where a sweep of the folder may lead. */
  leadsOut(path: string): boolean;
  leavesOut(name: string, kind: 'file' | 'folder' | 'link'): boolean;
}

/** A file that counts, or a folder in which every file does. */
export interface Found extends RealPath {
  readonly name: string;
  readonly folder: boolean;
}

/** A link below the folder that leads out. */
export interface FoundLink {
  readonly name: string;
  /** Undefined: where it leads can't be told. */
  readonly target: RealPath | undefined;
}

export interface Look {
  readonly found: readonly Found[];
  readonly links: readonly FoundLink[];
  /** Why there may be more; undefined: this is everything. */
  readonly gap?: Gap;
}

export type Gap =
  | { readonly why: 'time' | 'many' | 'changes' }
  | { readonly why: 'large'; readonly entries: number }
  | { readonly why: 'unreadable'; readonly name: string };

/** Folders that are read at the same time. */
const CONCURRENCY = 16;
/** Maximum number of files, and of links, that are listed. */
const FOUND_LIMIT = 200;

interface Folder {
  readonly path: string;
  /** Empty for the folder itself. */
  readonly name: string;
  /** The folder above in which every file counts. */
  readonly whole?: Found;
  /** The folder that it, or the link to it, was found in. */
  readonly above?: Folder;
}

/**
 * Looks for files below a folder by their names, without reading any. Links, file types and
 * listings are all it reads, in the background; after `ms` milliseconds it ends with a gap.
 */
export async function lookBelow(request: LookRequest, ms: number): Promise<Look> {
  const started = performance.now();
  const { linked, ...look } = await walkBelow(request, ms);
  if (linked.size === 0 || look.gap !== undefined) return look;
  const again = { ...request, inodes: new Set([...request.inodes, ...linked]) };
  const { linked: _linked, ...second } = await walkBelow(again, ms - (performance.now() - started));
  return second;
}

/** `linked`: the inodes of files that are left out but have other names. */
type Walked = Look & { readonly linked: ReadonlySet<string> };

function walkBelow(request: LookRequest, ms: number): Promise<Walked> {
  const nothing = { found: [], links: [], linked: new Set<string>() };
  if (ms <= 0) return Promise.resolve({ ...nothing, gap: { why: 'time' } });
  return new Promise((resolve) => {
    const walk = new FolderWalk(request, (walked) => {
      clearTimeout(timer);
      resolve(walked);
    });
    const timer = setTimeout(() => walk.end({ why: 'time' }), ms);
    walk.start();
  });
}

class FolderWalk {
  readonly #request: LookRequest;
  readonly #done: (walked: Walked) => void;
  readonly #queue: Folder[] = [];
  readonly #visited = new Set<string>();
  readonly #found = new Map<string, Found>();
  readonly #links: FoundLink[] = [];
  readonly #linked = new Set<string>();
  #gap: Gap | undefined;
  #active = 0;
  #ended = false;

  constructor(request: LookRequest, done: (walked: Walked) => void) {
    this.#request = request;
    this.#done = done;
  }

  start(): void {
    this.#add({ path: this.#request.folder, name: '' });
    this.#proceed();
  }

  end(gap?: Gap): void {
    if (this.#ended) return;
    this.#ended = true;
    const found = [...this.#found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const why = gap ?? this.#gap;
    const [links, linked] = [this.#links, this.#linked];
    this.#done({ found, links, linked, ...(why && { gap: why }) });
  }

  #add(folder: Folder): void {
    const { path, name } = folder;
    const { everyWay } = this.#request;
    const way = everyWay ? `${path}\0${name}` : path;
    if (this.#visited.has(way) || (everyWay && isLoop(folder))) return;
    this.#visited.add(way);
    this.#queue.push(folder);
  }

  #proceed(): void {
    while (!this.#ended && this.#active < CONCURRENCY) {
      const folder = this.#queue.pop();
      if (folder === undefined) break;
      if (folder.whole !== undefined && this.#found.has(folder.whole.name)) continue;
      this.#active += 1;
      readdir(folder.path, { withFileTypes: true }, (error, entries) => {
        if (this.#ended) return;
        if (error === null) this.#list(folder, entries);
        else this.#fail(error, folder.name);
        this.#leave();
      });
    }
    if (this.#active === 0) this.end();
  }

  #leave(): void {
    this.#active -= 1;
    this.#proceed();
  }

  /** A folder that is gone holds nothing; one that can't be read may hold anything. */
  #fail({ code }: NodeJS.ErrnoException, name: string): void {
    const gone = code === 'ENOTDIR' || (code === 'ENOENT' && !name.includes(ODD));
    if (!gone) this.#gap ??= { why: 'unreadable', name };
  }

  #list(folder: Folder, entries: readonly Dirent[]): void {
    const { skips, follows, inodes, namesIn, leavesOut } = this.#request;
    const ways = [folder.path, ...this.#listOthers(folder)];
    const tests = ways.map((each) => namesIn(each));
    for (const entry of entries) {
      if (ways.every((each) => skips(each, entry.name))) continue;
      const name = folder.name === '' ? entry.name : `${folder.name}/${entry.name}`;
      const matters = entry.isSymbolicLink() ? follows : inodes.size > 0;
      if (matters && entry.name.includes(ODD)) this.#gap ??= { why: 'unreadable', name };
      const path = join(folder.path, entry.name);
      if (entry.isDirectory()) this.#enter({ path, name, above: folder, ...pick(folder) });
      else if (entry.isSymbolicLink()) {
        if (follows && !leavesOut(name, 'link')) this.#follow(folder, path, name);
      } else if (folder.whole !== undefined || tests.some((counts) => counts(entry.name)))
        this.#count(folder, path, name);
      else if (inodes.size > 0 && entry.isFile()) this.#compare(path, name);
    }
  }

  #enter(folder: Folder): void {
    const { enters, countsWhole, leavesOut } = this.#request;
    const { path, name } = folder;
    if (leavesOut(name, 'folder')) return;
    if (folder.whole !== undefined) this.#add(folder);
    else if (countsWhole(path)) this.#add({ ...folder, whole: this.#toFound(path, name, true) });
    else if (enters(path) || this.#listOthers(folder).some(enters)) this.#add(folder);
  }

  #follow(folder: Folder, path: string, name: string): void {
    const { platform, links } = this.#request;
    const resolved = resolvePath(path, { cwd: undefined, platform, links });
    const target = resolved.ok ? resolved : undefined;
    const stats = target && tryStat(target.path);
    // A link that leads nowhere can't be followed.
    if (target !== undefined && stats === undefined) return;
    if (target === undefined || this.#request.leadsOut(target.path)) {
      this.#links.push({ name, target });
      if (this.#links.length >= FOUND_LIMIT) this.end({ why: 'many' });
    }
    if (target === undefined || stats === undefined) return;
    const ways = [target.path, path, ...this.#listOthers({ path, name })];
    if (stats.isDirectory()) this.#add({ path: target.path, name, above: folder });
    else if (ways.some((each) => this.#countsByName(each)))
      this.#count({ path: dirname(target.path), name: '' }, target.path, name);
    else this.#compareWith(stats, target.path, name);
  }

  #countsByName(path: string): boolean {
    return this.#request.namesIn(dirname(path))(path.slice(path.lastIndexOf('/') + 1));
  }

  #count({ whole }: Folder, path: string, name: string): void {
    if (this.#request.leavesOut(name, 'file')) {
      // Its content may be reached by another name.
      const stats = tryStat(path);
      if (stats !== undefined && stats.nlink > 1) this.#linked.add(`${stats.dev}:${stats.ino}`);
      return;
    }
    const found = whole ?? this.#toFound(path, name, false);
    this.#found.set(found.name, found);
    if (this.#found.size >= FOUND_LIMIT) this.end({ why: 'many' });
  }

  /** Looks whether the file is another name of one that counts. */
  #compare(path: string, name: string): void {
    this.#active += 1;
    lstat(path, (error, stats) => {
      if (this.#ended) return;
      if (error === null) this.#compareWith(stats, path, name);
      this.#leave();
    });
  }

  #compareWith(stats: Stats, path: string, name: string): void {
    if (stats.nlink < 2 || !this.#request.inodes.has(`${stats.dev}:${stats.ino}`)) return;
    if (this.#request.leavesOut(name, 'file')) return;
    const inode = { dev: stats.dev, ino: stats.ino };
    this.#found.set(name, { ...this.#toFound(path, name, false), inode });
  }

  #toFound(path: string, name: string, folder: boolean): Found {
    const names = this.#listOthers({ path, name });
    const { folds } = this.#request;
    return { path, name, folder, ...(names.length > 0 && { names }), ...(folds && { folds }) };
  }

  /** The other paths by which the file or folder is reached. */
  #listOthers({ path, name }: Folder): readonly string[] {
    const { folder, names, follows } = this.#request;
    if (!follows && names.length === 0) return NO_NAMES;
    const ways =
      name === '' ? [folder, ...names] : [folder, ...names].map((each) => join(each, name));
    return ways.filter((each) => each !== path);
  }
}

const NO_NAMES: readonly string[] = [];

/** Whether a link leads to a folder that it lies in, where programs stop. */
function isLoop({ path, above }: Folder): boolean {
  for (let each = above; each !== undefined; each = each.above) if (each.path === path) return true;
  return false;
}

function pick({ whole }: Folder): Pick<Folder, 'whole'> {
  return whole === undefined ? {} : { whole };
}

function dirname(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function join(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

function tryStat(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // It can't be looked up, so it can't be opened by this path either.
    return undefined;
  }
}
