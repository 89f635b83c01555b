import type { PolicyFolders } from '../patterns/roots.ts';
import type { RequirementSet } from './requirements.ts';
import type { Action, Rule } from './rule.ts';
import type { Subject } from './subject.ts';

/** Everything a decision depends on, as a value. */
export interface Policy {
  /** The rules of all layers, including the shipped defaults if they are enabled. */
  readonly rules: readonly Rule[];
  /**
   * The agent's effective capabilities. Absent: not limited. Present: the whole set, so an absent
   * family grants nothing.
   */
  readonly capabilities?: RequirementSet;
  readonly folders: PolicyFolders;
  readonly shell: 'bash' | 'pwsh' | 'cmd';
  readonly platform: NodeJS.Platform;
  /** No user can answer, so ask becomes deny (spec C-56). */
  readonly headless: boolean;
}

export interface Call {
  readonly tool: string;
  /** Validated arguments. */
  readonly input: unknown;
  /** What the tool declares that the call would touch. */
  readonly subjects: readonly [Subject, ...Subject[]];
}

/** One subject after analysis. A command line becomes one subject for each simple command. */
export interface SubjectDecision {
  readonly permission: string;
  readonly target: string;
  readonly decision: Action;
  readonly rule?: Rule;
}

/** The decision on one call, and its reason. */
export interface Decision {
  /** `refuse` comes from the capability layer; no rule can override it. */
  readonly decision: Action | 'refuse';
  readonly layer: 'capability' | 'rules' | 'watchdog';
  /** An explanation for the user and the model. */
  readonly reason: string;
  readonly rule?: Rule;
  /** Denied only because no user is available to ask. */
  readonly headless?: true;
  readonly subjects: readonly SubjectDecision[];
  /**
   * The rules that "always allow" can store, narrow to wide; empty if the call can't be verified
   * (spec CA-7). Computed on demand, because most calls don't ask.
   */
  candidates(): readonly Candidate[];
}

export interface Candidate {
  readonly rules: readonly Pick<Rule, 'permission' | 'pattern' | 'action'>[];
  /** Examples of other calls that these rules would also match. */
  readonly alsoMatches: readonly string[];
}
