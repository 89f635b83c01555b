import {
  type AgentDefinition,
  declaredCapabilities,
} from '../../../agentDefinitions/definition.ts';
import type { RequirementSet } from '../../../permissions/rules/requirements.ts';
import type { Approval } from './approval.ts';

/** The inputs of a session's capability set. */
export interface CapabilityFacts {
  readonly definition: AgentDefinition;
  /** The tools of its agent; a tool extends what the agent declares (spec decision 20). */
  readonly tools: readonly RequiringTool[];
  readonly approval: Approval;
}

export interface RequiringTool {
  readonly requires: RequirementSet;
}

/**
 * The upper limit of what a session may do, whatever its rules allow: what its agent and the agent's
 * tools declare, restricted by its approval mode (spec decision 20). Undefined: unlimited.
 */
export function effectiveCapabilities(facts: CapabilityFacts): RequirementSet | undefined {
  const declared = declaredCapabilities(facts.definition, facts.tools);
  return facts.approval === 'readOnly' ? withoutEffects(declared) : declared;
}

/**
 * Keeps only the file reads of a capability set; no rule can override it (spec C-62). Patterns need no
 * intersection, because the limit leaves every file readable.
 */
function withoutEffects(declared: RequirementSet | undefined): RequirementSet {
  return declared === undefined ? READ_EVERYTHING : { fs: { read: declared.fs?.read ?? [] } };
}

const READ_EVERYTHING: RequirementSet = {
  fs: { read: ['/**', '{workspace}/**', '{ad-hoc}/**', '{user-data}/**'] },
};

/** Returns the same set while its inputs are unchanged, so that the gate compiles it once. */
export function createCapabilities(): typeof effectiveCapabilities {
  let last: { facts: CapabilityFacts; set: RequirementSet | undefined } | undefined;
  return (facts) => {
    if (last === undefined || !isSame(last.facts, facts)) {
      last = { facts, set: effectiveCapabilities(facts) };
    }
    return last.set;
  };
}

function isSame(a: CapabilityFacts, b: CapabilityFacts): boolean {
  return a.definition === b.definition && a.tools === b.tools && a.approval === b.approval;
}
