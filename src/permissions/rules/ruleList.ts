import { type CompiledRule, namesPermission } from './compiledRule.ts';

/** Compiled rules, with a lookup of those that name a tool or capability. */
export interface RuleList {
  readonly all: readonly CompiledRule[];
  /**
   * The rules for a tool or capability. Cached for long lists, because most rules are for others.
   */
  naming(tool: string, capability: string | undefined): readonly CompiledRule[];
}

/** Lists shorter than this are filtered each time. */
const SHORT = 16;

export function toRuleList(all: readonly CompiledRule[]): RuleList {
  const find = (tool: string, capability: string | undefined) =>
    all.filter((rule) => namesPermission(rule, tool, capability));
  if (all.length < SHORT) return { all, naming: find };
  const known = new Map<string, readonly CompiledRule[]>();
  return {
    all,
    naming(tool, capability) {
      const key = `${tool} ${capability}`;
      const found = known.get(key) ?? find(tool, capability);
      known.set(key, found);
      return found;
    },
  };
}
