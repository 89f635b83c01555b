import type { RequirementSet } from '../permissions/rules/requirements.ts';
import type { Rule } from '../permissions/rules/rule.ts';
import { uniteRequirements } from '../permissions/rules/scope.ts';

/** What an agent is, as a value: a session is started as one. The field names are the file's own. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** Who may start it: the user, another agent, or both. */
  readonly mode: 'primary' | 'subagent' | 'all';
  /** The id of a model at the configured endpoint; absent = the one that is set. */
  readonly model?: string;
  /** Ids or globs; absent = every tool. */
  readonly tools?: readonly string[];
  /** Absent = the agent is limited by no set of its own. A file without it asks for nothing. */
  readonly requires?: RequirementSet;
  /** Absolute. They join `{workspace}` once the user has accepted them (spec decision 23). */
  readonly roots: readonly string[];
  readonly permissions: readonly Rule[];
  /** The system prompt. */
  readonly prompt: string;
}

/** What the agent asks for: its own set and its tools', with no second edit (spec C-7, C-8, VC-8). */
export function declaredCapabilities(
  { requires }: Pick<AgentDefinition, 'requires'>,
  tools: readonly { readonly requires: RequirementSet }[],
): RequirementSet | undefined {
  if (requires === undefined) return undefined;
  return tools.reduce<RequirementSet>(
    (set, tool) => uniteRequirements(set, tool.requires),
    requires,
  );
}

/** Whether the agent has the tool of this id: its definition names it by id or glob, or names none. */
export function hasTool({ tools }: Pick<AgentDefinition, 'tools'>, id: string): boolean {
  return tools === undefined || tools.some((pattern) => matchesId(pattern, id));
}

/** Only `*` is special: any part of an id. Linear, since the pattern is not ours. */
function matchesId(pattern: string, id: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return pattern === id;
  if (!id.startsWith(head) || !id.endsWith(tail) || id.length < head.length + tail.length) {
    return false;
  }
  let at = head.length;
  for (const part of rest) {
    const found = id.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= id.length - tail.length;
}

/** Stands for an agent whose definition is not there: it has no tool, and nothing is granted to it. */
export function missingAgent(name: string): AgentDefinition {
  return {
    name,
    description: 'This agent is not there.',
    mode: 'all',
    tools: [],
    requires: {},
    roots: [],
    permissions: [],
    prompt: '',
  };
}
