import {
  type ListedRule,
  RULES_PAGE,
  type RuleListQuery,
  type RulesPage,
} from '../../acp/gatehouse/rules.ts';
import { orderRules } from '../../permissions/explain/ruleOrder.ts';
import { withRules } from '../../permissions/rules/compiledPolicy.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import type { RuleList } from '../../permissions/rules/ruleList.ts';
import type { HostConfiguration } from '../config/configuration.ts';
import { openFolders } from './openFolders.ts';
import type { OpenHost } from './openHost.ts';
import { sessionTools } from './tools/sessionTools.ts';

/** A page of the rules in force, and of those that wait for the user to accept them. */
export async function listRules(
  { services, sessions }: OpenHost,
  query: RuleListQuery,
): Promise<RulesPage> {
  const { sessionId } = query;
  const session = sessionId === undefined ? undefined : sessions.get(sessionId);
  const owner = session ?? openFolders(services);
  const { registry } = await sessionTools(services, owner);
  const configuration = owner.configuration();
  const compiled = services.compiler.compile(owner.policy(registry.list()));
  // Rules of the second kind decide nothing by their patterns, or nothing yet.
  const others = [...(session?.exactRules ?? []), ...configuration.waiting];
  const all = others.length === 0 ? compiled.rules : withRules(compiled, others).rules;
  const found = inOrder(all).filter(createFilter(query));
  const { offset = 0, limit = RULES_PAGE } = query;
  const describe = createDescriber(configuration);
  return {
    total: found.length,
    permissions: countPermissions(found),
    rules: found
      .slice(offset, offset + limit)
      .map((rule) => ({ ...describe(rule), ...toUse(rule) })),
  };

  function toUse(rule: Rule): Pick<ListedRule, 'hits' | 'lastUsed'> {
    return services.decisions.ruleHits.find(rule, sessionId ?? '') ?? { hits: 0 };
  }
}

const ordered = new WeakMap<RuleList, readonly Rule[]>();

function inOrder(rules: RuleList): readonly Rule[] {
  let known = ordered.get(rules);
  if (known === undefined) {
    known = orderRules(rules.all);
    ordered.set(rules, known);
  }
  return known;
}

function createFilter({ permission, file, text }: RuleListQuery): (rule: Rule) => boolean {
  const words = text?.toLowerCase() ?? '';
  return (rule) => {
    if (permission !== undefined && rule.permission !== permission) return false;
    if (file !== undefined && rule.origin?.file !== file) return false;
    if (words === '') return true;
    const { origin } = rule;
    const shown = [rule.action, rule.permission, rule.pattern, origin?.layer, origin?.file];
    return shown.join(' ').toLowerCase().includes(words);
  };
}

function countPermissions(rules: readonly Rule[]): RulesPage['permissions'] {
  const counts = new Map<string, number>();
  for (const { permission } of rules) counts.set(permission, (counts.get(permission) ?? 0) + 1);
  return [...counts].map(([permission, count]) => ({ permission, count }));
}

function createDescriber({ waiting, problems }: HostConfiguration) {
  const waits = new Set(waiting);
  const toPosition = (origin: Rule['origin']) =>
    `${origin?.layer} ${origin?.index} ${origin?.file}`;
  const messages = new Map(problems.map(({ origin, message }) => [toPosition(origin), message]));
  return (rule: Rule): Omit<ListedRule, 'hits' | 'lastUsed'> => {
    const { permission, pattern, action, source, origin, broken } = rule;
    const problem = broken === true ? messages.get(toPosition(origin)) : undefined;
    const state = broken === true ? 'broken' : waits.has(rule) ? 'waiting' : undefined;
    return {
      ...{ permission, pattern, action, source },
      ...(origin && { origin }),
      ...(state && { state }),
      ...(problem !== undefined && { problem }),
    };
  };
}
