import type { SessionInfo } from '@agentclientprotocol/sdk';
import { readSessionInfoMeta } from '../../acp/gatehouse/sessionList.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import { toTime } from './sessionList.ts';
import type { RowState, SessionRow } from './sessionTree.ts';

/** A stored session, with what it does in this window if it is open here. */
export function toEntry(
  info: SessionInfo,
  open: ChatSession | undefined,
  isUnread: (session: ChatSession) => boolean,
): SessionRow {
  const own = open?.stale === false ? open : undefined;
  const meta = readSessionInfoMeta(info);
  const model = own?.state.choices?.find(({ id }) => id === 'model')?.current?.name;
  return {
    id: info.sessionId,
    title: own?.state.title ?? meta?.title ?? info.title ?? '',
    cwd: info.cwd,
    updatedAt: meta?.updatedAt ?? toTime(info),
    // What this window shows is newer than the list.
    state: own === undefined ? (meta?.state ?? 'idle') : toState(own, isUnread),
    pinned: meta?.pinned === true,
    archived: meta?.archived === true,
    ...(meta?.parentId !== undefined && { forked: true as const }),
    ...(model !== undefined && { model }),
  };
}

function toState(session: ChatSession, isUnread: (session: ChatSession) => boolean): RowState {
  const { asks, retry } = session.state;
  const [first] = asks;
  if (first !== undefined)
    return first.kind === 'question' ? 'waiting_question' : 'waiting_permission';
  if (session.busy) return retry == null ? 'busy' : 'retrying';
  return isUnread(session) ? 'unread' : 'idle';
}
