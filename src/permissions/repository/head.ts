import path from 'node:path';
import { type GitFolder, readText } from './gitFolder.ts';

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
