import type { PolicyFolders } from '../patterns/roots.ts';
import type { CapabilitySet } from './requirements.ts';
import type { Action, Rule } from './rule.ts';
import type { Subject } from './subject.ts';

/** Everything a decision depends on, as a value. */
export interface Policy {
  /**
   * Whether the user stored this rule for the tool of the workspace with this identity. Absent: none was.
   */
  readonly isStoredFor?: (rule: Rule, identity: string) => boolean;
  /** The rules of all layers, including the shipped defaults if they are enabled. */
  readonly rules: readonly Rule[];
  /**
   * The agent's effective capabilities. Absent: not limited. Present: the whole set, so an absent
   * family grants nothing.
   */
  readonly capabilities?: CapabilitySet;
  readonly folders: PolicyFolders;
  readonly shell: 'bash' | 'pwsh' | 'cmd';
  readonly platform: NodeJS.Platform;
  /** No user can answer, so ask becomes deny (spec C-56). */
  readonly headless: boolean;
  /**
   * How long one evaluation may look for files below the folders that a command sweeps, and for what
   * its globs match, in milliseconds each. Git may take four times as long. Default: 500.
   */
  readonly lookMs?: number;
  /** Folder entries that the globs of one line may look at. Default: 10,000. */
  readonly globEntries?: number;
  /** Reads repositories. Where it answers nothing, what git commands bring and print can't be told, so they ask. */
  readonly readGit: ReadGit;
  /**
   * Whether git takes hooks or settings from a file or from something in a folder, by its real path, because a
   * configuration names it. Absent: not known.
   */
  readonly isNamedByGit?: (path: string) => boolean;
}

/**
 * Runs a git command that only reads objects, references and the index of the repository, so that
 * nothing of the repository is run. Resolves to undefined if it didn't run to its end. The arguments
 * start with the subcommand, or with settings that turn something off.
 */
export type ReadGit = (
  cwd: string,
  args: readonly string[],
  signal: AbortSignal,
) => Promise<GitAnswer | undefined>;

/** For folders that git can't read here, such as those of another platform. */
export const UNREADABLE: ReadGit = () => Promise.resolve(undefined);

export interface GitAnswer {
  readonly exitCode: number;
  readonly output: string;
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
  /** A command that does the same without the files that this one may not touch. */
  readonly instead?: string;
  /** Denied only because no user is available to ask. */
  readonly headless?: true;
  readonly subjects: readonly SubjectDecision[];
  /**
   * The rules that "always allow" can store, narrow to wide; empty if the call can't be verified
   * (spec CA-7). Computed on demand, because most calls don't ask.
   */
  candidates(): readonly Candidate[];
  /** The rules that an answer can store for each part of an asking call. Computed on demand. */
  offers(): Offers;
  /**
   * The rule of the user's that nearly allowed a part that asks; it decides nothing. Absent: not an ask.
   * Computed on demand.
   */
  near?(): NearRule | undefined;
  /** The reason for the decision on each subject, in the order of `subjects`. Computed on demand. */
  details(): readonly SubjectDetail[];
}

/** A rule that would allow a part of the call but for one difference. */
export interface NearRule {
  readonly rule: Rule;
  readonly difference: NearDifference;
  /** A sentence that names both. */
  readonly reason: string;
}

/**
 * `unnamed`: the words must be written in the rule; `extra`: the command has these words from `at` on;
 * `other`: the rule has `instead` where the command has `word`; `path`, `host`: the rule allows `instead`;
 * `argument`: the rule has `other` for the argument, which is `own` in the call.
 */
export type NearDifference =
  | { readonly kind: 'unnamed'; readonly words: readonly string[] }
  | { readonly kind: 'extra'; readonly at: number; readonly words: readonly string[] }
  | {
      readonly kind: 'other';
      readonly at: number;
      readonly word: string;
      readonly instead: string;
    }
  | { readonly kind: 'path' | 'host'; readonly instead: string }
  | {
      readonly kind: 'argument';
      readonly name: string;
      readonly own: unknown;
      readonly other: unknown;
    };

/** A rule that can be stored. */
export type StoredRule = Pick<Rule, 'permission' | 'pattern' | 'action'>;

export interface Candidate {
  readonly rules: readonly StoredRule[];
  /** Examples of other calls that these rules would also match. */
  readonly alsoMatches: readonly string[];
}

/** The rules that can be stored when the user is asked. */
export interface Offers {
  /** Empty if no rules can allow the call. */
  readonly allow: readonly PartOffer[];
  /** Empty if no rule can deny the call, such as a command that can't be analyzed. */
  readonly deny: readonly PartOffer[];
}

/** A part of a call, and the rules that would decide it. */
export interface PartOffer {
  readonly permission: string;
  readonly target: string;
  /** From narrow to wide, never empty. */
  readonly patterns: readonly OfferedPattern[];
  /** The rule for the rest of the session; one of `patterns`. Only for an allow. */
  readonly session?: OfferedPattern;
}

export interface OfferedPattern {
  readonly rule: StoredRule;
  /** Examples of other calls that the rule would also match. */
  readonly alsoMatches: readonly string[];
}

/** A subject with the reason for its decision. */
export interface SubjectDetail extends Pick<SubjectDecision, 'permission' | 'target' | 'decision'> {
  readonly reason: string;
  readonly risk?: Risk;
}

/**
 * Why a subject deserves a second look: `watchdog`: the built-in watchdog found it; `destructive`: it
 * deletes or overwrites; `network`: it contacts a host; `protected`: it writes a file that the editor,
 * git or an agent trusts; `outside`: it writes outside the workspace; `unclear`: it can't be analyzed.
 */
export type Risk = 'watchdog' | 'destructive' | 'network' | 'protected' | 'outside' | 'unclear';
