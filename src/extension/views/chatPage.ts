import type * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import type { ToExtension } from '../../webview/messages/messages.ts';
import type { Strings } from '../../webview/messages/stringKeys.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import type { Chats } from '../chat/chats.ts';
import type { ChatView } from './chatView.ts';
import type { PageFiles } from './page/pageFiles.ts';
import type { ScreenStore } from './page/screenStore.ts';
import type { AllPagesFocus } from './pageFocus.ts';

/** What a side bar view and an editor panel have in common. */
export interface ChatPage {
  readonly webview: vscode.Webview;
  readonly visible: boolean;
  /** It is an editor, and not a view of the side bar. */
  readonly inEditor?: boolean;
  readonly onDidChangeVisibility: vscode.Event<unknown>;
  readonly onDidDispose: vscode.Event<unknown>;
  /** Of an editor. */
  close?(): void;
  badge?: vscode.ViewBadge | undefined;
  /** Undefined shows the view's own name. */
  title?: string | undefined;
}

/** A message that is neither about the page's focus nor its last screen. */
export type PageMessage = Exclude<ToExtension, { type: 'focus' | 'pong' | 'screen' }>;

export interface ChatViewParts {
  readonly clock: Clock;
  readonly language: string;
  /** `dist/webview`, the only folder that the page may load from. */
  readonly root: vscode.Uri;
  readonly chats: Pick<Chats, 'onDidChange'>;
  readonly chatFocus: AllPagesFocus;
  /** The last screens of sessions, which pages show until they have them. */
  readonly screens: Pick<ScreenStore, 'read' | 'keep'>;
  /** Throws what the user is told. */
  files(): PageFiles;
  strings(): Strings;
  receive(message: PageMessage, view: ChatView): void;
  /** Reveals and focuses the view. */
  focus(): Thenable<unknown>;
  /** Called with the host's id of the shown session when it changes. */
  remember?(sessionId: string | undefined): void;
  /** Called with a session that the view no longer shows. */
  left?(session: ChatSession): void;
}
