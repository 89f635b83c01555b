import * as vscode from 'vscode';
import { asString, fieldAt } from '../base/json.ts';
import type { ChatSession } from './chat/chatSession.ts';
import type { Translate } from './text/translate.ts';
import type { ChatView } from './views/chatView.ts';
import type { EditorPage } from './views/connectViews.ts';
import { EditorSessions } from './views/editorSessions.ts';

/** The type of the panels, as declared in `package.json`. */
const CHAT_EDITOR = 'gatehouse.chatEditor';

export interface ChatEditorParts {
  readonly extensionUri: vscode.Uri;
  readonly workspaceState: vscode.Memento;
  readonly t: Translate;
  /** Adds a view of a session, or of the stored session with an id, or of a new chat. */
  add(page: EditorPage, session: ChatSession | string | undefined): ChatView;
}

/** Chats in editors, which come back when the window is reloaded. */
export interface ChatEditors extends vscode.Disposable {
  open(session: ChatSession | string | undefined): ChatView;
}

export function createChatEditors({
  extensionUri,
  workspaceState,
  t,
  add,
}: ChatEditorParts): ChatEditors {
  const shown = new EditorSessions(workspaceState);
  const show = (panel: vscode.WebviewPanel, session: ChatSession | string | undefined) => {
    panel.iconPath = {
      light: vscode.Uri.joinPath(extensionUri, 'media', 'gate-light.svg'),
      dark: vscode.Uri.joinPath(extensionUri, 'media', 'gate-dark.svg'),
    };
    return add(toPage(panel, t, shown), session);
  };
  const serializer = vscode.window.registerWebviewPanelSerializer(CHAT_EDITOR, {
    // The page keeps the id of its session, besides its draft. Without one it was a new chat.
    async deserializeWebviewPanel(panel, state: unknown) {
      show(panel, asString(fieldAt(state, 'sessionId')) ?? shown.find(panel.title));
    },
  });
  return {
    open: (session) =>
      show(
        vscode.window.createWebviewPanel(CHAT_EDITOR, t('New Chat'), vscode.ViewColumn.Active),
        session,
      ),
    dispose: () => serializer.dispose(),
  };
}

function toPage(panel: vscode.WebviewPanel, t: Translate, shown: EditorSessions): EditorPage {
  let title: string | undefined;
  let session: string | undefined;
  const keep = () => {
    if (session === undefined || title === undefined) shown.show(panel, undefined);
    else shown.show(panel, { title, sessionId: session });
  };
  panel.onDidDispose(() => shown.show(panel, undefined));
  return {
    webview: panel.webview,
    inEditor: true,
    get visible() {
      return panel.visible;
    },
    get title() {
      return title;
    },
    set title(next) {
      title = next;
      panel.title = next ?? t('New Chat');
      keep();
    },
    shows(sessionId) {
      session = sessionId;
      keep();
    },
    onDidChangeVisibility: panel.onDidChangeViewState,
    onDidDispose: panel.onDidDispose,
    reveal: () => panel.reveal(),
    close: () => panel.dispose(),
  };
}
