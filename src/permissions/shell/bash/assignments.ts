import type { Assignment } from 'unbash';
import { withValue } from '../variableScope.ts';
import { toAssignedValue } from '../variables/expand.ts';
import { isOwnVariable } from '../variables/own.ts';
import type { Walk } from '../walkState.ts';
import { shorten, toShellWord } from '../words.ts';

/**
 * Variables that change what a program prints but not what runs; an allow covers them (corpus C5).
 */
const HARMLESS = new Set(
  `CI NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM COLUMNS LINES TZ LANG LANGUAGE
  NODE_ENV RAILS_ENV RACK_ENV APP_ENV FLASK_ENV MIX_ENV DEBUG VERBOSE LOG_LEVEL RUST_LOG RUST_BACKTRACE
  PORT HOST_PORT PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONHASHSEED CARGO_TERM_COLOR
  CARGO_INCREMENTAL GOOS GOARCH CGO_ENABLED GO111MODULE DEBIAN_FRONTEND UPDATE_SNAPSHOTS
  GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS HUSKY_SKIP_HOOKS SKIP TEST_ENV JEST_WORKERS`.split(/\s+/),
);

/** Collects doubts about the whole line. */
interface Doubts {
  readonly doubts: Set<string>;
}

/** Whether an assignment before a command may change what the command does. */
export function changesWhatRuns(name: string): boolean {
  return !HARMLESS.has(name) && !/^LC_[A-Z]+$/.test(name);
}

/**
 * Whether the shell reads later lines in a character set in which a byte of a letter may be an
 * operator.
 */
export function changesReading(name: string, value: string): boolean {
  return /^(LANG|LC_\w+)$/.test(name) && !/^(C|POSIX|)$|utf-?8$/i.test(value);
}

/** The doubt raised by assignments before a command (corpus C5). */
export function findDoubtfulAssignment(assignments: readonly Assignment[]): string | undefined {
  for (const { name, text, value, index } of assignments) {
    const plain = value.type === 'Word' && index === undefined && toShellWord(value).literal;
    if (!plain || changesWhatRuns(name)) return `"${shorten(text)}" may change what runs`;
  }
  return undefined;
}

/**
 * Assignments without a command set shell variables for everything that follows. Those of the
 * line's own variables change nothing else, so only their values matter.
 */
export function analyzeAssignmentsOnly(assignments: readonly Assignment[], walk: Walk): void {
  for (const assignment of assignments) {
    const { name, text, value, append, index } = assignment;
    const plain = value.type === 'Word' && append !== true && index === undefined;
    const known = plain ? toAssignedValue(value, walk.scope) : undefined;
    walk.scope = withValue(walk.scope, name, known);
    if (value.type === 'Word' && changesReading(name, value.value))
      walk.doubts.add(`"${shorten(text)}" changes how the rest is read`);
    const doubt =
      isOwnVariable(name) && known !== undefined ? undefined : findDoubtfulAssignment([assignment]);
    if (doubt !== undefined) walk.doubts.add(doubt);
  }
}

/** An assignment by name only: by a loop, or by `{fd}>`. */
export function analyzeAssignment(name: string, walk: Doubts): void {
  if (!isOwnVariable(name) && changesWhatRuns(name))
    walk.doubts.add(`the variable "${name}" may change what runs`);
}
