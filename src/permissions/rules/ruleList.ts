import { type CompiledRule, namesPermission } from './compiledRule.ts';

/** Compiled rules, and those of them that name one tool or capability. */
export interface RuleList {
  readonly all: readonly CompiledRule[];
  /** Found once for each tool and capability of a long list: most rules are about others. */
  naming(tool: string, capability: string | undefined): readonly CompiledRule[];
}

/** A list this short is filtered anew each time. */
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
