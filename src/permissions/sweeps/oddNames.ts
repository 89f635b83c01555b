import type { Evaluation } from '../decide/evaluation.ts';
import { resolveTargets } from '../decide/targets.ts';
import { lookBelow } from '../disk/lookBelow.ts';
import { mayBeNamed } from '../patterns/nameOverlap.ts';
import type { FileAct, PassedNames } from '../shell/acts.ts';
import { EXPANDED, QUOTED, SPLIT } from '../shell/fileNames.ts';
import { toSkips } from './sweepRequest.ts';

/** Files whose names another command gets. */
export type Passing = FileAct & { readonly passes: PassedNames };

/** Stands for a name that couldn't be told. */
export const UNKNOWN = '';

/** The paths may be printed from any folder above, so each of their parts may come first. */
export function isMisread(name: string, { passes, only }: Passing): boolean {
  if (only !== undefined && !mayBeNamed(baseName(name), only)) return false;
  const split = passes.expands === true ? EXPANDED : SPLIT;
  const changes = split.test(name) || (passes.git !== undefined && QUOTED.test(name));
  return (passes.options && /(?:^|\/)-/.test(name)) || (passes.splits && changes);
}

export function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** How long all folders of one call are looked at, in milliseconds. */
const LOOK_MS = 500;

/**
 * The first misread name among those that lie there; undefined: there is none. `started`: when the
 * time for looking began (`performance.now()`).
 */
export async function lookAround(
  act: Passing,
  compiled: Evaluation,
  started: number,
): Promise<string | undefined> {
  const { real, lost } = resolveTargets(act, compiled);
  if (lost) return UNKNOWN;
  const end = started + (compiled.policy.lookMs ?? LOOK_MS);
  for (const { path, names = [] } of real) {
    const found: string[] = [];
    const hides = toSkips(act);
    const gap = await lookBelow(
      {
        ...{ folder: path, names, everyWay: false, platform: compiled.policy.platform },
        ...{ links: compiled.links, inodes: NO_INODES, follows: act.follows === true },
        skips(folder, name) {
          if (hides(folder, name)) return true;
          const full = `${folder}/${name}`;
          const own = full.startsWith(`${path}/`) ? full.slice(path.length + 1) : full;
          if (found.length === 0 && isMisread(own, act)) found.push(own);
          return false;
        },
        namesIn: () => () => false,
        enters: () => found.length === 0,
        countsWhole: () => false,
        leadsOut: () => false,
        leavesOut: () => false,
      },
      end - performance.now(),
    ).then((look) => look.gap);
    if (found[0] !== undefined) return found[0];
    if (gap !== undefined) return UNKNOWN;
  }
  return undefined;
}

const NO_INODES: ReadonlySet<string> = new Set();
