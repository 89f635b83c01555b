import type { ContentBlock } from '@agentclientprotocol/sdk';
import { toContentBlock } from '../../acp/contentBlock.ts';
import { getAttachmentName } from '../../base/stream/attachment.ts';
import { parseContentBlock } from '../../base/stream/contentBlock.ts';
import type { Attached } from '../../webview/messages/attached.ts';
import type { StateChange } from '../../webview/messages/chatState.ts';
import type { ChatSession } from './chatSession.ts';
import { contentText } from './transcript.ts';

/** What is attached to a message, with its content. */
export interface AttachedContent {
  readonly chip: Attached;
  readonly content: ContentBlock;
}

/** A message of the user. */
export interface Message {
  readonly text: string;
  readonly attached: readonly AttachedContent[];
}

/** A message for the composer, which only shows the chips. */
export interface DraftedMessage {
  readonly text: string;
  readonly attached: readonly Pick<AttachedContent, 'chip'>[];
}

/** A message that neither the host nor a composer has. */
export interface UnsentMessage extends DraftedMessage {
  /** The host's id of its session; absent if the host has none yet. */
  readonly sessionId?: string;
}

/** A change to a session. */
export interface SessionChange {
  readonly session: ChatSession;
  readonly change: StateChange;
}

/** A message to put back into the composer of a view that shows the session. */
export interface ReturnedMessage extends Message {
  readonly session: ChatSession;
}

/** Where unsent messages outlast the window. */
export interface UnsentStore {
  /** Called when messages were sent, queued, returned or handed to a page. */
  changed(): void;
  /** Puts what an earlier window has left of a session back into it. It is never sent by itself. */
  restore(session: ChatSession): void;
  /** The window closes: what is kept stays as it is. */
  readonly closed: boolean;
}

/** The prompt of a message: its text, if there is any, and then what is attached. */
export function toPrompt({ text, attached }: Message): readonly ContentBlock[] {
  const words: readonly ContentBlock[] =
    text === '' && attached.length > 0 ? [] : [{ type: 'text', text }];
  return [...words, ...attached.map(({ content }) => content)];
}

/** The message as the chat shows it, which is how it is shown again when the session is loaded. */
export function toShownText(message: Message): string {
  return toPrompt(message).reduce((shown, block) => shown + contentText(block, shown), '');
}

/** The unsent messages of a session, of which `waiting` are queued. */
export function toUnsent(
  { id: sessionId, unsent }: ChatSession,
  waiting: readonly Message[],
): readonly UnsentMessage[] {
  const all = [...unsent, ...waiting];
  return all.map((each) => ({ ...each, ...(sessionId !== undefined && { sessionId }) }));
}

/** Several messages as one. */
export function joinMessages(messages: readonly Message[]): Message {
  return {
    text: messages
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n\n'),
    attached: messages.flatMap(({ attached }) => attached),
  };
}

/** What was attached to a message that the host has, for a composer. Blocks that can't be read are left out. */
export function toAttached(blocks: readonly unknown[]): readonly AttachedContent[] {
  return blocks.flatMap((block) => {
    const attachment = parseContentBlock(block);
    const content = attachment && toContentBlock(attachment);
    if (attachment === undefined || content === undefined) return [];
    const kind = attachment.kind === 'image' ? 'image' : 'file';
    const label = getAttachmentName(attachment);
    return [{ chip: { id: crypto.randomUUID(), kind, label }, content }];
  });
}
