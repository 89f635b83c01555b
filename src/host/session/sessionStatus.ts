import type { SessionLoadMeta } from '../../acp/gatehouse/session.ts';
import type { HostServices } from '../services/hostServices.ts';

/** What a session is doing (spec CS-82). Approval wins when an approval and a question are both pending. */
export type SessionStatus =
  | 'idle'
  | 'busy'
  | 'retrying'
  | 'waiting_on_approval'
  | 'waiting_on_user_input';

export function getStatus(
  { pending, retrying }: Pick<HostServices, 'pending' | 'retrying'>,
  sessionId: string,
  isRunning: boolean,
): SessionStatus {
  const asks = pending.list(sessionId);
  if (asks.some((ask) => ask.kind === 'approval')) return 'waiting_on_approval';
  if (asks.length > 0) return 'waiting_on_user_input';
  if (!isRunning) return 'idle';
  return retrying.has(sessionId) ? 'retrying' : 'busy';
}

/** How the session's last turn broke off; undefined when it ended. */
export function getUnfinished(
  recorder: HostServices['recorder'],
  sessionId: string,
): SessionLoadMeta['unfinished'] {
  const turn = recorder.unfinishedTurn(sessionId);
  if (turn === undefined) return undefined;
  return turn.calls.length > 0 ? 'waiting' : 'broken';
}
