import { isInFolder } from '../../../base/disk/insideFolder.ts';
import type { Preview } from '../../../gate/preview.ts';
import type { OtherChange } from './otherChanges.ts';
import type { ReviewedChanges } from './reviewedChanges.ts';

/** What of the list is made, and sentences for the model about the rest. */
export interface ChosenOthers {
  readonly made: readonly OtherChange[];
  readonly notes: readonly string[];
}

/**
 * The listed changes that the user keeps. A change of a mode goes with the text that it belongs to, and a folder
 * is not deleted while something in it stays. What lies in a new folder is left out with it.
 */
export function chooseOthers(
  { texts, others }: ReviewedChanges,
  approved: Preview,
  leftOut: ReadonlySet<string>,
): ChosenOthers {
  const kept = new Set(approved.changes.map(({ path }) => path));
  const isOut = ({ entry, withText }: OtherChange, at: number) =>
    leftOut.has(String(at)) || (withText === true && !kept.has(entry.path));
  const out = others.filter(isOut);
  const wanted = others.filter((other, at) => !isOut(other, at));
  const staying = [
    ...texts.filter(({ path }) => !kept.has(path)).map(({ path }) => path),
    ...approved.changes.flatMap(({ path, newText }) => (newText === undefined ? [] : [path])),
    ...out.map(({ entry }) => entry.path),
  ];
  const isFilled = ({ entry: { path, before, after } }: OtherChange) =>
    before === 'folder' &&
    after.type === 'none' &&
    staying.some((each) => each !== path && isInFolder(each, path));
  const leftFolders = out.filter(({ entry: { after } }) => after.type === 'folder');
  const isOrphaned = ({ entry: { path } }: OtherChange) =>
    leftFolders.some(({ entry }) => isInFolder(path, entry.path));
  return {
    made: wanted.filter((other) => !isFilled(other) && !isOrphaned(other)),
    notes: [
      ...toNote('Left out in the review', out),
      ...toNote('Not created, because its folder was left out', wanted.filter(isOrphaned)),
      ...toNote('Not deleted, because something in it stays', wanted.filter(isFilled)),
    ],
  };
}

function toNote(what: string, others: readonly OtherChange[]): readonly string[] {
  if (others.length === 0) return [];
  return [`${what}: ${others.map(({ shown }) => shown).join('; ')}.`];
}
