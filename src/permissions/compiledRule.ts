import { type CommandPattern, coversCommand, parseCommandPattern } from './commandPattern.ts';
import { type FlagSet, parseFlags } from './flags.ts';
import { coversHost, type HostPattern, parseHostPattern } from './hostPattern.ts';
import { coversPath, type PathPattern, parsePathPattern } from './pathPattern.ts';
import { type Roots, UnknownVariableError } from './places.ts';
import type { Rule } from './rule.ts';
import { coversStar, matchesStar, parseStar, type StarPattern } from './star.ts';
import type { Subject } from './subject.ts';

export type MatchKind = Subject['match'];

/** A rule with its patterns compiled, each the first time a subject of its kind comes. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly permission: StarPattern;
  /** `*` = 0, a glob over ids = 1, a capability = 2, an id = 3. */
  readonly permissionRank: number;
  command(): CommandPattern | undefined;
  path(): PathPattern | undefined;
  host(): HostPattern | undefined;
  text(): StarPattern;
  /** The options an allow on a command holds with; undefined: any. */
  readonly flags: FlagSet | undefined;
}

export interface CompileContext {
  readonly roots: Roots;
  readonly platform: NodeJS.Platform;
  readonly cwd: string | undefined;
}

const CAPABILITIES = new Set(['fs.read', 'fs.write', 'net.fetch', 'shell.run']);

export function compileRule(rule: Rule, context: CompileContext): CompiledRule {
  const reachesEverywhere = rule.action !== 'allow';
  const { roots, platform, cwd } = context;
  // A tightening rule also starts at the session's folder, which need not be a root.
  const bases =
    reachesEverywhere && cwd !== undefined && !roots.workspace.includes(cwd)
      ? [...roots.workspace, cwd]
      : roots.workspace;
  return {
    ...placelessOf(rule),
    path: once(() =>
      tryPath(() => parsePathPattern(rule.pattern, { roots, platform, bases, reachesEverywhere })),
    ),
  };
}

type Placeless = Omit<CompiledRule, 'path'>;

const placeless = new WeakMap<Rule, Placeless>();

/** What only the rule itself decides is compiled once for all sessions: most rules are everyone's. */
function placelessOf(rule: Rule): Placeless {
  const known = placeless.get(rule);
  if (known !== undefined) return known;
  const compiled = {
    rule,
    permission: parseStar(rule.permission),
    permissionRank: rankPermission(rule.permission),
    flags: rule.flags === undefined ? undefined : parseFlags(rule.flags),
    command: once(() => parseCommandPattern(rule.pattern)),
    host: once(() => parseHostPattern(rule.pattern)),
    text: once(() => parseStar(rule.pattern)),
  };
  placeless.set(rule, compiled);
  return compiled;
}

/** Ids that an MCP rule never reaches by its underscore spelling (CA-32). */
const LOCKED = new Set(['web_search', 'web_fetch', 'tool_search']);

/** Whether a rule's permission speaks of this tool or of the capability this touch needs (C-51, CS-18). */
export function namesPermission(
  { rule, permission }: CompiledRule,
  tool: string,
  capability: string | undefined,
): boolean {
  if (rule.permission === capability || matchesStar(permission, tool)) return true;
  // `mcp:github:create` and `github_create` are the same tool.
  if (rule.permission.startsWith('mcp:') && !tool.includes(':') && !LOCKED.has(tool)) {
    return matchesStar(parseStar(toUnderscore(rule.permission)), tool);
  }
  return tool.startsWith('mcp:') && matchesStar(permission, toUnderscore(tool));
}

/** Narrower in permission or pattern, and as narrow in the other (CA-2, decision 1). */
export function isNarrower(a: CompiledRule, b: CompiledRule, kind: MatchKind): boolean {
  if (!coversPermission(b, a) || !coversPattern(b, a, kind)) return false;
  return !coversPermission(a, b) || !coversPattern(a, b, kind);
}

export function isEqual(a: CompiledRule, b: CompiledRule, kind: MatchKind): boolean {
  return (
    coversPermission(a, b) &&
    coversPermission(b, a) &&
    coversPattern(a, b, kind) &&
    coversPattern(b, a, kind)
  );
}

/** Both rules are known to speak of the same call. */
function coversPermission(wide: CompiledRule, narrow: CompiledRule): boolean {
  if (wide.rule.permission === narrow.rule.permission || wide.permissionRank === 0) return true;
  if (narrow.permissionRank === 0) return false;
  // A tool's id is narrower than a capability the tool declares.
  if (wide.permissionRank === 2) return narrow.permissionRank === 3;
  if (wide.permissionRank !== 1 || narrow.permissionRank === 2) return false;
  return (
    coversStar(wide.permission, narrow.permission) ||
    coversStar(
      parseStar(toUnderscore(wide.rule.permission)),
      parseStar(toUnderscore(narrow.rule.permission)),
    )
  );
}

function coversPattern(wide: CompiledRule, narrow: CompiledRule, kind: MatchKind): boolean {
  if (wide.rule.pattern === narrow.rule.pattern && wide.rule.action === narrow.rule.action) {
    return true;
  }
  if (kind === 'command') return both(wide.command(), narrow.command(), coversCommand);
  if (kind === 'path') return both(wide.path(), narrow.path(), coversPath);
  if (kind === 'host') return both(wide.host(), narrow.host(), coversHost);
  return coversStar(wide.text(), narrow.text());
}

function both<Pattern>(
  wide: Pattern | undefined,
  narrow: Pattern | undefined,
  covers: (wide: Pattern, narrow: Pattern) => boolean,
): boolean {
  return wide !== undefined && narrow !== undefined && covers(wide, narrow);
}

function rankPermission(permission: string): number {
  if (/^\*+$/.test(permission)) return 0;
  if (permission.includes('*')) return 1;
  return CAPABILITIES.has(permission) || /^[a-z]+\.[a-z_]+$/.test(permission) ? 2 : 3;
}

function toUnderscore(id: string): string {
  const [, server = '', ...rest] = id.split(':');
  return id.startsWith('mcp:') ? `${server.replace(/[^\w*]/g, '_')}_${rest.join(':')}` : id;
}

function tryPath(parse: () => PathPattern | undefined): PathPattern | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof UnknownVariableError) return undefined;
    throw error;
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
