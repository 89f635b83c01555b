import { statSync } from 'node:fs';
import path from 'node:path';
import { ODD } from '../patterns/paths.ts';
import { type GitFolder, readRegular, readText } from './gitFolder.ts';
import { hidesEntries, type IndexParts } from './indexExtensions.ts';

const EXTENDED = 0x4000;
/** The flags contain the length of the name, or this if it is longer. */
const LENGTH = 0xfff;
/** Where the mode and the hash are in an entry. */
const MODE = 24;
const ID = 40;
/** A submodule, files, a link, and a folder of which the files aren't listed. */
const SUBMODULE = 0o160000;
const MODES: ReadonlySet<number> = new Set([SUBMODULE, 0o100644, 0o100755, 0o120000, 0o040000]);
/** The index of some 300,000 files, in bytes. */
const INDEX_LIMIT = 32 * 1024 * 1024;

/** A file or a submodule in git's index. */
export interface TrackedFile {
  /** Relative to the root of the repository. */
  readonly name: string;
  /** The id of the content, in hexadecimal digits. */
  readonly id: string;
  readonly submodule: boolean;
}

/**
 * What git's index holds. Undefined: that can't be told, because the index is split or isn't
 * readable, or has names that git itself never writes.
 */
export function readIndex({ own, common }: GitFolder): readonly TrackedFile[] | undefined {
  const file = path.join(own, 'index');
  try {
    const stat = statSync(file, { throwIfNoEntry: false, bigint: true });
    const hash = findHashLength(readText(path.join(common, 'config')) ?? '');
    const state = `${file}\0${hash}\0${stat?.ino}\0${stat?.size}\0${stat?.mtimeNs}\0${stat?.ctimeNs}`;
    const last = known.get(file);
    if (last?.state === state) return last.files;
    const index = readRegular(file, INDEX_LIMIT);
    const files = index === undefined ? [] : parseIndex(index, hash);
    known.delete(file);
    known.set(file, { state, files });
    for (const oldest of known.keys()) if (known.size > KNOWN_LIMIT) known.delete(oldest);
    return files;
  } catch {
    return undefined;
  }
}

/** The indexes that were read last, since most commands are of the same repository and its submodules. */
const known = new Map<
  string,
  { readonly state: string; readonly files: readonly TrackedFile[] | undefined }
>();
const KNOWN_LIMIT = 4;

/** The paths in git's index, relative to the root of the repository. Undefined: they can't be told. */
export function listTrackedFiles(git: GitFolder): readonly string[] | undefined {
  return readIndex(git)?.map(({ name }) => name);
}

/** Names that the shipped rules about secrets may match. */
const SECRET =
  /(?:^|\/)(?:\.env[^/]*|[^/]*\.env|\.dev\.vars[^/]*|\.dockercfg|\.databrickscfg|\.mylogin\.cnf|\.boto|rclone\.conf|kubeconfig|\.config\/git\/credentials|\.terraform\.d\/credentials\.tfrc\.json|[._]netrc|\.my\.cnf|\.s3cfg|\.vault-token|\.aws\/credentials|\.docker\/config\.json|\.kube\/config|\.config\/gh\/hosts\.yml|\.(?:cargo|gem)\/credentials(?:\.toml)?|\.cargo\/config(?:\.toml)?|\.config\/git\/config|\.yarnrc\.yml|bunfig\.toml|pip\.(?:conf|ini)|gradle\.properties|secrets\.(?:json|toml|ya?ml)|\.terraformrc|terraform\.rc|[^/]*\.tf(?:vars(?:\.json)?|state(?:\.backup)?)|\.gitconfig|\.pgpass|\.git-credentials|\.pypirc|\.htpasswd|\.npmrc|id_[a-z0-9_]+|credentials\.json|[^/]*\.(?:pem|key|p8|ppk|jks|p12|pfx|kdbx|keystore|keytab|kubeconfig))$/i;

