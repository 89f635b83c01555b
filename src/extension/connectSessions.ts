import * as vscode from 'vscode';
import { systemClock } from '../base/clock.ts';
import { DisposableStore } from '../base/disposable.ts';
import { asString, fieldAt } from '../base/json.ts';
import type { ChatSession } from './chat/chatSession.ts';
import type { Chats } from './chat/chats.ts';
import { hasSession, pickSession } from './chat/sessionPick.ts';
import { createChatEditors } from './chatEditors.ts';
import type { HostLink } from './host/hostLink.ts';
import { ClosedSessions } from './sessions/closedSessions.ts';
import { editMessage, forkMessage, undoRewind } from './sessions/rewind.ts';
import { searchSessions } from './sessions/searchSessions.ts';
import { SessionListing } from './sessions/sessionListing.ts';
import { createSessionsView, type SessionsView } from './sessions/sessionsView.ts';
import { toTitle } from './sessions/sessionTree.ts';
import { createStoredActions, type StoredActions } from './sessions/storedActions.ts';
import { type ChosenSession, toListed } from './sessions/toListed.ts';
import type { Translate } from './text/translate.ts';
import type { ConnectedViews } from './views/connectViews.ts';

export interface ConnectSessionsParts extends Omit<ConnectedViews, 'dispose' | 'reveal'> {
  readonly context: vscode.ExtensionContext;
  readonly chats: Chats;
  readonly link: HostLink;
  readonly t: Translate;
  /** The folders whose sessions are listed; new ones begin in the first. */
  folders(): readonly string[];
  /** The display form of a path. */
  label(path: string): string;
}

/** The actions of the commands about stored sessions. */
export type SessionActions = ReturnType<typeof createShowActions> &
  ReturnType<typeof createListActions> &
  ReturnType<typeof createMessageActions>;

export interface ConnectedSessions extends vscode.Disposable {
  readonly actions: SessionActions;
  readonly view: SessionsView;
}

/** Creates the Sessions view and the chats in editors. */
export function connectSessions(parts: ConnectSessionsParts): ConnectedSessions {
  const { context, chats, views, t, add, folders } = parts;
  const { extensionUri, workspaceState } = context;
  const store = new DisposableStore();
  const editors = store.add(createChatEditors({ extensionUri, workspaceState, t, add }));
  const closed = new ClosedSessions(workspaceState);
  store.add(
    parts.onDidLeave(({ session: { id }, inEditor }) => {
      if (id !== undefined) void closed.add({ id, inEditor });
    }),
  );
  const listing = store.add(new SessionListing({ ...parts, clock: systemClock }));
  const view = store.add(
    createSessionsView({ ...parts, listing, clock: systemClock, memory: workspaceState }),
  );
  const stored = createStoredActions({
    ...parts,
    folder: () => folders()[0] ?? '',
    changed: () => view.refresh(),
    open: async (id) => (await views.open(id)).compose(),
    deleted: (id) => {
      void parts.screens.remove(id);
      drop(parts, chats.withId(id));
    },
  });
  return {
    view,
    actions: {
      ...createShowActions(parts, editors, closed),
      ...createListActions(parts, view, stored),
      ...createMessageActions(parts),
    },
    dispose: () => store.dispose(),
  };
}

type Editors = ReturnType<typeof createChatEditors>;

/** The commands that show a session. */
function createShowActions(parts: ConnectSessionsParts, editors: Editors, closed: ClosedSessions) {
  const { chats, link, views, t } = parts;
  const inEditor = (session: ChatSession | string | undefined) =>
    moveToEditor(parts, editors, session);
  return {
    openSession: (item?: unknown) => openSession(parts, item),
    openChatInEditor: (item?: unknown) => inEditor(toListed(item)?.id ?? views.current.session),
    async reopenSession() {
      const isShown = (id: string) => chats.withId(id)?.watched === true;
      const last = await closed.take(isShown, async (id) =>
        hasSession(await link.connection(), id),
      );
      if (last === undefined) {
        void vscode.window.showInformationMessage(t('No closed session to reopen.'));
      } else if (last.inEditor) await inEditor(last.id);
      else await (await views.open(last.id)).compose();
    },
    searchSessions: () => search(parts),
  };
}

/** What the keys of the Sessions view pass to their commands, as `package.json` declares. */
const FOCUSED = 'focused';

/**
 * The commands of the Sessions view. From the palette they act on the session that is shown, by a key on the row
 * that has the focus: on none if that is a heading.
 */
