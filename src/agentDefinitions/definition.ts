import type { RequirementSet } from '../permissions/rules/requirements.ts';
import type { Rule } from '../permissions/rules/rule.ts';
import { uniteRequirements } from '../permissions/rules/scope.ts';

/** An agent definition, from which a session is started. Field names are those of the file. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** Who may start it: the user (`primary`), another agent (`subagent`), or both. */
  readonly mode: 'primary' | 'subagent' | 'all';
  /** A model id at the configured endpoint. Default: the configured model. */
  readonly model?: string;
  /** Tool ids or globs. Default: every tool. */
  readonly tools?: readonly string[];
  /**
   * The capabilities the agent requests. Absent only for the built-in agent, which has no limits of
   * its own; a file without the field requests none.
   */
  readonly requires?: RequirementSet;
  /** Absolute paths. Added to `{workspace}` once the user has accepted them (spec decision 23). */
  readonly roots: readonly string[];
  readonly permissions: readonly Rule[];
  /** The system prompt. */
  readonly prompt: string;
}

/**
 * The capabilities the agent needs: its own and those of its tools (spec C-7, spec C-8, spec VC-8).
 */
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

/** Whether the definition includes this tool, by id or glob, or lists no tools at all. */
export function hasTool({ tools }: Pick<AgentDefinition, 'tools'>, id: string): boolean {
  return tools === undefined || tools.some((pattern) => matchesId(pattern, id));
}

/** Matches an id; `*` stands for any text. Takes linear time, because the pattern is untrusted. */
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

/** Replaces a definition that was not found: it has no tools and no capabilities. */
export function missingAgent(name: string): AgentDefinition {
  return {
    name,
    description: 'This agent was not found.',
    mode: 'all',
    tools: [],
    requires: {},
    roots: [],
    permissions: [],
    prompt: '',
  };
}
