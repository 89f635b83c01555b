import type { Action } from '../../../permissions/rules/rule.ts';

/** The products whose settings are read. */
export type Product = 'Claude Code' | 'VS Code' | 'Copilot CLI' | 'OpenCode' | 'Cline';

/** Where rules are saved: settings of a workspace must not apply to another one. */
export type ImportDestination = 'user' | 'workspace';

/** A settings file of another product. */
export interface SourceFile {
  readonly product: Product;
  /** Absolute. */
  readonly path: string;
  readonly destination: ImportDestination;
}

/** What a rule matches, in the form of Gatehouse's rules. */
export interface RuleTarget {
  readonly permission: string;
  readonly pattern: string;
}

/** One entry of a settings file, and the rules that say no more than it does. */
export interface Entry {
  /** As it is written there. */
  readonly written: string;
  readonly action: Action;
  /** Empty if no rule can say this. */
  readonly targets: readonly RuleTarget[];
  /** Where the entry ends and the patterns don't: these calls ask, as without the entry. */
  readonly except?: readonly RuleTarget[];
  /** Why the rules say less than the entry, or why there are none. A sentence. */
  readonly reason?: string;
  /** The calls that the entry may deny or ask about, if no rule says so: nothing imported allows them. */
  readonly blocks?: readonly RuleTarget[];
  /** The file can't be read: what it may deny is only a matter of its own product. */
  readonly unread?: true;
  /** What it may ask about among commands, told by their start, as far as a pattern is literal. */
  readonly blocksCommand?: (start: string) => boolean;
}

/** The entries of a file that are decided together. */
export interface EntryGroup {
  readonly source: SourceFile;
  /** Groups of the same name are one list, in the order of the groups. */
  readonly list: string;
  /** Which of several matching entries decides: the strictest, or the last of the list. */
  readonly decides: 'strictest' | 'last';
  readonly entries: readonly Entry[];
}

/** An entry that no rule can express. `blocks`: what it may deny or ask about. */
export function leaveOut(
  written: string,
  action: Action,
  reason: string,
  blocks: readonly RuleTarget[] = [],
): Entry {
  return { written, action, targets: [], reason, ...(action !== 'allow' && { blocks }) };
}

/** The reasons that several products share. */
export const REASONS = {
  allEdits:
    'It would allow every edit. Choose the approval mode Accept Edits for a session instead.',
  allCommands: 'It would allow every command.',
  allHosts: 'It would allow every host.',
  asksAnyway: 'Gatehouse asks anyway when no rule matches.',
  insideWorkspace: 'Only files of the workspace are allowed.',
} as const;

/** Whether a JSON value is one of the three actions. */
export function isAction(value: unknown): value is Action {
  return value === 'allow' || value === 'ask' || value === 'deny';
}
