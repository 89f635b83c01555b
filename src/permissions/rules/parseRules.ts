import { isRecord } from '../../base/json.ts';
import { getToolFacts } from '../../base/tools/toolFacts.ts';
import { parseCommandPattern } from '../patterns/commandPattern.ts';
import { isAboutHosts, parseHostPattern } from '../patterns/hostPattern.ts';
import { parsePathPattern } from '../patterns/pathPattern.ts';
import type { Action, Rule, RuleOrigin, Scope } from './rule.ts';

/** Something wrong with one entry of a rule list. */
export interface RuleProblem {
  /** Position in the list; -1 when the whole is no list. */
  readonly index: number;
  /** The field at fault, when one is. */
  readonly field?: 'permission' | 'pattern' | 'action' | 'source' | 'added_at';
  readonly message: string;
}

export interface ParsedRules {
  /** One rule for each entry; a bad entry is `broken`: it can turn an allow into ask, never a deny (spec decision 8). */
  readonly rules: readonly Rule[];
  readonly problems: readonly RuleProblem[];
}

/** Reads rules from parsed JSON. `source` is what an entry without one gets (spec CS-14). */
export function parseRules(
  value: unknown,
  source: Scope = 'session',
  origin?: Omit<RuleOrigin, 'index'>,
): ParsedRules {
  if (value === undefined || value === null) return { rules: [], problems: [] };
  if (!Array.isArray(value)) {
    const message = 'Rules must be a list of {permission, pattern, action}.';
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
    report('permission', '"permission" must be a tool id, a capability, mcp:<server>:<tool> or *.');
  }
  if (typeof pattern !== 'string' || pattern.trim() === '') {
    report('pattern', '"pattern" must be a text: a command, a path, a host or *.');
  } else {
    const fault = findPatternFault(permission, pattern);
    if (fault !== undefined) report('pattern', fault);
  }
  if (!ACTIONS.some((each) => each === action)) {
    report('action', `"action" must be allow, ask or deny, not ${JSON.stringify(action)}.`);
  }
  if (source !== undefined && !SCOPES.some((each) => each === source)) {
    report('source', '"source" must be manifest, project or session.');
  }
  if (addedAt !== undefined && !Number.isFinite(addedAt)) {
    report('added_at', '"added_at" must be a number of milliseconds.');
  }
  return problems;
}

/** Rules whose pattern is a path, so that an unknown variable in it can only be a mistake. */
function isAboutPaths(permission: string): boolean {
  return /^fs\.(read|write|\*)$/.test(permission) || getToolFacts(permission)?.about === 'path';
}

function isAboutCommands(permission: unknown): boolean {
  if (typeof permission !== 'string') return false;
  return permission === 'shell.run' || getToolFacts(permission)?.about === 'command';
}

function findPatternFault(permission: unknown, pattern: string): string | undefined {
  if (pattern.length > LENGTH_LIMIT) return `"pattern" is longer than ${LENGTH_LIMIT} characters.`;
  if (pattern.includes('\0')) return '"pattern" holds a NUL character.';
  if (isAboutCommands(permission) && parseCommandPattern(pattern) === undefined) {
    return '"pattern" is no command: a quote is not closed, or nothing is in it.';
  }
  if (typeof permission !== 'string') return undefined;
  if (isAboutHosts(permission) && parseHostPattern(pattern) === undefined) {
    return '"pattern" is no host: write example.com, *.example.com, example.com:8080 or *, without a scheme or path.';
  }
  if (!isAboutPaths(permission)) return undefined;
  const unknown = [...pattern.matchAll(/\{([A-Za-z][A-Za-z-]*)\}/g)].find(
    ([, name = '']) => !VARIABLES.has(name),
  );
  if (unknown !== undefined) return `Unknown variable ${unknown[0]} in "pattern".`;
  return isPathPattern(pattern) ? undefined : '"pattern" is a glob that cannot be matched.';
}

/** Whether a glob can be compiled: not too many alternatives, and no `..` behind a `**`. */
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
