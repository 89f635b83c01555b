import { type Assignment, forEachChild, type SyntaxNode } from 'unbash';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import type { ShellWord } from '../acts.ts';
import { describeVariable } from '../doubts.ts';
import type { Folders } from '../folders.ts';
import { getInherited, hasTexts, joinScopes, type Value, withValue } from '../variableScope.ts';
import { toAssignedValue } from '../variables/expand.ts';
import { isOwnVariable } from '../variables/own.ts';
import type { Walk } from '../walkState.ts';
import { toShellWord } from '../words.ts';
import { withOutputs } from './enter.ts';

/**
 * Variables that change what a program prints but not what runs; an allow covers them (corpus C5).
 */
const HARMLESS = new Set(
  `CI NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM COLUMNS LINES
  DEBUG VERBOSE LOG_LEVEL RUST_LOG RUST_BACKTRACE
  PORT HOST_PORT PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONHASHSEED CARGO_TERM_COLOR
  CARGO_INCREMENTAL GOOS GOARCH CGO_ENABLED GO111MODULE UPDATE_SNAPSHOTS
  GIT_TERMINAL_PROMPT HUSKY_SKIP_HOOKS SKIP JEST_WORKERS`.split(/\s+/),
);

/** Part of the name of a file of settings, so no path to another one. */
const ENVIRONMENT_NAME = /^[\w-]*$/;

/** Variables that change nothing else with values like these. */
const HARMLESS_VALUES: Readonly<Record<string, RegExp>> = {
  // Otherwise git updates the index, which runs a hook.
  GIT_OPTIONAL_LOCKS: /^0$/,
  // No pager.
  GIT_PAGER: /^(?:cat)?$/,
  PAGER: /^(?:cat)?$/,
  // A path leads to message catalogs, whose texts programs use as formats.
  LANGUAGE: /^[^/]*$/,
  // Debconf evaluates it as a part of a program in Perl.
  DEBIAN_FRONTEND: /^[a-z]*$/i,
  // A path leads to a file.
  TZ: /^(?![:/])(?!.*\.\.)/s,
  NODE_ENV: ENVIRONMENT_NAME,
  RAILS_ENV: ENVIRONMENT_NAME,
  RACK_ENV: ENVIRONMENT_NAME,
  APP_ENV: ENVIRONMENT_NAME,
  FLASK_ENV: ENVIRONMENT_NAME,
  MIX_ENV: ENVIRONMENT_NAME,
  TEST_ENV: ENVIRONMENT_NAME,
};

/** Collects doubts about the whole line. */
interface Doubts {
  readonly doubts: Set<string>;
}

/**
 * Whether an assignment before a command may change what the command does. Without a value: any
 * value.
 */
export function changesWhatRuns(name: string, value?: string): boolean {
  const values = Object.hasOwn(HARMLESS_VALUES, name) ? HARMLESS_VALUES[name] : undefined;
  if (values !== undefined) return value === undefined || !values.test(value);
  if (LOCALE.test(name)) return value === undefined || changesReading(name, value);
  return !HARMLESS.has(name);
}

const LOCALE = /^(LANG|LC_[A-Z]+)$/;

/**
 * Whether the shell, and programs with a language of their own, read text in a character set in which
 * a byte of a letter may be an operator: with `LC_ALL=zh_CN.GBK`, sed doesn't see the `|` behind `中`.
 */
function changesReading(name: string, value: string): boolean {
  return LOCALE.test(name) && !PLAIN_LOCALE.test(value);
}

/** A path leads to message catalogs, as in `LANGUAGE`. */
const PLAIN_LOCALE = /^(?:C|POSIX|en_[A-Z]{2}|(?:[\w@-]+\.)?utf-?8|)$/i;

/** Programs that read no variable of the line's own, and start no program. */
const IGNORES_OWN: ReadonlySet<string> = new Set(
  'basename cat cut date dirname echo false grep head ls printf pwd rg sort tail true uniq wc'.split(
    ' ',
  ),
);

