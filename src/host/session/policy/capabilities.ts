import {
  type AgentDefinition,
  declaredCapabilities,
} from '../../../agentDefinitions/definition.ts';
import type { RequirementSet } from '../../../permissions/rules/requirements.ts';
import type { Approval } from './approval.ts';

/** What the capabilities of a session depend on. */
export interface CapabilityFacts {
  readonly definition: AgentDefinition;
  /** The tools that its agent has; a tool widens what the agent declares (spec decision 20). */
  readonly tools: readonly RequiringTool[];
  readonly approval: Approval;
}

export interface RequiringTool {
  readonly requires: RequirementSet;
}

/**
 * What a session may do at all, whatever its rules allow: what its agent and the agent's tools declare,
 * within the limits of its approval mode (spec decision 20). Undefined: no capability set limits it.
 */
export function effectiveCapabilities(facts: CapabilityFacts): RequirementSet | undefined {
  const declared = declaredCapabilities(facts.definition, facts.tools);
  return facts.approval === 'readOnly' ? withoutEffects(declared) : declared;
}

/**
 * The part of a set that only reads files: no rule can lift it (spec C-62). No intersection of patterns is
 * needed, since the limit leaves every file readable.
 */
function withoutEffects(declared: RequirementSet | undefined): RequirementSet {
  return declared === undefined ? READ_EVERYTHING : { fs: { read: declared.fs?.read ?? [] } };
}

const READ_EVERYTHING: RequirementSet = {
  fs: { read: ['/**', '{workspace}/**', '{ad-hoc}/**', '{user-data}/**'] },
};

/** Keeps the set while nothing it depends on changed: the gate compiles each set once. */
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
