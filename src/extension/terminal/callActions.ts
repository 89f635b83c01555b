import type { UserAction } from '../../webview/messages/messages.ts';
import type { HostLink } from '../host/hostLink.ts';
import type { Outputs } from './outputs.ts';
import type { UseCommand } from './runInTerminal.ts';

/** What a chat does with the calls of a session, and the requests to its model. */
export interface CallActions {
  /** Copies or opens what a call put out. */
  readonly output: Outputs['use'];
  /** Acts on the command of a call. */
  readonly command: UseCommand;
  /** Ends the wait for a retry of the model. */
  retryNow(sessionId: string | undefined): void;
  /** Changes the queue of prompts in the host, which reports it. */
  changeQueue(sessionId: string | undefined, action: QueueAction): void;
}

/** What the user does with the queue. */
export type QueueAction = Extract<UserAction, { type: 'steer' | 'moveQueued' | 'resumeQueue' }>;

/** Rejects when the host can't be asked. A message that it doesn't have yet is sent in a moment. */
export async function changeQueue(
  link: Pick<HostLink, 'connection'>,
  sessionId: string | undefined,
  action: QueueAction,
): Promise<void> {
  if (sessionId === undefined) return;
  const connection = await link.connection();
  if (action.type === 'resumeQueue') {
    await connection.call('resumeQueue', { sessionId });
  } else if (action.type === 'steer') {
    await connection.call('steer', { sessionId, queueId: action.id });
  } else {
    const { id, before } = action;
    await connection.call('moveQueued', { sessionId, id, ...(before !== undefined && { before }) });
  }
}
