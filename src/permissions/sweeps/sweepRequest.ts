import type { Evaluation } from '../decide/evaluation.ts';
import { findLinkedInodes } from '../decide/otherNames.ts';
import type { LookRequest } from '../disk/lookBelow.ts';
import { toFolderTest } from '../patterns/folderTest.ts';
import { mayBeNamed } from '../patterns/nameOverlap.ts';
import {
  coversPath,
  matchesAllBelow,
  matchesPath,
  mayMatchBelow,
  type PathPattern,
} from '../patterns/pathPattern.ts';
import { isBelowFolded, type RealPath } from '../patterns/paths.ts';
import { createIncluded } from '../repository/includedNames.ts';
import { createTracked } from '../repository/trackedNames.ts';
import { FOLDING, toCompared } from '../rules/compiledRule.ts';
import type { FileAct } from '../shell/acts.ts';
import { leavesOut } from '../shell/programs/exclusions.ts';
import { findCounting, findRulesBelow, isAnywhere } from './rulesBelow.ts';

/** Whether a rule or a link may matter below the folder. */
export function needsLook(act: FileAct, file: RealPath, compiled: Evaluation): boolean {
  if (act.follows === true) return true;
  const rules = findRulesBelow(act, file, compiled);
  return rules.length > 0 || findLinked(act, file.path, compiled).size > 0;
}

function findLinked(act: FileAct, path: string, compiled: Evaluation): ReadonlySet<string> {
  return act.sweep === undefined ? NO_INODES : findLinkedInodes(path, act.access, compiled);
}

const NO_INODES: ReadonlySet<string> = new Set();

/** What to look for below a folder. */
export function toRequest(
  act: FileAct,
  { path, names = [], folds }: RealPath,
  compiled: Evaluation,
): LookRequest {
  const platform = folds === true ? FOLDING : compiled.policy.platform;
  // A rule that matches the folder itself is decided there, and would count every file below.
  const patterns = findCounting(act, compiled)
    .flatMap((rule) => toCompared(rule, folds, platform).pattern ?? [])
    .filter((pattern) => !matchesPath(pattern, path, platform));
  const inodes = findLinked(act, path, compiled);
  const namesIn = toFolderTest(act.sweep === undefined ? [] : patterns, platform);
  const known = new Map<string, (name: string) => boolean>();
  // A name isn't longer.
  const only = act.only !== undefined && act.only.length > 255 ? '*' : act.only;
  const everywhere =
    act.follows === true || inodes.size > 0 || patterns.some((each) => isAnywhere(each));
  return {
    folder: path,
    names,
    everyWay: act.follows === true && readsWays(act, patterns),
    skips: toSkips(act),
    follows: act.follows === true,
    platform: compiled.policy.platform,
    ...(folds && { folds }),
    links: compiled.links,
    inodes,
    namesIn: (folder: string) => {
      const test = known.get(folder) ?? namesIn(folder);
      known.set(folder, test);
      return (name: string) => test(name) && (only === undefined || mayBeNamed(name, only));
    },
    enters: (folder: string) =>
      everywhere || patterns.some((each) => mayMatchBelow(each, folder, platform)),
    countsWhole: toWholeTest(act, patterns, { compiled, platform }),
    leadsOut: (target: string) => leadsOut(act, target, path, compiled),
    leavesOut: (name: string, kind: 'file' | 'folder' | 'link') => {
      const [base = ''] = act.folders;
      const full = `${path}/${name}`;
      const written = isBelowFolded(full, base, platform) ? full.slice(base.length + 1) : undefined;
      return leavesOut(act.without ?? [], name, written, kind === 'folder');
    },
  };
}

/** Whether it matters by which links a file is reached, beside its last name. */
function readsWays(act: FileAct, patterns: readonly PathPattern[]): boolean {
  if (act.without !== undefined || act.includes !== undefined) return true;
  return patterns.some(({ alternatives }) =>
    alternatives.some((glob) => glob.length > 2 || glob[0]?.kind !== 'globstar'),
  );
}

const INCLUDES = { unignored: createIncluded, tracked: createTracked } as const;

/** Whether the name of a file or folder is hidden, and left out therefore. */
export function toSkips(act: FileAct): LookRequest['skips'] {
  if (act.sweep !== 'visible' || act.includes === undefined) return () => false;
  const includes = INCLUDES[act.includes]();
  return (folder, name) => name.startsWith('.') && !includes(folder, name);
}

/**
 * Returns whether every file in a folder counts, so that the folder is named instead of them. Not
 * if a narrower allow may hold for one of them.
 */
function toWholeTest(
  act: FileAct,
  patterns: readonly PathPattern[],
  { compiled, platform }: { readonly compiled: Evaluation; readonly platform: NodeJS.Platform },
) {
  const wide = patterns.filter(({ alternatives }) =>
    alternatives.some((glob) => glob.at(-1)?.kind === 'globstar'),
  );
  if (act.sweep === undefined || act.only !== undefined || wide.length === 0) return () => false;
  const allows = compiled.fileRules[act.access].all.filter(({ rule }) => rule.action === 'allow');
  return (folder: string) => {
    const all = wide.filter((each) => matchesAllBelow(each, folder, platform));
    return all.some((pattern) => {
      return !allows.some((allow) => {
        const [own, reach] = [allow.path(), allow.reach()];
        const covers = reach !== undefined && coversPath(reach, pattern);
        return own !== undefined && !covers && mayMatchBelow(own, folder, compiled.policy.platform);
      });
    });
  };
}

/** Outside of the workspace and of the folder itself, or of what the agent may access. */
function leadsOut(act: FileAct, target: string, path: string, compiled: Evaluation): boolean {
  const { scope, roots, policy } = compiled;
  const granted =
    scope === undefined ||
    !scope.namesFiles ||
    (act.access === 'fs.write' ? scope.allowsWrite(target) : scope.allowsRead(target));
  if (!granted) return true;
  const inside = [path, ...roots.workspace, ...roots.adHoc];
  return !inside.some((root) => isBelowFolded(target, root, policy.platform));
}
