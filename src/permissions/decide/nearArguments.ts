import { toCodeSpan } from '../../base/codeSpan.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import type { NearRule } from '../rules/policy.ts';
import { type Rule, toRuleSpan } from '../rules/rule.ts';

/** The one argument by which two calls differ. A missing one is undefined. */
interface ArgumentDifference {
  readonly name: string;
  readonly own: unknown;
  readonly other: unknown;
}

/**
 * The only difference between two calls of a tool that are otherwise alike: an argument of several, or one
 * word of the only one. Undefined if they differ in more, or have nothing in common.
 */
function findDifference(own: unknown, other: unknown): ArgumentDifference | undefined {
  if (!isRecord(own) || !isRecord(other)) return undefined;
  const names = [...new Set([...Object.keys(own), ...Object.keys(other)])];
  const differing = names.filter((name) => toText(own[name]) !== toText(other[name]));
  const [name] = differing;
  if (name === undefined || differing.length > 1) return undefined;
  const difference = { name, own: own[name], other: other[name] };
  const isAlike = isOneWord(difference, names.length > 1);
  return isAlike ? difference : undefined;
}

/** Whether texts of several words differ in one of them. Single words may differ if the rest is the same. */
function isOneWord({ own, other }: ArgumentDifference, hasMore: boolean): boolean {
  if (typeof own !== 'string' || typeof other !== 'string') return hasMore;
  const [words, others] = [own.split(/\s+/), other.split(/\s+/)];
  if (words.length === 1 && others.length === 1) return hasMore;
  const [long, short] = words.length >= others.length ? [words, others] : [others, words];
  if (long.length - short.length > 1) return false;
  const start = long.findIndex((word, at) => word !== short[at]);
  const rest = long.slice(start + 1);
  return toText(rest) === toText(short.slice(long.length === short.length ? start + 1 : start));
}

/** Equal for equal values. */
function toText(value: unknown): string {
  if (!isRecord(value)) return JSON.stringify(value) ?? '';
  const names = Object.keys(value).sort();
  return JSON.stringify(names.map((name) => [name, value[name]]));
}

/** The most rules that are compared. */
const MOST_RULES = 200;

/**
 * The answer kept for another call of the tool that differs in one argument only. Rules whose arguments are
 * kept as a hash can't be compared.
 */
export function findNearExact(exact: readonly Rule[], input: unknown): NearRule | undefined {
  for (const rule of exact.slice(-MOST_RULES).reverse()) {
    if (rule.action !== 'allow') continue;
    const difference = findDifference(input, parseJson(rule.pattern));
    if (difference === undefined) continue;
    const reason = `You allowed this for the session with ${describe(difference)}.`;
    return { rule, difference: { kind: 'argument', ...difference }, reason };
  }
  return undefined;
}

/** Rules for calls of a declared tool have its arguments as JSON. `allows`: what rules decide about others. */
export function findNearDeclared(
  target: string,
  rules: readonly Rule[],
  allows: (target: string) => Rule | undefined,
): NearRule | undefined {
  const own = parseJson(target);
  for (const each of rules.slice(0, MOST_RULES)) {
    const difference = findDifference(own, parseJson(each.pattern));
    if (difference === undefined || !isRecord(own)) continue;
    const { name, other } = difference;
    // A rule that has an argument more may have it anywhere.
    const changed = name in own ? JSON.stringify({ ...own, [name]: other }) : each.pattern;
    const rule = allows(changed);
    if (rule === undefined) continue;
    const reason = `The rule ${toRuleSpan(rule)} allows it with ${describe(difference)}.`;
    return { rule, difference: { kind: 'argument', ...difference }, reason };
  }
  return undefined;
}

function describe({ name, own, other }: ArgumentDifference): string {
  const span = toCodeSpan(name);
  if (other === undefined) return `no ${span}`;
  const now = own === undefined ? 'it is missing here' : `here it is ${toValueSpan(own)}`;
  return `${span} ${toValueSpan(other)}, and ${now}`;
}

function toValueSpan(value: unknown): string {
  return toCodeSpan(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), 60);
}
