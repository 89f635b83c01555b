import {
  type AgentDefinition,
  declaredCapabilities,
} from '../../../agentDefinitions/definition.ts';
import type { CapabilitySet, ToolRequirements } from '../../../permissions/rules/requirements.ts';
import type { Approval } from './approval.ts';

/** The inputs of a session's capability set. */
export interface CapabilityFacts {
  readonly definition: AgentDefinition;
  /** The tools of its agent; a tool extends what the agent declares (spec decision 20). */
  readonly tools: readonly RequiringTool[];
  readonly approval: Approval;
  /** The pattern of the session's scratch folder, when no folder is open. */
  readonly scratch?: string;
  /** The set of the session that started this one. */
  readonly parent?: CapabilitySet;
}

export interface RequiringTool {
  readonly id: string;
  readonly formerId?: string;
  readonly requires: ToolRequirements;
}

/** The default scope of file tools: the open folders, and the folders of other open files. */
const DEFAULT_FILES: readonly string[] = ['{workspace}/**', '{ad-hoc}/**'];

/**
 * The upper limit of what a session may do, whatever its rules allow: what its agent and the agent's
 * tools declare, cut by its approval mode and by what the session that started it may do itself (spec
 * decision 20). The host's state lies outside every set.
 */
export function effectiveCapabilities(facts: CapabilityFacts): CapabilitySet {
  const { definition, tools, approval, scratch, parent } = facts;
  const files = scratch === undefined ? DEFAULT_FILES : [...DEFAULT_FILES, scratch];
  const declared = declaredCapabilities(definition, tools, files);
  const own = approval === 'readOnly' ? withoutEffects(declared) : declared;
  return parent === undefined ? own : { ...own, within: parent };
}

const READ_ONLY = 'The approval mode of the session is Read Only.';

/** Keeps only the file reads and the subagents of a capability set; no rule can override it (spec C-62). */
function withoutEffects({ fs, capabilities = [] }: CapabilitySet): CapabilitySet {
  // A subagent has the same mode.
  const own = capabilities.filter((name) => name === 'task.spawn');
  return {
    fs: { read: fs?.read ?? [] },
    ...(own.length > 0 && { capabilities: own }),
    readOnly: READ_ONLY,
  };
}

/** Returns the same set while its inputs are unchanged, so that the gate compiles it once. */
export function createCapabilities(): typeof effectiveCapabilities {
  let last: { facts: CapabilityFacts; set: CapabilitySet } | undefined;
  return (facts) => {
    if (last === undefined || !isSame(last.facts, facts)) {
      last = { facts, set: effectiveCapabilities(facts) };
    }
    return last.set;
  };
}

function isSame(a: CapabilityFacts, b: CapabilityFacts): boolean {
  return (
    a.definition === b.definition &&
    a.tools === b.tools &&
    a.approval === b.approval &&
    a.scratch === b.scratch &&
    a.parent === b.parent
  );
}
