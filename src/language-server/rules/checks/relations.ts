import { overrides } from '../../../permissions/decide/decide.ts';
import { DEFAULT_RULES } from '../../../permissions/defaults/defaults.ts';
import { matchesStar } from '../../../permissions/patterns/star.ts';
import {
  type CompiledRule,
  compileRule,
  type Ground,
  isEqual,
  isNarrower,
  type MatchKind,
  namesPermission,
  parseRule,
} from '../../../permissions/rules/compiledRule.ts';
import type { Rule } from '../../../permissions/rules/rule.ts';
import { getCapability, getKind } from './kinds.ts';

/**
 * Compiles rules so that they can be compared with each other. The folders are made up: only the relation
 * between patterns counts.
 */
export function compile(rule: Rule): CompiledRule {
  return compileRule(parseRule(rule), CONTEXT);
}

const CONTEXT = {
  platform: 'linux',
  cwd: '/nonexistent/w',
  roots: {
    workspace: ['/nonexistent/w'],
    adHoc: ['/nonexistent/a'],
    userData: ['/nonexistent/u'],
    home: ['/nonexistent/h'],
    state: undefined,
    sidecars: undefined,
  },
} as const;

let shipped: readonly CompiledRule[] | undefined;

/** The shipped rules, compiled on first use. */
export function getShipped(): readonly CompiledRule[] {
  shipped ??= DEFAULT_RULES.map(compile);
  return shipped;
}

/** How two rules relate where both match: `equal` patterns, or one of them is narrower. */
export type Relation = 'equal' | 'narrower' | 'wider' | 'overlapping';

/** The relation of `a` to `b`. Undefined if no call can match both by their permissions. */
export function relate(a: CompiledRule, b: CompiledRule): Relation | undefined {
  const ground = findGround(a, b);
  if (ground === undefined) return undefined;
  if (isEqual(a, b, ground)) return 'equal';
  if (isNarrower(a, b, ground)) return 'narrower';
  return isNarrower(b, a, ground) ? 'wider' : 'overlapping';
}

/** Whether the gate lets `a` override `b` where both match. */
export function doesOverride(a: CompiledRule, b: CompiledRule): boolean {
  const ground = findGround(a, b);
  return ground !== undefined && overrides(a, b, ground);
}

function findGround(a: CompiledRule, b: CompiledRule): Ground | undefined {
  if (!mayName(a, b) && !mayName(b, a)) return undefined;
  const match = getKind(a.rule.permission) ?? getKind(b.rule.permission) ?? 'text';
  return { match: isReadable(a, b, match) ? match : 'text', platform: 'linux', path: '' };
}

/** Patterns of another kind are compared as texts. */
function isReadable(a: CompiledRule, b: CompiledRule, match: MatchKind): boolean {
  if (match === 'command') return a.command() !== undefined && b.command() !== undefined;
  if (match === 'host') return a.host() !== undefined && b.host() !== undefined;
  return match !== 'path' || (a.path() !== undefined && b.path() !== undefined);
}

/** Whether `a` applies to what the permission of `b` names. */
function mayName(a: CompiledRule, b: CompiledRule): boolean {
  const { permission } = b.rule;
  if (a.rule.permission === permission || a.permissionRank === 0) return true;
  // What runs in a copy is asked about by itself.
  if (permission === 'copy') return false;
  if (namesPermission(a, permission, getCapability(permission))) return true;
  return permission.includes('*') && matchesStar(b.permission, a.rule.permission);
}

/** A text that is the same for rules whose permission and pattern mean the same. */
export function getSameKey({ rule, ...compiled }: CompiledRule): string {
  return JSON.stringify([rule.permission, getPatternKey(rule, compiled)]);
}

function getPatternKey(rule: Rule, compiled: Omit<CompiledRule, 'rule'>): unknown {
  switch (getKind(rule.permission)) {
    case 'command': {
      const command = compiled.command();
      return command && [command.parts, command.openTail];
    }
    case 'host': {
      const host = compiled.host();
      return host && [host.host, host.port];
    }
    case 'path':
      if (compiled.reach()?.everything) return '*';
      // `./**` of a deny starts at the folder, `**` doesn't.
      return [rule.pattern.replace(/^(?:\.\/)+(?!\*)/, '')];
    default:
      return rule.pattern;
  }
}