/** The doubt raised by assignments before a command (corpus C5). */
export function findDoubtfulAssignment(
  assignments: readonly Assignment[],
  program?: string,
): string | undefined {
  const ignores = program !== undefined && IGNORES_OWN.has(program);
  for (const { name, text, value, index } of assignments) {
    const plain = value.type === 'Word' && index === undefined && toShellWord(value).literal;
    if (plain && ignores && /^[a-z]/.test(name) && isOwnVariable(name)) continue;
    if (!plain || changesWhatRuns(name, value.value))
      return `${toCodeSpan(text)} may change what runs.`;
  }
  return undefined;
}

/** Walks the parts of an assignment: what it substitutes, and its subscript. */
type WalkPart = (node: SyntaxNode, folders: Folders, walk: Walk) => void;

/**
 * Assignments without a command set shell variables for everything that follows, the next assignment
 * included: `x=b y=$(cat $x)`. Those of the line's own variables change nothing else, so only their values matter.
 */
export function analyzeAssignmentsOnly(
  assignments: readonly Assignment[],
  folders: Folders,
  walk: Walk,
  walkPart: WalkPart,
): void {
  for (const assignment of assignments) {
    const { name, text, value } = assignment;
    const known = walkAssigned(assignment, folders, walk, walkPart);
    walk.scope = withValue(walk.scope, name, known);
    if (value.type === 'Word' && changesReading(name, value.value))
      walk.doubts.add(`${toCodeSpan(text)} changes how bash reads the rest of the line.`);
    const doubt =
      isOwnVariable(name) && known !== undefined ? undefined : findDoubtfulAssignment([assignment]);
    if (doubt !== undefined) walk.doubts.add(doubt);
  }
}

/** Walks assignments before a command. What the next one substitutes may get their values, or the ones before. */
export function walkAssignments(
  assignments: readonly Assignment[],
  folders: Folders,
  walk: Walk,
  walkPart: WalkPart,
): void {
  for (const assignment of assignments) {
    const known = walkAssigned(assignment, folders, walk, walkPart);
    walk.scope = joinScopes(walk.scope, withValue(walk.scope, assignment.name, known));
  }
}

/** Walks the parts of the assignment. Returns the value that it gives its variable, if the line shows it. */
function walkAssigned(
  assignment: Assignment,
  folders: Folders,
  walk: Walk,
  walkPart: WalkPart,
): Value | undefined {
  forEachChild(assignment, (child) => walkPart(child, folders, walk));
  const { value, append, index } = assignment;
  if (value.type !== 'Word' || append === true || index !== undefined) return undefined;
  return toAssignedValue(value, withOutputs(walk, [assignment], folders));
}

/** An assignment by name only: by a loop, or by `{fd}>`. */
export function analyzeAssignment(name: string, value: Value | undefined, walk: Doubts): void {
  // Programs get one of the environment with its new value, and `printenv CI` prints it.
  const isKept = getInherited(name) === undefined || hasTexts(value) || value === 'number';
  if (!isOwnVariable(name) && (changesWhatRuns(name) || !isKept))
    walk.doubts.add(describeVariable(name));
}

/** Builtins that read no variable of the environment. */
const INERT: ReadonlySet<string> = new Set(
  ': [ cd echo exit export false printf pwd test true wait'.split(' '),
);

/** The doubt about a line that exports variables of its own, unless it starts no program. */
export function findExported({ exports, acts }: Walk): string | undefined {
  const [exported] = exports;
  if (exported === undefined) return undefined;
  const starts = acts.some(
    (act) => act.kind === 'command' && !INERT.has(act.words[0]?.value ?? ''),
  );
  return starts ? `${toCodeSpan(exported)} may change what later commands do.` : undefined;
}

/**
 * The variables that `export CI=1` sets; undefined unless all are harmless, or variables of the line's
 * own.
 */
export function findPlainExports(
  name: string,
  words: readonly ShellWord[],
): readonly (readonly [string, string])[] | undefined {
  if (name !== 'export' || words.length === 1) return undefined;
  const found = words.slice(1).flatMap(({ value, literal, tilde }): [string, string][] => {
    const [, variable, text = ''] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(value) ?? [];
    if (!literal || tilde === true || variable === undefined) return [];
    if (changesReading(variable, text)) return [];
    return isOwnVariable(variable) || !changesWhatRuns(variable, text) ? [[variable, text]] : [];
  });
  return found.length === words.length - 1 ? found : undefined;
}
