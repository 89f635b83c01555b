import type { Assignment } from 'unbash';
import { shorten, toShellWord } from '../words.ts';

/** Variables that change what a program prints, never what runs: an allow covers them (corpus C5). */
const HARMLESS = new Set(
  `CI NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM COLUMNS LINES TZ LANG LANGUAGE
  NODE_ENV RAILS_ENV RACK_ENV APP_ENV FLASK_ENV MIX_ENV DEBUG VERBOSE LOG_LEVEL RUST_LOG RUST_BACKTRACE
  PORT HOST_PORT PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONHASHSEED CARGO_TERM_COLOR
  CARGO_INCREMENTAL GOOS GOARCH CGO_ENABLED GO111MODULE DEBIAN_FRONTEND UPDATE_SNAPSHOTS
  GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS HUSKY_SKIP_HOOKS SKIP TEST_ENV JEST_WORKERS`.split(/\s+/),
);

/** Where doubts about a whole line are kept. */
interface Doubts {
  readonly doubts: Set<string>;
}

/** Whether an assignment in front of a command may change what the command does. */
export function changesWhatRuns(name: string): boolean {
  return !HARMLESS.has(name) && !/^LC_[A-Z]+$/.test(name);
}

/** The doubt that assignments in front of a command raise (corpus C5). */
export function findDoubtfulAssignment(assignments: readonly Assignment[]): string | undefined {
  for (const { name, text, value, index } of assignments) {
    const plain = value.type === 'Word' && index === undefined && toShellWord(value).literal;
    if (!plain || changesWhatRuns(name)) return `${shorten(text)} may change what runs`;
  }
  return undefined;
}

/** A line of assignments alone sets variables of the shell for all that follows. */
export function analyseAssignmentsOnly(assignments: readonly Assignment[], walk: Doubts): void {
  const doubt = findDoubtfulAssignment(assignments);
  if (doubt !== undefined) walk.doubts.add(doubt);
}

/** A loop sets its variable, and `{fd}>` its own. */
export function analyseAssignment(name: string, walk: Doubts): void {
  // Lower case names are the shell's own business, but for these, which programs read.
  const own = /^[a-z]\w{0,15}$/.test(name) && !/proxy|^npm_|^histchars$|^auto_resume$/.test(name);
  if (!own && changesWhatRuns(name)) walk.doubts.add(`${name} may change what runs`);
}
