import path from 'node:path';
import { findInBare } from '../../../permissions/disk/bareRepository.ts';
import { fold } from '../../../permissions/rules/protected.ts';
import type { CopyChange } from '../../../runtime/sandbox/changes/changes.ts';
import type { DecidedChanges } from './decideChanges.ts';
import { changesMode } from './otherChanges.ts';

/** Decides together about what only makes sense, or does harm, together. */
export function keepTogether(decided: DecidedChanges): DecidedChanges {
  return withFolderModes(withRepositories(decided));
}

/**
 * Asks about all that git reads in a folder which gets a file `HEAD` by the same command: with that, git takes the folder
 * for a repository, and its configuration names programs. A `HEAD` always asks, and the rest alone would not.
 */
function withRepositories(decided: DecidedChanges): DecidedChanges {
  const heads = decided.asked
    .map(({ change }) => toPath(change).replaceAll('\\', '/'))
    .filter((file) => fold(path.posix.basename(file)) === 'head')
    .map((file) => fold(path.posix.dirname(file)));
  if (heads.length === 0) return decided;
  const isPlanted = (change: CopyChange) => {
    const file = toPath(change).replaceAll('\\', '/');
    const isThere = (head: string) => heads.includes(fold(path.posix.dirname(head)));
    return change.type !== 'deleted' && findInBare(file, fold, isThere) !== undefined;
  };
  const moved = decided.allowed.filter(isPlanted).map((change) => ({ change, why: PLANTED }));
  return {
    ...decided,
    allowed: decided.allowed.filter((change) => !isPlanted(change)),
    asked: [...decided.asked, ...moved],
  };
}

const PLANTED =
  'Git would take its folder for a repository, because the same command writes a `HEAD` there.';

/**
 * Decides together about the mode of a folder and all that was changed in the folder: where the user is asked about a
 * part, about all of it. What rules allow is written at another time, so that the folder would get its files without its mode.
 */
function withFolderModes(decided: DecidedChanges): DecidedChanges {
  const { allowed, asked } = decided;
  const changes = [...allowed, ...asked.map(({ change }) => change)];
  const folders = new Set(changes.filter(setsFolderMode).map(toPath));
  if (folders.size === 0 || asked.length === 0) return decided;
  const inQuestion = new Set(asked.flatMap(({ change }) => listAbove(change, folders)));
  const isInQuestion = (change: CopyChange) =>
    listAbove(change, folders).some((folder) => inQuestion.has(folder));
  const moved = allowed.filter(isInQuestion).map((change) => ({ change, why: WHY }));
  return {
    ...decided,
    allowed: allowed.filter((change) => !isInQuestion(change)),
    asked: [...asked, ...moved],
  };
}

const WHY = 'It goes with a folder whose mode changes, and with what else is in that.';

function setsFolderMode(change: CopyChange): boolean {
  return change.kind === 'folder' && change.type !== 'deleted' && changesMode(change);
}

/** Those of the folders that the change is in, or about. */
function listAbove(change: CopyChange, folders: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  for (let at = toPath(change); at.length >= change.folder.length; at = path.dirname(at)) {
    if (folders.has(at)) found.push(at);
    if (at === path.dirname(at)) break;
  }
  return found;
}

function toPath({ folder, path: name }: CopyChange): string {
  return path.join(folder, name);
}
