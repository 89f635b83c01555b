import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { createStatCache } from '../../base/disk/statCache.ts';
import { MB } from '../../base/units.ts';
import { type GitFolder, readRegular, readText } from './gitFolder.ts';

const ID = /^(?:[\da-f]{40}|[\da-f]{64})$/;
/** A name that leads to no other folder. */
const BRANCH = /^refs\/heads\/(?!.*\.\.)[\w./-]+$/;

/**
 * The id of the current commit, as `git rev-parse HEAD` prints it. Undefined: there is none, or it isn't
 * kept in a file for itself or in `packed-refs`. Throws if one can't be read.
 */
export function readHead({ own, common }: GitFolder): string | undefined {
  const head = readText(path.join(own, 'HEAD'))?.trimEnd() ?? '';
  if (ID.test(head)) return head;
  const branch = /^ref: (.+)$/.exec(head)?.[1] ?? '';
  if (!BRANCH.test(branch)) return undefined;
  const loose = readText(path.join(common, branch));
  const id =
    loose === undefined
      ? findPacked(readText(path.join(common, 'packed-refs')) ?? '', branch)
      : loose.trimEnd();
  return id !== undefined && ID.test(id) ? id : undefined;
}

function findPacked(text: string, branch: string): string | undefined {
  for (const line of text.split('\n')) {
    const [id, name] = line.split(' ');
    if (name === branch) return id;
  }
  return undefined;
}

/**
 * Whether git takes some objects of the repository for others (`git replace`), so that the name of a file in a commit
 * may be that of any content. Throws if that can't be told.
 */
export function hasReplacements({ common }: GitFolder): boolean {
  if (list(path.join(common, 'refs/replace')).length > 0) return true;
  const tables = path.join(common, 'reftable');
  const files = list(tables).map((name) => path.join(tables, name));
  return [path.join(common, 'packed-refs'), ...files].some((file) => replacing.get(file) === true);
}

/** In a table, names begin with what differs from the name before. */
const replacing = createStatCache(
  (file) => readRegular(file, PACKED_BYTES)?.includes('replace/') === true,
  { keptBytes: Number.POSITIVE_INFINITY },
);
const PACKED_BYTES = 64 * MB;

function list(folder: string): readonly string[] {
  return statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder);
}