function createListActions(parts: ConnectSessionsParts, view: SessionsView, stored: StoredActions) {
  const { views, t } = parts;
  const on = async (item: unknown, act: (session: ChosenSession) => Promise<void>) => {
    if (item === FOCUSED) {
      const focused = toListed(await view.focused());
      return focused === undefined ? undefined : act(focused);
    }
    const session = toListed(item) ?? toShown(views.current.session, t);
    if (session !== undefined) await act(session);
    else void vscode.window.showInformationMessage(t('This session has not begun yet.'));
  };
  return {
    renameSession: (item?: unknown) => on(item, stored.rename),
    pinSession: (item?: unknown) => on(item, (each) => stored.update(each, { pinned: true })),
    unpinSession: (item?: unknown) => on(item, (each) => stored.update(each, { pinned: false })),
    archiveSession: (item?: unknown) => on(item, (each) => stored.update(each, { archived: true })),
    unarchiveSession: (item?: unknown) =>
      on(item, (each) => stored.update(each, { archived: false })),
    deleteSession: (item?: unknown) => on(item, stored.delete),
    forkSession: (item?: unknown) => on(item, stored.fork),
    exportSession: (item?: unknown) => on(item, stored.export),
    importSession: () => stored.import(),
    clearSessions: () => stored.clear(),
    refreshSessions: () => view.refresh(),
    showMoreSessions: () => view.showMore(),
    showArchivedSessions: () => view.showArchived(true),
    hideArchivedSessions: () => view.showArchived(false),
  };
}

/** The commands on a message of the user. */
function createMessageActions(parts: ConnectSessionsParts) {
  const { views } = parts;
  return {
    async editMessage(message?: unknown) {
      const view = views.current;
      const id = asString(fieldAt(message, 'messageId'));
      if (id !== undefined) await editMessage(parts, view.session, id);
    },
    async forkMessage(message?: unknown) {
      const view = views.current;
      const id = asString(fieldAt(message, 'messageId'));
      if (id === undefined) return;
      await forkMessage(parts, view.session, id, async (forked) => {
        return (await views.open(forked, view)).session;
      });
    },
    undoRewind: () => undoRewind(parts, views.current.session),
  };
}

function toShown({ id, state }: ChatSession, t: Translate): ChosenSession | undefined {
  const title = state.title ?? '';
  return id === undefined ? undefined : { id, title, label: toTitle({ title }, t) };
}

/** Opens a session of the list, or one that the user chooses. */
async function openSession({ link, views, t }: ConnectSessionsParts, item: unknown): Promise<void> {
  const listed = toListed(item)?.id;
  // The list is beside the chat of the side bar; that of an editor stays as it is.
  if (listed !== undefined) return (await views.open(listed, views.main)).compose();
  const { sessions } = await (await link.connection()).listSessions({});
  const id = await pickSession(vscode.window, sessions, Date.now(), t);
  if (id !== undefined) await (await views.open(id)).compose();
}

/** Shows a session in an editor, and a new chat in the side bar that showed it. */
async function moveToEditor(
  { chats, views }: ConnectSessionsParts,
  editors: Editors,
  given: ChatSession | string | undefined,
): Promise<void> {
  const session = typeof given === 'string' ? chats.withId(given) : given;
  const shown = session && views.showing(session);
  if (shown?.inEditor) return shown.compose();
  const view = editors.open(session?.blank ? undefined : (session ?? given));
  if (shown !== undefined && !shown.session.blank) shown.show(chats.blank());
  await view.compose();
}

/** Searches all transcripts, and shows the message that the user chooses. */
async function search({ link, chats, views, t }: ConnectSessionsParts): Promise<void> {
  const { window } = vscode;
  const found = await searchSessions({
    ...{ window, clock: systemClock, t },
    search: async (query) => (await link.connection()).call('searchSessions', { query }),
  });
  if (found === undefined) return;
  const view = await views.open(found.sessionId);
  await view.focus();
  await chats.whole(view.session);
  // What was sent in this window has no id of the host here; then the session is shown at its end.
  const item = view.session.state.items.find(({ id }) => id.endsWith(`:${found.messageId}`));
  if (item === undefined) view.focusComposer();
  else view.revealItem(item.id);
}

/** Closes the editors that show a deleted session, and shows a new chat in the side bar. */
function drop(
  { chats, views, unread }: ConnectSessionsParts,
  session: ChatSession | undefined,
): void {
  if (session === undefined) return;
  for (const view of views.all.filter((each) => each.session === session)) {
    if (view.inEditor) view.close();
    else view.show(chats.blank());
  }
  chats.remove(session);
  unread.remove(session);
}
