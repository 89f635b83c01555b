import type * as vscode from 'vscode';
import { toMeta } from '../../acp/gatehouse/parse.ts';
import type { SessionListMeta } from '../../acp/gatehouse/sessionList.ts';
import type { AcpConnection } from '../host/connection.ts';
import { ageText } from '../text/ageText.ts';
import { toPlainRow } from '../text/plainLabel.ts';
import type { Translate } from '../text/translate.ts';

export interface ListedSession {
  readonly sessionId: string;
  readonly title?: string | null;
  readonly updatedAt?: string | null;
  readonly cwd: string;
}

/** Shows a quick pick of past sessions, newest first. Resolves with the id of the selected one. */
export async function pickSession(
  window: Pick<typeof vscode.window, 'showQuickPick'>,
  sessions: readonly ListedSession[],
  now: number,
  t: Translate,
): Promise<string | undefined> {
  const items = [...sessions]
    .sort((a, b) => time(b) - time(a))
    .map((session) => ({
      label: session.title || t('Untitled session'),
      description: ageText(now - time(session), t),
      detail: session.cwd,
      sessionId: session.sessionId,
    }))
    .map(toPlainRow);
  const placeHolder = items.length === 0 ? t('No sessions yet.') : t('Select a session to open');
  const picked = await window.showQuickPick(items, { placeHolder, matchOnDetail: true });
  return picked?.sessionId;
}

/** Whether the host has a session, archived ones included. */
export async function hasSession(host: Lister, id: string): Promise<boolean> {
  for await (const page of listPages(host)) {
    if (page.some(({ sessionId }) => sessionId === id)) return true;
  }
  return false;
}

/** The ids of all sessions that the host has, archived ones included. */
export async function listSessionIds(host: Lister): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const page of listPages(host)) {
    for (const { sessionId } of page) ids.add(sessionId);
  }
  return ids;
}

type Lister = Pick<AcpConnection, 'listSessions'>;

async function* listPages(host: Lister) {
  let cursor: string | null | undefined;
  do {
    const page = await host.listSessions({
      ...(cursor != null && { cursor }),
      ...toMeta<SessionListMeta>({ archived: true }),
    });
    yield page.sessions;
    cursor = page.nextCursor;
  } while (cursor != null);
}

function time({ updatedAt }: ListedSession): number {
  return updatedAt == null ? Number.NEGATIVE_INFINITY : Date.parse(updatedAt);
}
