import { statfsSync } from 'node:fs';

/**
 * Whether a folder is on a file system that cannot share a write-ahead log's memory between
 * processes. Detected by file system type on Linux and by path on Windows; assumed local elsewhere.
 */
export function isNetworkFolder(folder: string): boolean {
  if (process.platform === 'win32') return folder.startsWith('\\\\');
  if (process.platform !== 'linux') return false;
  return NETWORK_TYPES.has(Number(statfsSync(folder).type) >>> 0);
}

/**
 * File system types of statfs(2): NFS, SMB, CIFS, SMB2, AFS, Coda, Ceph, 9p, FUSE, VirtualBox,
 * VMware, GFS2, OCFS2.
 */
const NETWORK_TYPES: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x73757245, 0x00c36400, 0x01021997,
  0x65735546, 0x786f4256, 0xbacbacbc, 0x01161970, 0x7461636f,
]);
