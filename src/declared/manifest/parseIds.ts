import { createHash } from 'node:crypto';
import path from 'node:path';
import { isInFolder } from '../../base/disk/insideFolder.ts';

/** The longest function name that model APIs accept. */
const LONGEST = 64;
/** The source keeps at least one letter before the `_`. */
export const LONGEST_NAME = LONGEST - 2;

/** The source of a manifest without a name in the workspace folder itself. */
const ROOT_SOURCE = 'workspace';

/**
 * `<source>_<name>` in letters, digits, `_` and `-` (spec E-1, decision 48). A long source is cut, and told
 * from others by a hash.
 */
export function importedId(source: string, name: string): string {
  const tail = cleanName(name);
  const head = cleanSource(source);
  const room = Math.max(1, LONGEST - 1 - tail.length);
  if (head.length <= room) return `${head}_${tail}`;
  const hash = toHash(head);
  const rest = room - hash.length - 1;
  return rest < 1 ? `${hash.slice(0, room)}_${tail}` : `${head.slice(0, rest)}_${hash}_${tail}`;
}

/** The id before ids were made independent of the folder's own name. Rules may still be stored for it. */
export function formerId(folderName: string, name: string): string {
  const tail = cleanName(name);
  const words = toWords(folderName) || 'tools';
  return `${words.slice(0, Math.max(1, LONGEST - 1 - tail.length))}_${tail}`;
}

/**
 * The source of the tools in a folder: its path in the workspace. The name of the workspace folder doesn't
 * count, because every clone may have another.
 */
export function toSource(root: string, folder: string): string {
  if (folder === root || !isInFolder(folder, root)) return ROOT_SOURCE;
  return path.relative(root, folder).split(path.sep).join('/');
}

/** Letters outside ASCII would be lost, so a hash stands for them. */
function cleanSource(source: string): string {
  const words = toWords(source);
  if (/^[\x20-\x7e]*$/.test(source)) return words || ROOT_SOURCE;
  const hash = toHash(source.normalize('NFC'));
  return words === '' ? `x${hash}` : `${words}_${hash}`;
}

function toWords(text: string): string {
  return text.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
}

function toHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 6);
}

function cleanName(name: string): string {
  return name.trim().replace(/[^A-Za-z0-9_-]/g, '_');
}

/** The variable of a secret: upper case, every other character `_` (spec D-41). */
export function secretVariable(id: string): string {
  return id.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}

/** Loader variables: setting one runs code in the program (spec B-38, E-7). */
export const LOADER_VARIABLES: ReadonlySet<string> = new Set([
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'LD_AUDIT',
  'DYLD_INSERT_LIBRARIES',
  'DYLD_LIBRARY_PATH',
  'DYLD_FRAMEWORK_PATH',
  'NODE_OPTIONS',
  'BUN_CONFIG_PROFILE',
]);

/** The product's and the editor's own variables. Manifests can't read them because they may hold keys. */
export const PRIVATE_VARIABLE = /^(?:GATEHOUSE_|VSCODE_|ELECTRON_)/;

/** Invisible characters, including the tag block, which can hide instructions in descriptions. */
const INVISIBLE = /[\p{Cf}\p{Co}\u{E0000}-\u{E0FFF}\u115F\u1160\u3164\uFFA0]|(?![\t\n])\p{Cc}/gu;

export function invisibleCount(text: string): number {
  return text.match(INVISIBLE)?.length ?? 0;
}

/** Removes invisible characters, for models and prompts. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, '');
}
