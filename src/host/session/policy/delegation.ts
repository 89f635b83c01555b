import type { AgentDefinition } from '../../../agentDefinitions/definition.ts';
import { SERVER_CALL } from '../../../base/tools/mcpServer.ts';
import type { CapabilitySet } from '../../../permissions/rules/requirements.ts';
import type { Rule } from '../../../permissions/rules/rule.ts';

/** The named capabilities that a session may pass on. Others need the user or are secrets (spec CS-28). */
const DELEGABLE: readonly string[] = ['task.spawn', SERVER_CALL];

const delegated = new WeakMap<CapabilitySet, CapabilitySet>();

/**
 * What a session passes on to a subagent: files, hosts, programs, MCP tools and the right to start others. The same set for the
 * same set, so that it is compiled once.
 */
export function toDelegable(set: CapabilitySet): CapabilitySet {
  const known = delegated.get(set);
  if (known !== undefined) return known;
  const capabilities = (set.capabilities ?? []).filter((name) => DELEGABLE.includes(name));
  const passed = { ...set, capabilities };
  delegated.set(set, passed);
  return passed;
}

const marked = new WeakMap<readonly Rule[], Map<string, readonly Rule[]>>();

/**
 * The rules of the definitions of a chain, from the user's session to the subagent. Each is marked with its level, so
 * that no definition loosens what another one decides. A session that the user started has no chain.
 */
export function toChainRules(lists: readonly (readonly Rule[])[]): readonly Rule[] {
  const [only, ...others] = lists;
  if (only !== undefined && others.length === 0) return only;
  return lists.flatMap((rules, at) => markLevel(rules, at, lists.length));
}

/** The same rules for the same list, which the policy compiler compares by identity. */
function markLevel(rules: readonly Rule[], at: number, of: number): readonly Rule[] {
  const known = marked.get(rules) ?? new Map<string, readonly Rule[]>();
  marked.set(rules, known);
  const key = `${at}/${of}`;
  const made = known.get(key) ?? rules.map((rule): Rule => ({ ...rule, level: { at, of } }));
  known.set(key, made);
  return made;
}

/** A subagent's own folders count only where its parent has them too. */
export function boundRoots(
  definition: AgentDefinition,
  parentFolders: readonly string[] | undefined,
): AgentDefinition {
  if (parentFolders === undefined || definition.roots.length === 0) return definition;
  return { ...definition, roots: definition.roots.filter((root) => parentFolders.includes(root)) };
}
