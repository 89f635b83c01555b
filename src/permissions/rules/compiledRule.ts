import { SERVER_CALL } from '../../base/tools/mcpServer.ts';
import { HOST_TOOL_IDS, isHostTool } from '../../base/tools/toolFacts.ts';
import {
  type CommandPattern,
  coversCommand,
  parseCommandPattern,
} from '../patterns/commandPattern.ts';
import { type FlagSet, parseFlags } from '../patterns/flags.ts';
import { coversHost, type HostPattern, parseHostPattern } from '../patterns/hostPattern.ts';
import {
  coversPath,
  isExactly,
  matchesPath,
  type PathPattern,
  parsePathPattern,
} from '../patterns/pathPattern.ts';
import { type Roots, UnknownVariableError } from '../patterns/roots.ts';
import { coversStar, matchesStar, parseStar, type StarPattern } from '../patterns/star.ts';
import type { Rule } from './rule.ts';
import type { Subject } from './subject.ts';

export type MatchKind = Subject['match'];

/** A rule with its patterns, each compiled the first time a subject of its kind is evaluated. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly permission: StarPattern;
  /**
   * The permission with an MCP tool's id spelled with an underscore; for other permissions the same
   * as `permission` (spec CA-32).
   */
  readonly spelled: StarPattern;
  /** `*` = 0, a glob over ids = 1, a capability = 2, an id = 3. */
  readonly permissionRank: number;
  /** The permission is, or matches, the id of a tool of the host. */
  readonly namesHostTool: boolean;
  /** An allow for every tool whose pattern is a glob of file names, so that it allows no command or text. */
  readonly isForFiles: boolean;
  command(): CommandPattern | undefined;
  path(): PathPattern | undefined;
  /**
   * `path` as compiled for a deny or ask with the same pattern. Comparing by it prevents an allow
   * from counting as narrower only because allows reach less.
   */
  reach(): PathPattern | undefined;
  /** `reach` without regard to case, for folders that ignore it. */
  folded(): PathPattern | undefined;
  host(): HostPattern | undefined;
  text(): StarPattern;
  /** The options that an allow for a command permits; undefined: any. */
  readonly flags: FlagSet | undefined;
}

/** A platform whose paths are compared without regard to case, and are written as on Linux. */
export const FOLDING = 'darwin';

/** How a rule is compared with the paths of a folder. */
export interface Compared {
  readonly pattern: PathPattern | undefined;
  readonly platform: NodeJS.Platform;
}

/** In a folder that ignores case a deny or ask ignores it, too. */
export function toCompared(
  rule: Pick<CompiledRule, 'rule' | 'path' | 'folded'>,
  folds: boolean | undefined,
  platform: NodeJS.Platform,
): Compared {
  return folds === true && rule.rule.action !== 'allow'
    ? { pattern: rule.folded(), platform: FOLDING }
    : { pattern: rule.path(), platform };
}

export function matchesFolded(rule: Pick<CompiledRule, 'folded'>, path: string): boolean {
  const pattern = rule.folded();
  return pattern !== undefined && matchesPath(pattern, path, FOLDING);
}

export interface CompileContext {
  readonly roots: Roots;
  readonly platform: NodeJS.Platform;
  readonly cwd: string;
}

export function compileRule(parsed: ParsedRule, context: CompileContext): CompiledRule {
  const { rule } = parsed;
  const reachesEverywhere = rule.action !== 'allow';
  const { roots, platform, cwd } = context;
  // Asks and denies also apply relative to the session's folder, which may not be a root.
  const compile = (everywhere: boolean, on: NodeJS.Platform) => () =>
    tryPath(() =>
      parsePathPattern(rule.pattern, {
        roots,
        platform: on,
        bases: everywhere ? [...new Set([...roots.workspace, cwd])] : roots.workspace,
        reachesEverywhere: everywhere,
        prefixes: true,
      }),
    );
  const path = once(compile(reachesEverywhere, platform));
  return {
    ...parsed,
    path,
    reach: reachesEverywhere ? path : once(compile(true, platform)),
    folded: once(compile(true, FOLDING)),
  };
}

/** The part that only depends on the rule, not on folders or the platform. Sessions share it. */
export type ParsedRule = Omit<CompiledRule, 'path' | 'reach' | 'folded'>;

export function parseRule(rule: Rule): ParsedRule {
  const permission = parseStar(rule.permission);
  return {
    rule,
    permission,
    spelled: isMcp(rule.permission) ? parseStar(toUnderscore(rule.permission)) : permission,
    permissionRank: rankPermission(rule.permission),
    namesHostTool: HOST_TOOL_IDS.some((id) => matchesStar(permission, id)),
    isForFiles: isForFiles(rule),
    flags: rule.flags === undefined ? undefined : parseFlags(rule.flags),
    command: once(() => parseCommandPattern(rule.pattern)),
    host: once(() => toHostPattern(rule)),
    text: once(() => parseStar(rule.pattern)),
  };
}

/** What of a rule tells which permissions it names. */
export type NamingRule = Pick<CompiledRule, 'rule' | 'permission' | 'spelled' | 'namesHostTool'>;

/**
 * Whether a rule's permission refers to this tool, or to the capability that this subject needs
 * (spec C-51, CS-18).
 */
