import { createHash } from 'node:crypto';
import { lstat, readFile, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';

/** A file in a tree or in the index of a repository. */
export interface TreeFile {
  /** Relative to the root of the work tree, with `/`. */
  readonly name: string;
  /** In octal, as git prints it. */
  readonly mode: string;
  readonly id: string;
}

/** The most bytes of a file that are compared. */
const BYTES = 4 * 1024 * 1024;

/** Whether the file in the work tree is certainly the same, so that writing it changes nothing. */
export async function isOnDisk({ name, mode, id }: TreeFile, root: string): Promise<boolean> {
  const file = path.join(root, name);
  try {
    if ((await realpath(path.dirname(file))) !== path.dirname(file)) return false;
    const stats = await lstat(file);
    // A submodule is a folder of its own.
    if (mode === SUBMODULE) return stats.isDirectory();
    if (mode === LINK) return stats.isSymbolicLink() && hash(await readLink(file), id) === id;
    const runs = (stats.mode & 0o100) !== 0;
    const sameMode = process.platform === 'win32' || runs === (mode === '100755');
    if (!stats.isFile() || !sameMode || stats.size > BYTES) return false;
    return hash(await readFile(file), id) === id;
  } catch {
    // There is no such file, or it can't be read and compared.
    return false;
  }
}

/** Whether something has this name. */
export async function exists(name: string, root: string): Promise<boolean> {
  try {
    await lstat(path.join(root, name));
    return true;
  } catch {
    // There is nothing to remove.
    return false;
  }
}

const SUBMODULE = '160000';
const LINK = '120000';

async function readLink(file: string): Promise<Buffer> {
  return readlink(file, { encoding: 'buffer' });
}

/** The id that git gives to the content, in the format of another id. */
function hash(content: Buffer, like: string): string {
  const algorithm = like.length === 64 ? 'sha256' : 'sha1';
  return createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex');
}
