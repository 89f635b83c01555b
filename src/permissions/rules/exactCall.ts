import { createHash } from 'node:crypto';
import { isRecord, parseJson } from '../../base/json.ts';
import type { Offers, StoredRule } from './policy.ts';
import type { Rule } from './rule.ts';

/** The permission of a rule about one exact call: this and the id of the tool. Its pattern: the arguments. */
const PREFIX = 'call:';

/** Longer arguments are stored as their hash. */
const LONGEST = 200;

/** A rule that decides calls of this tool with these arguments and no other, and not what they touch. */
export function isExactRule({ permission, broken }: Pick<Rule, 'permission' | 'broken'>): boolean {
  return permission.startsWith(PREFIX) && broken !== true;
}

/** The arguments of a call. */
export interface ExactArguments {
  readonly input: unknown;
  /** What was parsed as `input`, if that text reaches the tool too. Parsed numbers may have lost digits. */
  readonly inputText?: string | undefined;
  /** Of a tool that the workspace brings: see `Operation`. */
  readonly identity?: string | undefined;
}

/** The rules about single calls of the tool. */
export function listExactRules(rules: readonly Rule[], tool: string): readonly Rule[] {
  return rules.filter(({ permission }) => permission === PREFIX + tool);
}

/** The rule for exactly this call; a deny holds against an allow. */
export function findExactRule(
  rules: readonly Rule[],
  tool: string,
  given: ExactArguments,
): Rule | undefined {
  if (rules.length === 0) return undefined;
  const patterns = { allow: toAllowed(given), deny: toPattern(given) };
  const own = listExactRules(rules, tool);
  const find = (action: 'allow' | 'deny') =>
    own.find((rule) => rule.action === action && rule.pattern === patterns[action]);
  return find('deny') ?? find('allow');
}

/**
 * What can be stored about exactly this call. `title` names the call; `allows`: an allow would have an
 * effect.
 */
export function offerExact(
  { tool, title, ...given }: ExactArguments & { readonly tool: string; readonly title: string },
  allows: () => boolean,
): Offers {
  const permission = PREFIX + tool;
  const offer = (action: 'allow' | 'deny') => {
    const pattern = action === 'allow' ? toAllowed(given) : toPattern(given);
    const rule: StoredRule = { permission, pattern, action };
    const offered = { rule, alsoMatches: [] };
    return { permission, target: title, patterns: [offered], session: offered };
  };
  return { allow: allows() ? [offer('allow')] : [], deny: [offer('deny')] };
}

/** The pattern of an allow. Another tool that has the name of one which the workspace brings gets another. */
function toAllowed({ identity, ...given }: ExactArguments): string {
  const pattern = toPattern(given);
  return identity === undefined ? pattern : `bound-${toHash(JSON.stringify([identity, pattern]))}`;
}

/** The arguments as one text, equal for equal arguments only. */
function toPattern({ input, inputText }: ExactArguments): string {
  const marked = inputText === undefined ? markInfinite(input) : markNumbers(inputText);
  if (marked !== undefined) return `marked-${toHash(JSON.stringify(sorted(marked)))}`;
  const text = JSON.stringify(sorted(input)) ?? 'null';
  return text.length <= LONGEST ? text : toHash(text);
}

function toHash(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/**
 * The value with each number as it is written, in a string that no other value has. Undefined if all numbers
 * are written as they are when printed.
 */
function markNumbers(json: string): unknown {
  const isPlain = [...json.matchAll(TOKEN)].every(
    ([token]) => token.startsWith('"') || String(Number(token)) === token,
  );
  if (isPlain) return undefined;
  return parseJson(
    json.replace(TOKEN, (token) =>
      token.startsWith('"') ? `"s${token.slice(1)}` : JSON.stringify(`n${token}`),
    ),
  );
}

/** The same for a value without text, whose numbers are what they are. JSON has none that isn't finite. */
function markInfinite(input: unknown): unknown {
  let isExact = true;
  const text = JSON.stringify(input, (_, value: unknown) => {
    if (typeof value === 'string') return `s${value}`;
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    isExact = false;
    return `n${value}`;
  });
  return isExact ? undefined : parseJson(text);
}

/** Strings and numbers of a JSON text. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** The order of an object's names is no part of its value. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}