export function namesPermission(
  { rule, permission, spelled, namesHostTool }: NamingRule,
  tool: string,
  capability: string | undefined,
): boolean {
  if (rule.permission === capability || matchesStar(permission, tool)) return true;
  // A glob with a dot refers to capabilities: `fs.*`.
  const family = rule.permission.includes('.');
  if (family && capability !== undefined && matchesStar(permission, capability)) return true;
  // `mcp:github:create` and `github_create` are the same tool, but `web_fetch` doesn't belong to a
  // server (spec CA-32). Neither does a tool that a manifest declares: an allow for a server was never
  // meant for the program of one that has the same name.
  const isServers =
    rule.action !== 'allow' || capability === undefined || capability === SERVER_CALL;
  if (spelled !== permission && !tool.includes(':') && !isHostTool(tool) && isServers) {
    return matchesStar(spelled, tool);
  }
  // An allow for `web_search` was never meant for the tool `search` of a server `web`.
  const isHosts = namesHostTool && rule.action === 'allow';
  return isMcp(tool) && !isHosts && matchesStar(permission, toUnderscore(tool));
}

/** The subject for which two matching rules are compared. */
export interface Ground {
  readonly match: MatchKind;
  /** Only for a `path`. */
  readonly path?: string;
  readonly platform: NodeJS.Platform;
}

/**
 * Whether `a` is narrower in its permission or pattern, and at least as narrow in the other (spec
 * CA-2, decision 1).
 */
export function isNarrower(a: CompiledRule, b: CompiledRule, ground: Ground): boolean {
  return covers(b, a, ground) && !covers(a, b, ground);
}

export function isEqual(a: CompiledRule, b: CompiledRule, ground: Ground): boolean {
  return covers(a, b, ground) && covers(b, a, ground);
}

function covers(wide: CompiledRule, narrow: CompiledRule, ground: Ground): boolean {
  return coversPermission(wide, narrow) && coversPattern(wide, narrow, ground);
}

/**
 * Whether `wide` covers the permission of `narrow`. Both rules are known to match the same call.
 */
function coversPermission(wide: CompiledRule, narrow: CompiledRule): boolean {
  if (wide.rule.permission === narrow.rule.permission) return true;
  // Nothing is narrower than one tool's id, so both spellings of it are equal (spec CA-32).
  if (narrow.permissionRank === 3 || wide.permissionRank === 0) return true;
  return (
    both(wide.permission, narrow.permission, coversStar) ||
    both(wide.spelled, narrow.spelled, coversStar)
  );
}

function coversPattern(wide: CompiledRule, narrow: CompiledRule, ground: Ground): boolean {
  const { match, path = '', platform } = ground;
  if (match === 'command') return both(wide.command(), narrow.command(), coversCommand);
  if (match === 'path') {
    const own = narrow.path();
    if (own !== undefined && isExactly(own, path, platform)) return true;
    return both(wide.path(), own, coversPath) || isSamePath(wide, narrow);
  }
  if (match === 'host') return both(wide.host(), narrow.host(), coversHost);
  return both(wide.text(), narrow.text(), coversStar);
}

/**
 * Whether two path patterns are equal. An allow reaches less than a deny or ask with the same
 * pattern (spec decision 6), but that must not make it narrower: between equal rules a deny wins.
 */
function isSamePath(a: CompiledRule, b: CompiledRule): boolean {
  const [one, other] = [a.reach(), b.reach()];
  return both(one, other, coversPath) && both(other, one, coversPath);
}

/** Caches comparisons: patterns never change, and the same few are compared repeatedly. */
const compared = new WeakMap<object, WeakMap<object, boolean>>();

function both<Pattern extends object>(
  wide: Pattern | undefined,
  narrow: Pattern | undefined,
  covers: (wide: Pattern, narrow: Pattern) => boolean,
): boolean {
  if (wide === undefined || narrow === undefined) return false;
  let known = compared.get(wide);
  if (known === undefined) {
    known = new WeakMap();
    compared.set(wide, known);
  }
  let result = known.get(narrow);
  if (result === undefined) {
    result = covers(wide, narrow);
    known.set(narrow, result);
  }
  return result;
}

function rankPermission(permission: string): number {
  if (/^\*+$/.test(permission)) return 0;
  if (permission.includes('*')) return 1;
  return /^[a-z]+\.[a-z_]+$/.test(permission) ? 2 : 3;
}

/**
 * With `*` as its permission, `docs/**` or `*.md` is about files. As a pattern of commands it would allow any program
 * in `docs`, and any command whose last word ends like that.
 */
function isForFiles(rule: Rule): boolean {
  if (rule.action !== 'allow' || rankPermission(rule.permission) > 0) return false;
  const { pattern } = rule;
  if (/^\*+$/.test(pattern)) return false;
  const isWord = pattern.includes('*') && !/\s/.test(pattern);
  return (isWord && /^\*|\//.test(pattern)) || /(?:^|\/)\*\*(?:\/|$)/.test(pattern);
}

function isMcp(id: string): boolean {
  return id.startsWith('mcp:');
}

/** `mcp:github:create` as `github_create`. */
function toUnderscore(id: string): string {
  const [, server = '', ...rest] = id.split(':');
  // `mcp:*` and `mcp:git*` cover every tool of those servers.
  if (rest.length === 0 && server.endsWith('*')) rest.push('*');
  return `${server}_${rest.join(':')}`.replace(/[^\w*]/g, '_');
}

function toHostPattern({ pattern, action }: Rule): HostPattern | undefined {
  const host = parseHostPattern(pattern);
  return host === undefined || action === 'allow' ? host : { ...host, tightens: true };
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
