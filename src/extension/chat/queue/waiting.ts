import type { SessionQueue } from '../../../acp/gatehouse/queues.ts';
import type { QueuedMessage } from '../../../webview/messages/chatState.ts';

/** What the queue shows of a message. */
export interface Sendable {
  readonly text: string;
  readonly attached: readonly unknown[];
}

/** What is used of a session whose message is sent. */
interface Sending<Message> {
  readonly turn: number;
  begin(message: Message): void;
  sent(): void;
}

/** A message that was sent during a turn. */
export interface WaitingMessage<Session, Message extends Sendable> {
  readonly session: Session;
  /** The message, with its text as the host lists it. */
  message: Message;
  /** The number of its turn, once started. */
  turn?: number;
  /** It was sent to the host. */
  sent?: true;
  /** The host has listed it. */
  listed?: true;
  /** The composer has it again. */
  returned?: true;
  /** The id of the queued message that it belongs before. Absent: it is the last one. */
  readonly before?: string;
}

type Entries = SessionQueue['entries'];
type Own<Message extends Sendable> = ReadonlyMap<string, WaitingMessage<unknown, Message>>;

/** Shows the message as the one whose turn runs. */
export function begin<Message extends Sendable>(
  waiting: WaitingMessage<Sending<Message>, Message>,
): void {
  if (waiting.turn !== undefined) return;
  const { session, message } = waiting;
  session.begin(message);
  session.sent();
  waiting.turn = session.turn;
}

/**
 * A message that was to be removed when the host ended, and its queue with it. Undefined if its turn has
 * started, or if the composer has it already.
 */
export function takeLost<Message extends Sendable>({
  turn,
  returned,
  message,
}: WaitingMessage<unknown, Message>): Message | undefined {
  return turn === undefined && returned !== true ? message : undefined;
}

/**
 * Notes which of a session's messages the host lists, and how their texts were edited. Returns the moves of
 * those that it lists for the first time and that belong before another one.
 */
export function noteListed<Message extends Sendable>(
  own: Own<Message>,
  entries: Entries,
): readonly { readonly id: string; readonly before: string }[] {
  return entries.flatMap(({ id, text }) => {
    const known = own.get(id);
    if (known === undefined) return [];
    const { before } = known;
    const moves = known.listed !== true && before !== undefined;
    known.message = { ...known.message, text };
    known.listed = true;
    return moves ? [{ id, before }] : [];
  });
}

/** The queue as the chat shows it: messages that the host has not received yet follow those that it has. */
export function toQueue(entries: Entries, own: Own<Sendable>): readonly QueuedMessage[] {
  const unlisted = [...own].filter(([, { listed, turn }]) => !listed && turn === undefined);
  return [
    ...entries.map(({ id, text, attachments, steered }) => {
      return { ...toQueued(id, text, attachments), ...(steered && { steered }) };
    }),
    ...unlisted.map(([id, { message }]) => toListed(id, message)),
  ];
}

export function toListed(id: string, { text, attached }: Sendable): QueuedMessage {
  return toQueued(id, text, attached.length);
}

function toQueued(id: string, text: string, attachments: number): QueuedMessage {
  return { id, text, ...(attachments > 0 && { attachments }) };
}
