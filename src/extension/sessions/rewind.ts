import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { HistoryPage, RewindResult } from '../../acp/gatehouse/history.ts';
import { applyChange } from '../../webview/messages/applyChange.ts';
import type { ChatItem, TextItem } from '../../webview/messages/chatState.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import { emptyState } from '../chat/chatStates.ts';
import type { Chats } from '../chat/chats.ts';
import { type Message, toAttached } from '../chat/message.ts';
import { toChanges } from '../chat/transcript.ts';
import type { HostLink } from '../host/hostLink.ts';
import type { Translate } from '../text/translate.ts';

export interface RewindParts {
  readonly link: Pick<HostLink, 'connection'>;
  readonly chats: Pick<Chats, 'load' | 'putBack'>;
  readonly t: Translate;
}

/** Messages that are looked through at a time. */
const PAGE = 200;

/**
 * *Edit and Resend*: hides a message of the user and all after it, and puts it into the composer. Throws if
 * a turn runs, or the host does not have the message.
 */
export async function editMessage(
  { link, chats, t }: RewindParts,
  session: ChatSession,
  itemId: string,
): Promise<void> {
  const { sessionId, messageId } = await findMessage({ link, t }, session, itemId);
  const host = await link.connection();
  const rewound = await host.call('rewind', { sessionId, messageId });
  await reread(chats, session);
  // The load offers it as well, and doesn't know about files.
  session.dropNotes();
  session.offerUndo(
    rewound.files.length === 0
      ? t('You went back to an earlier message. What followed is hidden.')
      : t(
          'You went back to an earlier message. What followed is hidden. Files that changed since stay as they are: {0}.',
          rewound.files.length,
        ),
  );
  chats.putBack(session, toMessage(rewound));
}

/** Shows again what was hidden last. Throws if a message was sent since. */
export async function undoRewind(
  { link, chats }: RewindParts,
  session: ChatSession,
): Promise<void> {
  const { id } = session;
  if (id === undefined) return;
  await (await link.connection()).call('unrewind', { sessionId: id });
  await reread(chats, session);
}

/** Shows a session as the host has it now, without the notes about what was shown before. */
async function reread(chats: RewindParts['chats'], session: ChatSession): Promise<void> {
  session.dropNotes();
  session.stale = true;
  await chats.load(session);
}

/** *Fork from Here*: a new session with all before a message, which is in its composer. Resolves with its id. */
export async function forkMessage(
  { link, chats, t }: RewindParts,
  session: ChatSession,
  itemId: string,
  open: (sessionId: string) => Promise<ChatSession>,
): Promise<void> {
  const query = await findMessage({ link, t }, session, itemId);
  const host = await link.connection();
  const { sessionId } = await host.call('forkSession', query);
  const rewound = await host.call('rewind', { sessionId });
  chats.putBack(await open(sessionId), toMessage(rewound));
}

/** The host's ids of a session that is at rest and of one of its messages. */
async function findMessage(
  { link, t }: Pick<RewindParts, 'link' | 't'>,
  session: ChatSession,
  itemId: string,
): Promise<{ readonly sessionId: string; readonly messageId: string }> {
  const { id: sessionId, state } = session;
  if (session.busy || state.queue.length > 0) {
    throw new Error(t('A turn is running. Stop it or wait until it ends, then try again.'));
  }
  const item = state.items.find(({ id }) => id === itemId);
  if (sessionId === undefined || item?.kind !== 'user') {
    throw new Error(
      t('This message is no longer in the session. Nothing was changed; send it as a new one.'),
    );
  }
  const after = state.items.slice(state.items.indexOf(item) + 1).filter(isUser).length;
  const messageId = await findFromEnd(after, item.text, async (before) => {
    const connection = await link.connection();
    return connection.call('history', {
      sessionId,
      limit: PAGE,
      ...(before !== undefined && { before }),
    });
  });
  if (messageId === undefined) {
    throw new Error(
      t('The host did not store this message. It was not changed: copy its text and send it.'),
    );
  }
  return { sessionId, messageId };
}

/**
 * The id of a message of the user, counted from the end: what was sent in this window has no id of the host
 * here. Undefined if another text is stored there.
 */
async function findFromEnd(
  after: number,
  text: string,
  read: (before: string | undefined) => Promise<HistoryPage>,
): Promise<string | undefined> {
  let left = after;
  let before: string | undefined;
  do {
    const page: HistoryPage = await read(before);
    const prompts = toPrompts(page);
    if (left < prompts.length) {
      const found = prompts.at(-1 - left);
      return found?.text === text ? found.id : undefined;
    }
    left -= prompts.length;
    before = page.before;
  } while (before !== undefined);
  return undefined;
}

/** The messages of the user on a page, as the chat shows them. */
function toPrompts({
  updates,
}: HistoryPage): readonly { readonly id: string; readonly text: string }[] {
  let state = emptyState({
    header: { model: '', tour: false },
    workspace: { trusted: true, folder: true, brokenRules: 0, waitingRules: 0 },
    options: { sendKey: 'enter', expandTools: 'none', answerInChat: true },
  });
  for (const update of updates) {
    // The host sends the updates that it would send when it loads the session.
    const changes = toChanges(state, update as unknown as SessionUpdate, (path) => path);
    state = changes.reduce(applyChange, state);
  }
  return state.items.filter(isUser).map(({ id, text }) => ({ id: id.replace(/^.*?:/, ''), text }));
}

function isUser(item: ChatItem): item is TextItem {
  return item.kind === 'user';
}

function toMessage({ text, attachments }: RewindResult): Message {
  return { text, attached: toAttached(attachments) };
}
