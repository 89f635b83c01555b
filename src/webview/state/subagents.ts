import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ChatItem } from '../messages/chatState.ts';
import type { SubagentStates } from '../messages/subagents.ts';

export interface SubagentRowsContext {
  readonly states: SubagentStates;
  /** Draws an item as the conversation does. */
  draw(item: ChatItem): ComponentChildren;
}

export const SubagentSurrounding = createContext<SubagentRowsContext>({
  states: {},
  draw: () => null,
});

/** The subagents whose conversations surround what is drawn, from the outermost on. */
export const InSubagent = createContext<readonly string[]>([]);

/** Whether what is drawn belongs to a subagent: what is done with a message or a call is the session's only. */
export function useInSubagent(): boolean {
  return useContext(InSubagent).length > 0;
}
