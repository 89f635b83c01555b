import { getToolFacts } from '../tools/toolFacts.ts';
import { STEP } from './fold.ts';
import { isToolPart, type StoredMessage, type StoredToolPart } from './stored.ts';

/** A turn that is not over although its process is gone: nobody cancelled it, and it did not fail. */
export interface UnfinishedTurn {
  /** The session's last message. */
  readonly message: StoredMessage;
  /**
   * The calls of its last step that had not begun, if one of them waits for the user; they may run
   * without running anything twice. Empty if the turn broke off anywhere else.
   */
  readonly calls: readonly StoredToolPart[];
}

/** The unfinished turn at the end of a session that no process is writing. */
export function findUnfinished(messages: readonly StoredMessage[]): UnfinishedTurn | undefined {
  const message = messages.at(-1);
  if (message?.role !== 'assistant') return undefined;
  const { finish_reason, aborted_at, hidden_at, command } = message.metadata;
  // A command is not a question to the model; the user can give it again.
  if ((finish_reason ?? aborted_at ?? hidden_at ?? command) !== undefined) return undefined;
  const step = message.parts.slice(message.parts.findLastIndex(({ type }) => type === STEP) + 1);
  const calls = step.filter(isToolPart).filter(isNotBegun);
  return { message, calls: calls.some(isWaiting) ? calls : [] };
}

/** A question may be asked again: it changes nothing. */
function isNotBegun(call: StoredToolPart): boolean {
  const { state, begun } = call;
  if (call.hosted !== undefined) return false;
  return isWaiting(call) || (state === 'input-available' && begun !== true);
}

function isWaiting({ state, toolName }: StoredToolPart): boolean {
  if (state === 'approval-requested') return true;
  const open = state === 'input-available' || state === 'approval-responded';
  return open && getToolFacts(toolName)?.needsUser === true;
}
