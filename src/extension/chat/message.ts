import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { Attached } from '../../webview/messages/attached.ts';
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
