import { lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isInFolder } from '../../../base/disk/insideFolder.ts';
import { processMark, readMark } from '../../../base/disk/processMark.ts';
import { readRegularText } from '../../../base/disk/readRegular.ts';
import { getMessage } from '../../../base/faults.ts';

/**
 * Creates a folder for a socket, which is short, and marks it as this host's. `workspace`: the folders that the run sees.
 * `parents`: replaced by tests.
 */
export function makeProxyFolder(
  workspace: readonly string[] = [],
  parents: readonly string[] = listParents(),
): string {
  let why: unknown = new Error('The workspace holds every folder for its socket.');
  for (const parent of parents) {
    try {
      const real = realpathSync(parent);
      if (workspace.some((root) => isInFolder(real, root))) continue;
      const folder = mkdtempSync(path.join(real, PREFIX));
      writeFileSync(path.join(folder, HOST_FILE), processMark(), { mode: 0o600 });
      return folder;
    } catch (fault) {
      why = fault;
    }
  }
  throw new Error(`The proxy of the sandbox can't be opened: ${getMessage(why)}`);
}

/** Removes the folders of hosts that were killed, as far as they can be found. */
export function removeLeftProxies(parents: readonly string[] = listParents()): void {
  for (const parent of parents) {
    for (const name of names(parent)) {
      const folder = path.join(parent, name);
      if (!name.startsWith(PREFIX) || !isOwn(folder)) continue;
      const host = readRegularText(path.join(folder, HOST_FILE));
      if (host.state === 'read' && readMark(host.text) === 'ended') removeProxyFolder(folder);
    }
  }
}

/** What can't be removed keeps nobody from having a proxy. */
export function removeProxyFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The next host tries again.
  }
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Files can be made in some folders that can't be listed.
    return [];
  }
}

/** Others write there too: in a folder that only this user can enter, nobody else can put a link. */
function isOwn(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return false;
  return stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
}

const PREFIX = 'gatehouse-proxy-';
const HOST_FILE = 'host';

/**
 * Where the socket may lie, the best first. No sandbox shows the first two, but TMPDIR may name a folder of some workspace,
 * whose commands would reach the hosts of all other runs there.
 */
function listParents(): readonly string[] {
  const all = ['/tmp', `/run/user/${process.getuid?.()}`, tmpdir()];
  return [...new Set(all)].filter((folder) => Buffer.byteLength(folder) <= LONGEST);
}

/** Bytes: with what is added, a socket's path has to stay below 108. */
const LONGEST = 80;
