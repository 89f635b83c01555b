import type { PolicyFolders } from '../patterns/roots.ts';
import type { RequirementSet } from './requirements.ts';
import type { Action, Rule } from './rule.ts';
import type { Subject } from './subject.ts';

/** Everything a decision depends on, as a value. */
export interface Policy {
  /** All layers at once, shipped defaults included when they are in force. */
  readonly rules: readonly Rule[];
  /** The effective set; absent = does not limit. Present = the whole set: an absent family grants nothing. */
  readonly capabilities?: RequirementSet;
  readonly folders: PolicyFolders;
  readonly shell: 'bash' | 'pwsh' | 'cmd';
  readonly platform: NodeJS.Platform;
  /** No user is there: ask is deny (spec C-56). */
  readonly headless: boolean;
}

export interface Call {
  readonly tool: string;
  /** Validated arguments. */
  readonly input: unknown;
  /** What the tool declared it would touch. */
  readonly subjects: readonly [Subject, ...Subject[]];
}

/** One subject after analysis (a command line becomes one subject for each simple command). */
export interface SubjectDecision {
  readonly permission: string;
  readonly target: string;
  readonly decision: Action;
  readonly rule?: Rule;
}

/** The decision on one call, and why: the layer, the rule, its origin and the subjects. */
export interface Decision {
  /** `refuse` is the capability layer: no rule can lift it. */
  readonly decision: Action | 'refuse';
  readonly layer: 'capability' | 'rules' | 'watchdog';
  /** One sentence for a person and for the model. */
  readonly reason: string;
  readonly rule?: Rule;
  /** Denied only because nobody is there to be asked. */
  readonly headless?: true;
  readonly subjects: readonly SubjectDecision[];
  /**
   * Patterns "always" may store, narrow to wide; empty for what cannot be proved (spec CA-7). Worked out
   * when someone looks: most calls are decided without a person.
   */
  candidates(): readonly Candidate[];
}

export interface Candidate {
  readonly rules: readonly Pick<Rule, 'permission' | 'pattern' | 'action'>[];
  /** Other calls these rules would also match. */
  readonly alsoMatches: readonly string[];
}
