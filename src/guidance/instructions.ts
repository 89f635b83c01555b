import path from 'node:path';
import { isInFolder } from '../base/disk/insideFolder.ts';
import { readHead } from '../base/disk/readRegular.ts';
import { createStatCache } from '../base/disk/statCache.ts';
import { removeInvisible, toHiddenNote } from '../base/text/invisible.ts';
import { KB } from '../base/units.ts';
import { foldersUp, toReal } from './foldersUp.ts';
import type { GuidanceFolders, LeftOut } from './guidance.ts';
import { createFindFault, type FindFault } from './ownNames.ts';

/** The instruction files of a session (spec CS-44). */
export interface Instructions {
  /** The outermost first: the user's, then the project's, the nearest last. */
  readonly files: readonly InstructionFile[];
  /** What is missing or cut, for the user. */
  readonly leftOut: readonly LeftOut[];
}

export interface InstructionFile {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
}

/** All of them in one folder count, in this order. */
const NAMES = ['AGENTS.md', 'CLAUDE.md', 'CONTEXT.md'] as const;

/** 8,000 tokens of about 4 characters, over all files (spec CS-45, spec CS-48). */
const CHARACTERS = 32_000;
/** Enough for the whole cap in UTF-8. */
const FILE_BYTES = 4 * 32 * KB;

interface Found {
  readonly file: string;
  /** A link may lead anywhere below this folder. Absent: the file is the user's own. */
  readonly within?: string;
}

export function findInstructions(folders: GuidanceFolders): Instructions {
  const leftOut: LeftOut[] = [];
  const seen = new Set<string>();
  const files: InstructionFile[] = [];
  let left = CHARACTERS;
  const all = listFiles(folders, leftOut);
  const theirs = all.filter(({ within }) => within !== undefined).map(({ file }) => file);
  const findFault = createFindFault(NAMES, theirs, folders.decideRead);
  for (const found of all) {
    const real = toReal(found.file);
    if (real === undefined || seen.has(real)) continue;
    const read = readInstructions(found, real, findFault);
    if (typeof read === 'string') {
      leftOut.push({ file: found.file, why: read });
      continue;
    }
    seen.add(real);
    left -= addFile(found.file, read, left, { files, leftOut });
  }
  return { files, leftOut };
}

/** Adds what fits; returns how many characters that is. */
function addFile(
  file: string,
  { text, cut, hidden }: ReadInstructions,
  left: number,
  { files, leftOut }: { readonly files: InstructionFile[]; readonly leftOut: LeftOut[] },
): number {
  if (files.some((each) => each.text === text) || text === '') return 0;
  if (hidden > 0) {
    leftOut.push({ file, why: toHiddenNote(hidden) });
  }
  const whole = text.length <= left && !cut;
  if (!whole) leftOut.push({ file, why: toCut(left > 0) });
  if (left <= 0) return 0;
  const head = text.slice(0, left).replace(/[\uD800-\uDBFF]$/, '');
  files.push({ file, text: head });
  return head.length;
}

function toCut(some: boolean): string {
  const limit = 'All instruction files together are limited to 8,000 tokens';
  return some ? `${limit}, so only its beginning counts.` : `${limit}, so it is left out.`;
}

/** Everything that may be there, the outermost first. */
function listFiles(folders: GuidanceFolders, leftOut: LeftOut[]): readonly Found[] {
  const { config, home, workspace } = folders;
  const user = [
    path.join(config, 'AGENTS.md'),
    path.join(home, '.agents', 'AGENTS.md'),
    path.join(home, '.claude', 'CLAUDE.md'),
  ].map((file): Found => ({ file }));
  const [root, ...others] = workspace;
  if (root === undefined) return user;
  const up = foldersUp(root, home);
  if (up.foreign !== undefined) noteForeign(up.foreign, leftOut);
  const inFolder = (folder: string, within: string) =>
    NAMES.map((name): Found => ({ file: path.join(folder, name), within }));
  return [
    ...user,
    ...others.flatMap((folder) => inFolder(folder, folder)),
    ...up.folders.flatMap((folder) => inFolder(folder, up.folders[0] ?? folder)),
  ];
}

function noteForeign(folder: string, leftOut: LeftOut[]): void {
  const names = NAMES.map((name) => path.join(folder, name));
  const file = names.find((each) => toReal(each) !== undefined);
  const why = 'Its folder belongs to another user, or others may write to it.';
  if (file !== undefined) leftOut.push({ file, why });
}

interface ReadInstructions {
  readonly text: string;
  /** The file goes on. */
  readonly cut: boolean;
  /** How many invisible characters were removed. */
  readonly hidden: number;
}

const texts = createStatCache<ReadInstructions | string>((file) => toInstructions(file), {
  keptBytes: FILE_BYTES,
});

/** A string says why it can't be read. */
function readInstructions(
  { file, within }: Found,
  real: string,
  findFault: FindFault,
): ReadInstructions | string {
  const top = within === undefined ? undefined : (toReal(within) ?? within);
  if (top !== undefined && !isInFolder(real, top)) {
    return `It is a link to ${real}, which lies outside of the project.`;
  }
  const fault = top === undefined ? undefined : findFault(file, real);
  if (fault !== undefined) return fault;
  try {
    return texts.get(real) ?? 'It is gone.';
  } catch (fault) {
    return `It can't be read: ${String(fault)}`;
  }
}

function toInstructions(file: string): ReadInstructions | string {
  const read = readHead(file, FILE_BYTES);
  if (read.state === 'absent') return 'It is gone.';
  if (read.state === 'unreadable') return `It can't be read: ${read.why}.`;
  const text = toUtf8(read.bytes);
  if (text === undefined) return "It can't be read: it is not UTF-8.";
  const { text: plain, hidden } = removeInvisible(text);
  return { text: plain.trim(), cut: read.bytes.length === FILE_BYTES, hidden };
}

/** The last character may be cut. */
function toUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}
