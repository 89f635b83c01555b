import { KB } from '../../base/units.ts';
import type { Act, ShellAnalysis } from './acts.ts';
import type { Folders } from './folders.ts';

/** Longer lines cannot be passed to a shell as one argument on Linux (MAX_ARG_STRLEN); they are refused. */
export const LENGTH_LIMIT = 128 * KB;
/** More commands and texts are refused, so that no line takes long: most lines have ten. */
const WORK_LIMIT = 100_000;
/** Deeper nesting is refused: a deny must never be lost in what was not looked at. */
const DEPTH_LIMIT = 120;

/** What is said of a line that is not looked at. */
export const TOO_LONG: ShellAnalysis = {
  acts: [],
  doubts: [],
  refused: 'the command is too long to be analysed',
};
/** Why a line is refused of which not everything was looked at. */
export const TOO_DEEP = 'the command is too deep or too long to be analysed';

export type WalkText = (text: string, folders: Folders, walk: Walk) => void;

/** Where the walk stands; acts and doubts are collected as it goes. */
export interface Walk {
  readonly acts: Act[];
  readonly doubts: Set<string>;
  readonly platform: NodeJS.Platform;
  /** Where the line starts. */
  readonly start: Folders;
  /** Walks a text that a shell would run, inside this line. */
  readonly walkText: WalkText;
  depth: number;
  /** Texts inside texts: `sh -c` in `sh -c`. */
  nesting: number;
  /** How many texts and commands may still be looked at; shared by every part of the walk. */
  readonly budget: { left: number };
  tooDeep: boolean;
  /** A compound command was seen. */
  compound: boolean;
}

/** A walk over a new line, which has seen nothing yet. */
export function startWalk(platform: NodeJS.Platform, start: Folders, walkText: WalkText): Walk {
  return {
    acts: [],
    doubts: new Set(),
    platform,
    start,
    walkText,
    depth: 0,
    nesting: 0,
    budget: { left: WORK_LIMIT },
    tooDeep: false,
    compound: false,
  };
}

/** Whether the budget allows this much more work. */
export function spend(walk: Walk, work: number): boolean {
  walk.budget.left -= work;
  if (walk.budget.left >= 0) return true;
  walk.tooDeep = true;
  return false;
}

/** Looks one level deeper, unless that is too deep. */
export function enter(walk: Walk, inside: () => void): void {
  if (walk.depth === DEPTH_LIMIT) {
    walk.tooDeep = true;
    return;
  }
  walk.depth += 1;
  inside();
  walk.depth -= 1;
}
