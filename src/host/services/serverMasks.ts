import { statSync } from 'node:fs';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { MASK_LIMIT } from '../../runtime/sandbox/prepareRun.ts';
import type { HiddenFiles } from '../../tools/toolSource.ts';

/** The files that a server's sandbox covers, from its start to its end. */
export interface ServerMasks {
  readonly masks: readonly string[];
  /** Whether all that is hidden now is covered. */
  covers(hidden: HiddenFiles): Promise<boolean>;
}

/** Fails with a sentence where the files can't be found or covered. `others`: what it reads beside the workspace. */
export async function findServerMasks(
  hidden: HiddenFiles,
  others: readonly string[],
): Promise<Outcome<ServerMasks>> {
  const found = await hidden.find(others);
  if (!found.ok) return found;
  if (found.data.length > MASK_LIMIT) {
    return failure(`The rules hide more than ${MASK_LIMIT} files, which the sandbox can't cover.`);
  }
  const covered = new Map(found.data.map((file) => [file, identify(file)]));
  return success({
    masks: [...covered.keys()],
    async covers(now) {
      const again = await now.find(others);
      return again.ok && again.data.every((file) => covered.get(file) === identify(file));
    },
  });
}

/** A file that takes another's place, as editors save it, is not covered any more. */
function identify(file: string): string {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? 'none' : [stats.dev, stats.ino, stats.birthtimeNs].join(':');
  } catch {
    return 'closed';
  }
}
