import { toCodeSpan } from '../../base/codeSpan.ts';
import { KB } from '../../base/units.ts';
import { createGlobBudget, type GlobBudget, type GlobLimits } from '../disk/expandGlob.ts';
import type { Act, GitMove, ShellAnalysis } from './acts.ts';
import type { FileNames } from './fileNames.ts';
import type { Folders } from './folders.ts';
import { NO_VARIABLES, type Value, type VariableScope } from './variableScope.ts';

/**
 * Maximum length of a line. Linux can't pass longer ones to a shell as one argument
 * (MAX_ARG_STRLEN).
 */
export const LENGTH_LIMIT = 128 * KB;
/**
 * Maximum number of commands and texts in a line, which bounds the time. Most lines have fewer than
 * ten.
 */
const WORK_LIMIT = 100_000;
/**
 * Maximum nesting depth. Deeper lines are denied, because a deny rule may apply to what isn't
 * analyzed.
 */
const DEPTH_LIMIT = 120;

/** The result for a line that isn't analyzed. */
export const TOO_LONG: ShellAnalysis = {
  acts: [],
  doubts: [],
  refused: 'The command is too long to analyze. Split it into several.',
};
/** Why a line that wasn't fully analyzed is denied. */
export const TOO_DEEP =
  'The command is too long or too deeply nested to analyze. Split it into several.';

export type WalkText = (text: string, folders: Folders, walk: Walk) => void;

/** The state of a walk. Acts and doubts are collected along the way. */
export interface Walk {
  readonly acts: Act[];
  readonly doubts: Set<string>;
  /** The git commands that bring files, in order. */
  readonly moves: GitMove[];
  /** The parsed texts, with their lines joined. */
  readonly readings: string[];
  readonly platform: NodeJS.Platform;
  /** The folders that the line starts in. */
  readonly start: Folders;
  /** Walks a nested text that a shell would run. */
  readonly walkText: WalkText;
  depth: number;
  /** The nesting of texts, such as `sh -c` in `sh -c`. */
  nesting: number;
  /** Globs match as in the line itself: the line, and texts of `bash -c` without other options. */
  expands: boolean;
  /** How many more texts and commands may be analyzed; shared by all parts of the walk. */
  readonly budget: { left: number };
  tooDeep: boolean;
  /**
   * The text is for `sh`, which may be any POSIX shell, so only what all of them read alike is
   * certain.
   */
  portable: boolean;
  /** What the globs of the line may still look at. */
  readonly globs: GlobBudget;
  /** The line contains a compound command. */
  compound: boolean;
  /** The variables that the line has set so far. */
  scope: VariableScope;
  /** The file names that the next simple command gets from the pipe. */
  piped: FileNames | undefined;
  /** What `read` sets a variable to in the loop that is walked; undefined: what it reads isn't known. */
  reads: { readonly name: string; readonly value: Value } | undefined;
  /** The line prints its commands as they run (`set -x`), with the values of their variables. */
  traces: boolean;
  /** The commands that export variables of the line, which programs get as well. */
  readonly exports: Set<string>;
  /** A variable whose value the line doesn't show, and may not print. */
  unknown: string | undefined;
  /** The names of descriptors that redirections open again (`/dev/stdin`), by the stream. */
  readonly reopened: Map<Stream, string>;
  /** The streams that may lead to a file that was opened for something else. */
  readonly crossed: Set<Stream>;
}

/** `in` is the descriptor 0, `out` are 1 and 2. */
export type Stream = 'in' | 'out' | 'other';

/** Starts a walk over a new line. */
export function startWalk(
  platform: NodeJS.Platform,
  start: Folders,
  walkText: WalkText,
  limits?: GlobLimits,
): Walk {
  return {
    acts: [],
    doubts: new Set(),
    moves: [],
    readings: [],
    platform,
    start,
    walkText,
    depth: 0,
    nesting: 0,
    expands: true,
    budget: { left: WORK_LIMIT },
    globs: createGlobBudget(limits),
    tooDeep: false,
    portable: false,
    compound: false,
    scope: NO_VARIABLES,
    piped: undefined,
    reads: undefined,
    traces: false,
    exports: new Set(),
    unknown: undefined,
    reopened: new Map(),
    crossed: new Set(),
  };
}

/** Spends the work from the budget. False if the budget is exhausted. */
export function spend(walk: Walk, work: number): boolean {
  walk.budget.left -= work;
  if (walk.budget.left >= 0) return true;
  walk.tooDeep = true;
  return false;
}

/** Walks one level deeper, unless the depth limit is reached. */
export function enter(walk: Walk, inside: () => void): void {
  if (walk.depth === DEPTH_LIMIT) {
    walk.tooDeep = true;
    return;
  }
  walk.depth += 1;
  inside();
  walk.depth -= 1;
}

/** Walks what runs in a shell of its own, which can't set this one's variables. */
export function isolate(walk: Walk, inside: () => void): void {
  const { scope } = walk;
  inside();
  walk.scope = scope;
}

/** The doubt about a line that prints its commands as they run, with the values of variables. */
export function findTraced({ traces, unknown }: Walk): string | undefined {
  if (!traces || unknown === undefined) return undefined;
  return `The shell prints the value of ${toCodeSpan(unknown)}, which Gatehouse doesn't know.`;
}
