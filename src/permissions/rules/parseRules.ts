import { isRecord } from '../../base/json.ts';
import { getToolFacts } from '../../base/tools/toolFacts.ts';
import { parseCommandPattern } from '../patterns/commandPattern.ts';
import { isAboutHosts, parseHostPattern } from '../patterns/hostPattern.ts';
import { parsePathPattern } from '../patterns/pathPattern.ts';
import type { Action, Rule, RuleOrigin, Scope } from './rule.ts';

/** A problem with one entry of a rule list. */
export interface RuleProblem {
  /** Position in the list; -1 if the value isn't a list. */
  readonly index: number;
  /** The invalid field, if the problem is in one field. */
  readonly field?: 'permission' | 'pattern' | 'action' | 'source' | 'added_at';
  readonly message: string;
}

export interface ParsedRules {
  /**
   * One rule for each entry. An invalid entry is `broken`: it can turn an allow into an ask, but
   * never becomes a deny (spec decision 8).
   */
  readonly rules: readonly Rule[];
  readonly problems: readonly RuleProblem[];
}

/**
 * Parses rules from parsed JSON. `source` is the scope of entries without one (spec CS-14:
 * session).
 */
export function parseRules(
  value: unknown,
  source: Scope = 'session',
  origin?: Omit<RuleOrigin, 'index'>,
): ParsedRules {
  if (value === undefined || value === null) return { rules: [], problems: [] };
  if (!Array.isArray(value)) {
    const message = 'Rules must be an array of {permission, pattern, action} objects.';
    return { rules: [toBroken({}, source, origin, 0)], problems: [{ index: -1, message }] };
  }
  const rules: Rule[] = [];
  const problems: RuleProblem[] = [];
  value.forEach((entry: unknown, index) => {
    const fields = isRecord(entry) ? entry : {};
    const found = isRecord(entry) ? findProblems(fields, index) : [notAnObject(index)];
    problems.push(...found);
    const action = ACTIONS.find((each) => each === fields['action']);
    rules.push(
      found.length > 0 || action === undefined
        ? toBroken(fields, source, origin, index)
        : { ...readable(fields, source, origin, index), action, ...toAge(fields) },
    );
  });
  return { rules, problems };
}

const ACTIONS: readonly Action[] = ['allow', 'ask', 'deny'];
const SCOPES: readonly Scope[] = ['manifest', 'project', 'session'];
const VARIABLES = new Set(['workspace', 'ad-hoc', 'user-data']);
const LENGTH_LIMIT = 4096;

function findProblems(entry: Record<string, unknown>, index: number): readonly RuleProblem[] {
  const problems: RuleProblem[] = [];
  const { permission, pattern, action, source, added_at: addedAt } = entry;
  const report = (field: NonNullable<RuleProblem['field']>, message: string) =>
    problems.push({ index, field, message });

  if (!isPermission(permission)) {
    report(
      'permission',
      '"permission" must be a tool ID, a capability, "mcp:<server>:<tool>" or "*".',
    );
  }
  if (typeof pattern !== 'string' || pattern.trim() === '') {
    report('pattern', '"pattern" must be a non-empty string: a command, a path, a host or "*".');
  } else {
    const problem = findPatternProblem(permission, pattern);
    if (problem !== undefined) report('pattern', problem);
  }
  if (!ACTIONS.some((each) => each === action)) {
    report('action', `"action" must be "allow", "ask" or "deny", not ${JSON.stringify(action)}.`);
  }
  if (source !== undefined && !SCOPES.some((each) => each === source)) {
    report('source', '"source" must be "manifest", "project" or "session".');
  }
  if (addedAt !== undefined && !Number.isFinite(addedAt)) {
    report('added_at', '"added_at" must be a number (milliseconds since the epoch).');
  }
  return problems;
}

/** Whether the permission's patterns are paths, so that an unknown variable in one is a mistake. */
function isAboutPaths(permission: string): boolean {
  return /^fs\.(read|write|\*)$/.test(permission) || getToolFacts(permission)?.about === 'path';
}

function isAboutCommands(permission: unknown): boolean {
  if (typeof permission !== 'string') return false;
  return permission === 'shell.run' || getToolFacts(permission)?.about === 'command';
}

function findPatternProblem(permission: unknown, pattern: string): string | undefined {
  if (pattern.length > LENGTH_LIMIT) return `"pattern" is longer than ${LENGTH_LIMIT} characters.`;
  if (pattern.includes('\0')) return '"pattern" contains a NUL character.';
  if (isAboutCommands(permission) && parseCommandPattern(pattern) === undefined) {
    return '"pattern" is not a valid command: a quote is not closed, or the command is empty.';
  }
  if (typeof permission !== 'string') return undefined;
  if (isAboutHosts(permission) && parseHostPattern(pattern) === undefined) {
    return '"pattern" is not a valid host. Use example.com, *.example.com, example.com:8080 or *, without a scheme or path.';
  }
  if (!isAboutPaths(permission)) return undefined;
  const unknown = [...pattern.matchAll(/\{([A-Za-z][A-Za-z-]*)\}/g)].find(
    ([, name = '']) => !VARIABLES.has(name),
  );
  if (unknown !== undefined) return `Unknown variable ${unknown[0]} in "pattern".`;
  return isPathPattern(pattern) ? undefined : '"pattern" is not a valid glob.';
}

/** Whether a glob can be compiled: it doesn't have too many alternatives, or `..` after `**`. */
function isPathPattern(pattern: string): boolean {
  const none = { adHoc: [], userData: [], state: undefined, sidecars: undefined };
  const roots = { ...none, workspace: ['/w'], home: ['/h'] };
  const context = { platform: 'linux', reachesEverywhere: false, prefixes: true } as const;
  return parsePathPattern(pattern, { ...context, roots, bases: ['/w'] }) !== undefined;
}

function toAge({ added_at: addedAt }: Record<string, unknown>): Pick<Rule, 'added_at'> {
  return typeof addedAt === 'number' ? { added_at: addedAt } : {};
}

function toBroken(
  entry: Record<string, unknown>,
  source: Scope,
  origin: Omit<RuleOrigin, 'index'> | undefined,
  index: number,
): Rule {
  return { ...readable(entry, source, origin, index), action: 'ask', broken: true };
}

function readable(
  { permission, pattern, source }: Record<string, unknown>,
  fallback: Scope,
  origin: Omit<RuleOrigin, 'index'> | undefined,
  index: number,
): Omit<Rule, 'action'> {
  return {
    permission: isPermission(permission) ? permission : '*',
    pattern: typeof pattern === 'string' && pattern.trim() !== '' ? pattern : '*',
    source: SCOPES.find((each) => each === source) ?? fallback,
    ...(origin !== undefined && { origin: { ...origin, index } }),
  };
}

function notAnObject(index: number): RuleProblem {
  return { index, message: 'A rule must be an object {permission, pattern, action}.' };
}

function isPermission(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.*:-]+$/.test(value);
}
