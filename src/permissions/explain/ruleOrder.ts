import { getToolFacts } from '../../base/tools/toolFacts.ts';
import type { Glob } from '../patterns/glob.ts';
import type { PathPattern } from '../patterns/pathPattern.ts';
import type { CompiledRule } from '../rules/compiledRule.ts';
import type { Action, Rule, Scope } from '../rules/rule.ts';
import { orderByOptions } from './optionOrder.ts';

/**
 * The rules in the order in which they count: a rule that can override another comes before it. First the
 * rules of single tools, then those of capabilities, of globs and of all tools; among those with one
 * permission, a manifest's denies, then narrow before wide patterns, and equal ones by precedence. Rules
 * that match no common call are in an arbitrary but stable order.
 */
export function orderRules(rules: readonly CompiledRule[]): readonly Rule[] {
  const tight = new Set(
    rules.flatMap(({ rule }) => (rule.action === 'allow' ? [] : toWords(rule))),
  );
  const sorted = rules.map((compiled, at) => toPosition(compiled, at, tight)).sort(compare);
  return orderByOptions(sorted, areCommands).map(({ rule }) => rule);
}

interface Position {
  readonly rule: Rule;
  readonly compiled: CompiledRule;
  readonly rank: number;
  readonly pinned: boolean;
  /** Characters that a target must have; a pattern never has more than one that it covers. */
  readonly literal: number;
  readonly stars: number;
  readonly alternatives: number;
  readonly at: number;
}

function toWords({ permission, pattern }: Rule): string {
  return `${permission} ${pattern}`;
}

function toPosition(compiled: CompiledRule, at: number, tight: ReadonlySet<string>): Position {
  const { rule, permissionRank: rank } = compiled;
  const pinned = rule.source === 'manifest' && rule.action === 'deny' && !isShipped(rule);
  return { rule, compiled, rank, pinned, ...measure(compiled, tight.has(toWords(rule))), at };
}

function compare(a: Position, b: Position): number {
  return (
    b.rank - a.rank ||
    compareText(a.rule.permission, b.rule.permission) ||
    Number(b.pinned) - Number(a.pinned) ||
    b.literal - a.literal ||
    a.stars - b.stars ||
    a.alternatives - b.alternatives ||
    compareText(a.rule.pattern, b.rule.pattern) ||
    STRICT.indexOf(a.rule.action) - STRICT.indexOf(b.rule.action) ||
    SCOPES.indexOf(a.rule.source) - SCOPES.indexOf(b.rule.source) ||
    (b.rule.added_at ?? 0) - (a.rule.added_at ?? 0) ||
    a.at - b.at
  );
}

/** Of one permission, which is about commands, and both or none of them pinned. */
function areCommands({ rule, pinned }: Position, other: Position): boolean {
  if (rule.permission !== other.rule.permission || pinned !== other.pinned) return false;
  return getAbout(rule.permission) === 'command';
}

const STRICT: readonly Action[] = ['deny', 'ask', 'allow'];
const SCOPES: readonly Scope[] = ['session', 'project', 'manifest'];

function isShipped({ origin }: Rule): boolean {
  return origin?.layer === 'default';
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

type Measure = Pick<Position, 'literal' | 'stars' | 'alternatives'>;

/** `tightens`: a rule of the same words asks or denies, and reaches further than an allow of them. */
function measure(compiled: CompiledRule, tightens: boolean): Measure {
  const { permission } = compiled.rule;
  const about = getAbout(permission);
  if (about === 'command') {
    const command = compiled.command();
    if (command === undefined) return NOTHING;
    return measureStar(command.parts, command.openTail ? 1 : 0);
  }
  if (about === 'path') return measurePath(tightens ? compiled.reach() : compiled.path());
  if (about === 'host') return measureHost(compiled);
  return measureStar(compiled.text(), 0);
}

function getAbout(permission: string) {
  return getToolFacts(permission)?.about ?? aboutCapability(permission);
}

function aboutCapability(permission: string): 'path' | 'command' | 'host' | undefined {
  if (permission.startsWith('fs.')) return 'path';
  if (permission.startsWith('shell.')) return 'command';
  return permission.startsWith('net.') ? 'host' : undefined;
}

const NOTHING: Measure = { literal: -1, stars: 0, alternatives: 1 };

function measureStar(parts: readonly string[], open: number): Measure {
  const literal = parts.reduce((sum, part) => sum + part.length, 0);
  return { literal, stars: parts.length - 1 + open, alternatives: 1 };
}

/** By the widest alternative: that one covers, or is covered. */
function measurePath(pattern: PathPattern | undefined): Measure {
  if (pattern === undefined || pattern.everything) return NOTHING;
  const { length: alternatives } = pattern.alternatives;
  const [first = NOTHING, ...others] = pattern.alternatives.map(measureGlob);
  const widest = others.reduce(
    (a, b) => ((b.literal - a.literal || a.stars - b.stars) < 0 ? b : a),
    first,
  );
  return { ...widest, alternatives };
}

function measureGlob(glob: Glob): Measure {
  let [literal, stars] = [0, 0];
  for (const [at, segment] of glob.entries()) {
    if (segment.kind === 'globstar') {
      // Several of them match what one does.
      if (glob[at - 1]?.kind !== 'globstar') stars += 2;
      continue;
    }
    const own = segment.kind === 'set' ? measureSet(segment.text) : measureStar(segment.parts, 0);
    literal += 1 + own.literal;
    stars += own.stars;
  }
  return { literal, stars, alternatives: 1 };
}

/** `?` and `[ab]` are one character each, but wider than any. */
function measureSet(text: string): Measure {
  const plain = text.replace(/\\(?=.)/g, '').replace(/\[[^\]]*\]/g, '?');
  const stars = plain.match(/[?*]/g)?.length ?? 0;
  return { literal: plain.replaceAll('*', '').length, stars, alternatives: 1 };
}

function measureHost(compiled: CompiledRule): Measure {
  const pattern = compiled.host();
  if (pattern === undefined) return NOTHING;
  const { host, port } = pattern;
  const below = host.startsWith('*');
  const stars = (port === undefined ? 1 : 0) + (below ? 2 : 0);
  return { literal: host.replace('*', '').length, stars, alternatives: 1 };
}