/** Those whose names may be secrets'; one that stands for them if the index can't be read. */
export function listTrackedSecrets(git: GitFolder): readonly TrackedFile[] {
  const unknown = { name: '.env', id: '', submodule: false };
  return readIndex(git)?.filter(({ name }) => SECRET.test(name)) ?? [unknown];
}

/**
 * The bytes of a hash: SHA-1, and SHA-256 with `extensions.objectFormat`. The index doesn't tell which, and can be
 * written so that it reads differently with either. Undefined: that can't be told.
 */
function findHashLength(configuration: string): number | undefined {
  const mentions = configuration.match(/objectformat/gi) ?? [];
  if (mentions.length === 0) return 20;
  const [, name] =
    /^[ \t]*objectformat[ \t]*=[ \t]*(sha1|sha256)[ \t\r]*$/im.exec(configuration) ?? [];
  if (mentions.length > 1 || name === undefined) return undefined;
  return name === 'sha1' ? 20 : 32;
}

function parseIndex(index: Buffer, hash: number | undefined): readonly TrackedFile[] | undefined {
  const version = index.readUInt32BE(4);
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  if (hash === undefined) return undefined;
  const found = readEntries(index, version, hash);
  if (found === undefined || hidesEntries(index, found)) return undefined;
  return found.files.every(isWritten) ? found.files : undefined;
}

/** Git writes no name that leads out of the work tree or into `.git`, but reads such names and opens the files. */
const LEADS_OUT =
  process.platform === 'win32'
    ? /(?:^|\/)(?:\.{0,2}|\.git|git~\d)[. ]*(?:\/|$)|[\\:]/i
    : /(?:^|\/)(?:\.{0,2}|\.git)(?:\/|$)/i;

/** A submodule whose name isn't UTF-8 can't be looked up. */
function isWritten({ name, submodule }: TrackedFile): boolean {
  // Of a sparse folder the files aren't listed.
  return !LEADS_OUT.test(name.replace(/(?<=[^/])\/$/, '')) && !(submodule && name.includes(ODD));
}

interface Entries extends IndexParts {
  readonly files: readonly TrackedFile[];
}

/** Undefined: the index doesn't have hashes of this length, or can't be parsed. */
function readEntries(index: Buffer, version: number, hash: number): Entries | undefined {
  const count = index.readUInt32BE(8);
  const files: TrackedFile[] = [];
  const starts = new Map<number, number>();
  let at = 12;
  let previous = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry += 1) {
    const start = at;
    const flags = index.readUInt16BE(at + ID + hash);
    let name = at + ID + hash + ((flags & EXTENDED) === 0 ? 2 : 4);
    let kept = Buffer.alloc(0);
    if (version === 4) {
      const cut = readVariable(index, name);
      kept = previous.subarray(0, previous.length - cut.value);
      name = cut.next;
    }
    const end = index.indexOf(0, name);
    if (end < 0) return undefined;
    previous = Buffer.concat([kept, index.subarray(name, end)]);
    const mode = index.readUInt32BE(at + MODE);
    // With the wrong length of a hash, other bytes would be read as mode and flags.
    if (!MODES.has(mode) || Math.min(previous.length, LENGTH) !== (flags & LENGTH))
      return undefined;
    files.push({
      name: previous.toString('utf8'),
      id: index.toString('hex', at + ID, at + ID + hash),
      submodule: mode === SUBMODULE,
    });
    if (kept.length === 0) starts.set(start, entry);
    // Before version 4, entries are padded to a multiple of eight bytes.
    at = version === 4 ? end + 1 : at + Math.ceil((end - at + 1) / 8) * 8;
  }
  return { files, starts, end: at, hash };
}

/** A number in git's offset encoding. */
function readVariable(
  index: Buffer,
  from: number,
): { readonly value: number; readonly next: number } {
  let next = from;
  let byte = index.readUInt8(next++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = index.readUInt8(next++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, next };
}
