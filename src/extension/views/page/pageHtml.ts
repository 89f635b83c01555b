import { getMessage } from '../../../base/faults.ts';
import type { ToExtension } from '../../../webview/messages/messages.ts';
import type { ScreenNode } from '../../../webview/messages/screen.ts';
import type { ChatSession } from '../../chat/chatSession.ts';
import { chatHtml, failureHtml } from './chatHtml.ts';
import type { PageFiles } from './pageFiles.ts';
import { screenHtml } from './screenHtml.ts';
import type { ScreenStore } from './screenStore.ts';

export interface PageHtmlParts {
  readonly cspSource: string;
  /** The URI of `dist/webview` in the page. */
  readonly folder: string;
  readonly language: string;
  readonly inEditor: boolean;
  /** Throws what the user is told. */
  files(): PageFiles;
}

/** The last screen of a session that is not loaded yet, and the key by which the page will know it. */
export interface LastScreen {
  readonly session: string;
  readonly nodes: readonly ScreenNode[];
}

/** The HTML of a page, with the screen that it shows until its session is there. */
export function pageHtml(parts: PageHtmlParts, last: LastScreen | undefined): string {
  const { files, inEditor, ...others } = parts;
  const own = { ...others, title: 'Gatehouse' };
  try {
    const { script, style, lastScreen } = files();
    return chatHtml({
      ...{ ...own, script, style, nonce: crypto.randomUUID() },
      ...(inEditor && { inEditor }),
      ...(last !== undefined && {
        kept: { session: last.session, html: screenHtml(last.nodes), script: lastScreen },
      }),
    });
  } catch (error) {
    return failureHtml({ ...own, text: getMessage(error) });
  }
}

type Shown = Pick<ChatSession, 'id' | 'key' | 'stale'>;

/** The sessions that a page of this window has shown. */
const seen = new WeakSet<Shown>();

/** Call when a page shows the session. */
export function noteSeen(session: Shown): void {
  seen.add(session);
}

/** The last screen of a session that no page of this window has shown yet. */
export function findLast(
  screens: Pick<ScreenStore, 'read'>,
  session: Shown,
): LastScreen | undefined {
  const { id, key } = session;
  if (id === undefined || seen.has(session)) return undefined;
  const nodes = screens.read(id);
  return nodes && { session: key, nodes };
}

/** Keeps what the page shows of a loaded session. */
export function keepScreen(
  screens: Pick<ScreenStore, 'keep'>,
  { id, key, stale }: Shown,
  { session, nodes }: Extract<ToExtension, { type: 'screen' }>,
): void {
  if (session === key && id !== undefined && !stale) void screens.keep(id, nodes);
}
