import path from 'node:path';
import * as vscode from 'vscode';
import { TITLE_LIMIT } from '../../acp/gatehouse/sessionList.ts';
import type { Chats } from '../chat/chats.ts';
import type { HostLink } from '../host/hostLink.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';
import { type ClearParts, clearAllSessions } from './clearSessions.ts';
import type { ChosenSession } from './toListed.ts';

export interface StoredActionParts {
  readonly link: HostLink;
  readonly chats: Pick<Chats, 'withId'>;
  readonly t: Translate;
  /** The folder that an imported session continues in. */
  folder(): string;
  /** The open folders. */
  folders(): readonly string[];
  /** Called when the list has changed. */
  changed(): void;
  /** Shows a session. */
  open(id: string): Promise<unknown>;
  /** Called with a session that no longer exists. */
  deleted(id: string): void;
}

/** What can be done with one stored session. All throw what the host refuses. */
export interface StoredActions {
  rename(session: ChosenSession): Promise<void>;
  update(
    session: ChosenSession,
    change: { readonly pinned?: boolean; readonly archived?: boolean },
  ): Promise<void>;
  /** Asks first, because nothing brings it back. */
  delete(session: ChosenSession): Promise<void>;
  /** Continues a copy of it. */
  fork(session: ChosenSession): Promise<void>;
  export(session: ChosenSession): Promise<void>;
  import(): Promise<void>;
  /** Deletes all sessions that may go. Asks first. */
  clear(): Promise<void>;
}

export function createStoredActions(parts: StoredActionParts): StoredActions {
  const { link, chats, t, changed, open } = parts;
  return {
    async rename({ id, title }) {
      const entered = await vscode.window.showInputBox({
        title: t('Rename Session'),
        value: title,
        validateInput: (text) => findTitleFault(text, t),
      });
      if (entered === undefined || entered.trim() === title) return;
      const host = await link.connection();
      const entry = await host.call('updateSession', { sessionId: id, title: entered.trim() });
      chats.withId(id)?.set({ title: entry.title ?? entered.trim() });
      changed();
    },
    async update({ id }, change) {
      await (await link.connection()).call('updateSession', { sessionId: id, ...change });
      changed();
    },
    delete: (session) => deleteSession(parts, session),
    async fork({ id }) {
      const { sessionId } = await (await link.connection()).call('forkSession', { sessionId: id });
      changed();
      await open(sessionId);
    },
    export: (session) => exportSession(parts, session),
    import: () => importSession(parts),
    clear: () => clearAllSessions(toClearParts(parts)),
  };
}

function toClearParts({ link, t, folders, changed, deleted }: StoredActionParts): ClearParts {
  const location = vscode.ProgressLocation.Notification;
  return {
    ...{ t, folders, changed, deleted },
    clear: async (query) => (await link.connection()).call('clearSessions', query),
    ask: (message, options, ...buttons) =>
      vscode.window.showWarningMessage(message, options, ...buttons),
    tell: (message) => void vscode.window.showInformationMessage(message),
    progress: (title, work) => vscode.window.withProgress({ location, title }, work),
  };
}

function findTitleFault(text: string, t: Translate): string | undefined {
  if (text.trim() === '') return t('Enter a title.');
  return text.trim().length > TITLE_LIMIT
    ? t('Enter at most {0} characters.', TITLE_LIMIT)
    : undefined;
}

async function deleteSession(
  { link, chats, t, changed, deleted }: StoredActionParts,
  { id, label }: ChosenSession,
): Promise<void> {
  const detail = [
    ...(chats.withId(id)?.busy ? [t('Its turn is stopped.')] : []),
    t(
      'Its messages, the outputs of its calls and what Revert could restore are deleted for good. Files that it changed stay as they are. Export it first to keep a copy.',
    ),
  ].join(' ');
  const yes = t('Delete');
  const answer = await vscode.window.showWarningMessage(
    plainNotice(t('Delete the session "{0}"?', label)),
    { modal: true, detail },
    yes,
  );
  if (answer !== yes) return;
  try {
    await (await link.connection()).deleteSession({ sessionId: id });
    deleted(id);
  } catch (error) {
    // The host may have closed it before it was refused.
    const open = chats.withId(id);
    if (open !== undefined) open.stale = true;
    throw error;
  } finally {
    changed();
  }
}

async function exportSession(
  { link, t, folder }: StoredActionParts,
  { id, label }: ChosenSession,
): Promise<void> {
  const target = await vscode.window.showSaveDialog({
    title: t('Export Session'),
    saveLabel: t('Export'),
    defaultUri: vscode.Uri.file(path.join(folder(), `${toFileName(label)}.md`)),
    filters: { [t('Markdown')]: ['md'], [t('JSON Lines, which can be imported')]: ['jsonl'] },
  });
  if (target === undefined) return;
  const format = /\.jsonl$/i.test(target.path) ? 'jsonl' : 'markdown';
  const isFile = target.scheme === 'file';
  const { text } = await (await link.connection()).call('exportSession', {
    ...{ sessionId: id, format },
    ...(isFile && { file: target.fsPath }),
  });
  if (text !== undefined) {
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  }
  const open = t('Open');
  const answer = await vscode.window.showInformationMessage(
    plainNotice(t('Exported "{0}".', label)),
    open,
  );
  if (answer === open) await vscode.window.showTextDocument(target);
}

/** The title as a name that every file system takes. */
function toFileName(title: string): string {
  const name = title
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return name === '' ? 'session' : name;
}

async function importSession({ link, t, folder, changed, open }: StoredActionParts): Promise<void> {
  const [source] =
    (await vscode.window.showOpenDialog({
      title: t('Import Session'),
      openLabel: t('Import'),
      filters: { [t('JSON Lines')]: ['jsonl'] },
    })) ?? [];
  if (source === undefined) return;
  const host = await link.connection();
  const query = { file: source.fsPath, cwd: folder() };
  const { sessionId } = await host.call('importSession', query);
  changed();
  await open(sessionId);
}
