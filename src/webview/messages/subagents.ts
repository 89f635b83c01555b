import type { ChatItem } from './chatState.ts';

/** What was loaded of subagents, by their session. */
export type SubagentStates = Readonly<Record<string, SubagentState>>;

/** The conversation of a subagent. Calls have the ids that they have where the user is asked about them. */
export interface SubagentState {
  readonly items: readonly ChatItem[];
  /** How many items before those are left out. */
  readonly left: number;
  /** Why it could not be loaded; the items are as they were before. */
  readonly fault?: string;
}
