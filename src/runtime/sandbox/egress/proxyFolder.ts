import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { processMark, readMark } from '../../../base/disk/processMark.ts';
import { readRegularText } from '../../../base/disk/readRegular.ts';

/** Creates a folder for a socket, which is short, and marks it as this host's. */
export function makeProxyFolder(): string {
  const folder = mkdtempSync(path.join(shortFolder(), PREFIX));
  writeFileSync(path.join(folder, HOST_FILE), processMark(), { mode: 0o600 });
  return folder;
}

/** Removes the folders of hosts that were killed, as far as they can be found. */
export function removeLeftProxies(): void {
  const parent = shortFolder();
  for (const name of names(parent)) {
    const folder = path.join(parent, name);
    if (!name.startsWith(PREFIX) || !isOwn(folder)) continue;
    const host = readRegularText(path.join(folder, HOST_FILE));
    if (host.state === 'read' && readMark(host.text) === 'ended') removeProxyFolder(folder);
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

/** The system's folder for temporary files, unless a socket's path would be too long there. */
function shortFolder(): string {
  const folder = tmpdir();
  return Buffer.byteLength(folder) > 80 ? '/tmp' : folder;
}
