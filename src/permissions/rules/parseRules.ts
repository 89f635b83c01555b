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

/** The fields that every rule has. */
const REQUIRED = ['permission', 'pattern', 'action'] as const;

function findProblems(entry: Record<string, unknown>, index: number): readonly RuleProblem[] {
  const missing = REQUIRED.filter((field) => entry[field] === undefined);
  const wrong = [...REQUIRED, ...OPTIONAL].flatMap((field): RuleProblem[] => {
    const message = entry[field] === undefined ? undefined : findFieldProblem(entry, field);
    return message === undefined ? [] : [{ index, field, message }];
  });
  return missing.length === 0 ? wrong : [toMissing(missing, index), ...wrong];
}

const OPTIONAL = ['source', 'added_at'] as const;

/** Fields that are missing are one problem of the rule, however many they are. */
function toMissing(
  fields: readonly NonNullable<RuleProblem['field']>[],
  index: number,
): RuleProblem {
  const names = fields.map((field) => `"${field}"`).join(', ');
  const verb = fields.length === 1 ? 'is' : 'are';
  const message = `${names} ${verb} missing. A rule needs "permission", "pattern" and "action".`;
  const [field] = fields;
  return { index, message, ...(fields.length === 1 && field !== undefined && { field }) };
}

function findFieldProblem(
  entry: Record<string, unknown>,
  field: NonNullable<RuleProblem['field']>,
): string | undefined {
  const { permission, pattern, action, source, added_at: addedAt } = entry;
  switch (field) {
    case 'permission':
      if (isPermission(permission)) return undefined;
      return '"permission" must be a tool ID, a capability, "mcp:<server>:<tool>" or "*".';
    case 'pattern':
      if (typeof pattern === 'string' && pattern.trim() !== '')
        return findPatternProblem(permission, pattern);
      return '"pattern" must be a non-empty string: a command, a path, a host or "*".';
    case 'action':
      if (ACTIONS.some((each) => each === action)) return undefined;
      return `"action" must be "allow", "ask" or "deny", not ${toShown(action)}.`;
    case 'source':
      if (SCOPES.some((each) => each === source)) return undefined;
      return '"source" must be "manifest", "project" or "session".';
    case 'added_at':
      if (Number.isFinite(addedAt)) return undefined;
      return '"added_at" must be a number (milliseconds since the epoch).';
  }
}

/** A value in a sentence. Only its kind if it is long or nested, at any depth. */
function toShown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > SHOWN_LIMIT ? 'a long text' : text;
}

const SHOWN_LIMIT = 60;

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
  // Tools of servers may have a `/` in their names.
  return typeof value === 'string' && /^(?:[\w.*:-]+|mcp:[\w.*-]+:[\w.*/-]+)$/.test(value);
}
