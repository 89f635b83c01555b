import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import type { ChatSession } from './chat/chatSession.ts';
import type { Chats } from './chat/chats.ts';
import { hasSession, pickSession } from './chat/sessionPick.ts';
import { createChatEditors } from './chatEditors.ts';
import type { Actions } from './commands.ts';
import type { HostLink } from './host/hostLink.ts';
import { ClosedSessions } from './sessions/closedSessions.ts';
import { toListed } from './sessions/toListed.ts';
import type { Translate } from './text/translate.ts';
import type { ConnectedViews } from './views/connectViews.ts';

export interface ConnectSessionsParts extends Omit<ConnectedViews, 'dispose' | 'reveal'> {
  readonly context: vscode.ExtensionContext;
  readonly chats: Chats;
  readonly link: HostLink;
  readonly t: Translate;
}

/** The actions of the commands about stored sessions. */
export type SessionActions = Pick<Actions, 'openSession' | 'openChatInEditor' | 'reopenSession'>;

/** Creates the chats in editors. */
export function connectSessions(
  parts: ConnectSessionsParts,
): vscode.Disposable & { readonly actions: SessionActions } {
  const { context, chats, views, t, add } = parts;
  const { extensionUri, workspaceState } = context;
  const store = new DisposableStore();
  const editors = store.add(createChatEditors({ extensionUri, t, add }));
  const closed = new ClosedSessions(workspaceState);
  store.add(
    parts.onDidLeave(({ session: { id }, inEditor }) => {
      if (id !== undefined) void closed.add({ id, inEditor });
    }),
  );
  const inEditor = (session: ChatSession | string | undefined) =>
    moveToEditor(parts, editors, session);
  return {
    actions: {
      openSession: (item) => openSession(parts, item),
      openChatInEditor: (item) => inEditor(toListed(item)?.id ?? views.current.session),
      async reopenSession() {
        const isShown = (id: string) => chats.withId(id)?.watched === true;
        const last = await closed.take(isShown, async (id) =>
          hasSession(await parts.link.connection(), id),
        );
        if (last === undefined) {
          void vscode.window.showInformationMessage(t('No closed session to reopen.'));
        } else if (last.inEditor) await inEditor(last.id);
        else await (await views.open(last.id)).compose();
      },
    },
    dispose: () => store.dispose(),
  };
}

/** Opens a session of the list, or one that the user chooses. */
async function openSession(
  { chats, views, t }: ConnectSessionsParts,
  item: unknown,
): Promise<void> {
  const listed = toListed(item)?.id;
  // The list is beside the chat of the side bar; that of an editor stays as it is.
  if (listed !== undefined) return (await views.open(listed, views.main)).compose();
  const id = await pickSession(vscode.window, await chats.list(), Date.now(), t);
  if (id !== undefined) await (await views.open(id)).compose();
}

/** Shows a session in an editor, and a new chat in the side bar that showed it. */
async function moveToEditor(
  { chats, views }: ConnectSessionsParts,
  editors: ReturnType<typeof createChatEditors>,
  given: ChatSession | string | undefined,
): Promise<void> {
  const session = typeof given === 'string' ? chats.withId(given) : given;
  const shown = session && views.showing(session);
  if (shown?.inEditor) return shown.compose();
  const view = editors.open(session?.blank ? undefined : (session ?? given));
  if (shown !== undefined && !shown.session.blank) shown.show(chats.blank());
  await view.compose();
}
