import { coversCommand, parseCommandPattern } from '../patterns/commandPattern.ts';
import type { Rule } from '../rules/rule.ts';
import { COPY_RULES } from './copyRules.ts';
import { DEFAULT_RULES, RULE_GROUPS, type RuleGroup } from './defaults.ts';

/**
 * The shipped rules as JSON with comments, one rule per line. A rule comes before those that it can
 * override.
 */
export function shippedRulesText(): string {
  shipped ??= toRulesText(SHIPPED, [
    ...RULE_GROUPS,
    {
      title: 'Commands in a copy of the workspace',
      why: 'They may run in a copy if gatehouse.sandbox.autoRun or Autopilot is on. Their changes are decided afterwards.',
      rules: COPY_RULES,
    },
  ]);
  return shipped;
}

/** Made once, because the rules are compared with each other. */
let shipped: string | undefined;

const SHIPPED = [
  'The rules that Gatehouse ships. This document is read-only.',
  'An equal or narrower rule of yours in "gatehouse.permissions" overrides any of them. A rule comes before the wider',
  "rules that it overrides; of rules that don't override each other, the strictest counts. What no rule covers asks.",
  'Files such as .vscode/settings.json are protected: writing them always asks, so no rule here names them.',
  '"options" lists the options that a command is allowed with; others ask. "-n:" takes a value, "--x=" may have one,',
  '"-#" is a number, and "!" allows no operands. Rules of your own can\'t limit options.',
];

/** Whether the document of shipped rules contains this very rule. */
export function isShipped(rule: Rule): boolean {
  return SHIPPED_RULES.has(rule);
}

const SHIPPED_RULES: ReadonlySet<Rule> = new Set([...DEFAULT_RULES, ...COPY_RULES]);

/** Rules as JSON with comments. `intro` and each `why` become comments. */
export function toRulesText(intro: readonly string[], groups: readonly RuleGroup[]): string {
  const shown = groups.filter(({ rules }) => rules.length > 0);
  const parts = shown.map(({ title, why, rules, inOrder }) =>
    [
      ...[title, why].filter((words) => words !== '').map((words) => `  // ${words}\n`),
      (inOrder ? rules : narrowFirst(rules)).map((rule) => `  ${toRow(rule)}`).join(',\n'),
    ].join(''),
  );
  return `${intro.map((line) => `// ${line}\n`).join('')}[\n${parts.join(',\n\n')}\n]\n`;
}

function toRow({ permission, pattern, action, flags }: Rule): string {
  const shown = { permission, pattern, action, ...(flags !== undefined && { options: flags }) };
  const fields = Object.entries(shown).map(([key, value]) => `"${key}": ${toJson(value)}`);
  return `{ ${fields.join(', ')} }`;
}

/** Nothing in a rule may be invisible, or look like another line. */
function toJson(value: string): string {
  return JSON.stringify(value).replace(/[\p{Cf}\p{Zl}\p{Zp}]/gu, (each) =>
    Array.from({ length: each.length }, (_, at) => {
      return `\\u${each.charCodeAt(at).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}

/** Moves each rule for commands before the first wider one of its group. */
function narrowFirst(rules: readonly Rule[]): readonly Rule[] {
  const ordered: Rule[] = [];
  for (const rule of rules) {
    const wider = ordered.findIndex((each) => isWider(each, rule));
    ordered.splice(wider < 0 ? ordered.length : wider, 0, rule);
  }
  return ordered;
}

function isWider(a: Rule, b: Rule): boolean {
  if (
    a.permission !== b.permission ||
    !b.pattern.startsWith(/^[^ *]*/.exec(a.pattern)?.[0] ?? '')
  ) {
    return false;
  }
  const [wide, narrow] = [parseCommandPattern(a.pattern), parseCommandPattern(b.pattern)];
  if (wide === undefined || narrow === undefined) return false;
  return coversCommand(wide, narrow) && !coversCommand(narrow, wide);
}
