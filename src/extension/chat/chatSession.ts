import type {
  ContentBlock,
  SessionUpdate,
  StopReason,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { HistoryUpdate } from '../../acp/gatehouse/history.ts';
import type { SessionLoadMeta } from '../../acp/gatehouse/session.ts';
import type { Disposable } from '../../base/disposable.ts';
import { applyChange } from '../../webview/messages/applyChange.ts';
import type {
  ChatState,
  ErrorItem,
  StateChange,
  ToolItem,
} from '../../webview/messages/chatState.ts';
import type { SessionKey } from '../../webview/messages/messages.ts';
import type { Translate } from '../text/translate.ts';
import {
  emptyState,
  type SharedState,
  toEarlier,
  toLoadedState,
  toLoadingState,
} from './chatStates.ts';
import { HostPrompt } from './loading/hostPrompt.ts';
import { findHistory, MISSING_NOTE, withoutCommands } from './loading/notes.ts';
import { type DraftedMessage, type Message, toPrompt, toShownText } from './message.ts';
import { SessionUnsent } from './queue/sessionUnsent.ts';
import type { PathLabel } from './toolItem.ts';
import { describeStop, endTurn, toChanges, toolChange } from './transcript.ts';

export interface ChatSessionParts {
  readonly key: SessionKey;
  readonly shared: SharedState;
  readonly label: PathLabel;
  readonly onChange: (change: StateChange) => void;
  /** Called when `unsent` may have changed. */
  readonly onUnsent?: () => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** The editor's copy of a session, which views show. The host's copy is authoritative. */
export class ChatSession {
  /** Identifies the session in messages to and from views. */
  readonly key: SessionKey;
  /** The host's id; undefined until the first prompt creates the session there. */
  id: string | undefined;
  /** The current host process has not loaded the session; it must before the next prompt. */
  stale = false;
  /** The last sent message, for *Retry*. */
  lastPrompt: readonly ContentBlock[] | undefined;
  /** Where the last turn broke off with an earlier host, until it is continued or another one begins. */
  unfinished: SessionLoadMeta['unfinished'];
  /** The turn ended because the host exited, and the chat shows that. */
  interrupted = false;
  #state: ChatState;
  #loading: ChatState | undefined;
  #counter = 0;
  #turn = 0;
  #loads = 0;
  readonly #unsent: SessionUnsent<Message, DraftedMessage>;
  readonly #hostPrompt = new HostPrompt();
  readonly #label: PathLabel;
  readonly #onChange: (change: StateChange) => void;
  readonly #now: () => number;
  #views = 0;

  constructor(parts: ChatSessionParts) {
    const { key, shared, label, onChange, onUnsent, now = Date.now } = parts;
    this.key = key;
    this.#state = emptyState(shared);
    this.#label = label;
    this.#onChange = onChange;
    this.#unsent = new SessionUnsent(onUnsent);
    this.#now = now;
  }

  get state(): ChatState {
    return this.#state;
  }

  /** Registers a view that shows the session, until disposed. */
  watch(): Disposable {
    this.#views += 1;
    let watching = true;
    return {
      dispose: () => {
        if (watching) this.#views -= 1;
        watching = false;
      },
    };
  }

  /** Whether any view shows the session. */
  get watched(): boolean {
    return this.#views > 0;
  }

  /** Whether nothing was sent or loaded yet. */
  get blank(): boolean {
    return this.id === undefined && this.#state.items.every(({ kind }) => kind === 'note');
  }

  get busy(): boolean {
    return this.#state.activity !== 'idle' && this.#state.activity !== 'restarting';
  }

  apply(change: StateChange): void {
    this.#state = applyChange(this.#state, change);
    this.#onChange(change);
  }

  set(values: Partial<Omit<ChatState, 'items'>>): void {
    this.apply({ type: 'set', values });
    if (values.queue !== undefined) this.#unsent.changed();
  }

  /** Applies an update from the host. While history loads, it is applied to the loading state. */
  update(update: SessionUpdate): void {
    if (update.sessionUpdate === 'user_message_chunk') {
      this.#hostPrompt.add(update);
      // The turn answers this message now.
      if (this.#loading === undefined) this.lastPrompt = this.#hostPrompt.blocks;
    }
    if (this.#loading !== undefined) {
      for (const change of toChanges(this.#loading, update, this.#label)) {
        this.#loading = applyChange(this.#loading, change);
      }
      return;
    }
    const changes = toChanges(this.#state, update, this.#label, this.#now());
    for (const change of changes) this.apply(change);
  }

  /** Adds or updates the card of a call that a permission request is about. */
  call(toolCall: ToolCallUpdate): void {
    this.apply(toolChange(this.#state, toolCall, this.#label));
  }

  /** The card of a call, if there is one. */
  tool(toolCallId: string): ToolItem | undefined {
    const item = this.#state.items.findLast(({ id }) => id === toolCallId);
    return item?.kind === 'tool' ? item : undefined;
  }

  /** The card of the call that a terminal belongs to. */
  withTerminal(terminalId: string): ToolItem | undefined {
    return this.#state.items.findLast(
      (item): item is ToolItem => item.kind === 'tool' && item.terminals.includes(terminalId),
    );
  }

  /** The number of turns, so that a late response can't end a later turn. */
  get turn(): number {
    return this.#turn;
  }

  begin(message: Message): void {
    for (const change of endTurn(this.#state, true)) this.apply(change);
    this.#turn += 1;
    this.interrupted = false;
    this.unfinished = undefined;
    // Another message ends the offer to undo a rewind.
    for (const item of withoutCommands(this.#state.items)) this.apply({ type: 'item', item });
    this.lastPrompt = toPrompt(message);
    const text = toShownText(message);
    const id = this.#newId();
    this.#unsent.begin(message, id);
    this.apply({ type: 'item', item: { kind: 'user', id, text, done: true } });
    this.set({ activity: 'starting' });
  }

  /** The message is sent to the host, whose history holds it from now on. */
  sent(): void {
    this.#unsent.sent();
    this.set({ activity: 'running' });
  }

  /** Keeps a message for the composer until a view that shows the session takes it. */
  returnMessage(message: DraftedMessage): void {
    this.#unsent.return(message);
  }

  takeReturned(): readonly DraftedMessage[] {
    return this.#unsent.takeReturned();
  }

  /** Call when one of the queue that was kept for the next window is kept no more. */
  noteSettled(): void {
    this.#unsent.changed();
  }

  /** The messages that neither the host nor a composer has, but those of the queue. */
  get unsent(): readonly DraftedMessage[] {
    return this.#unsent.all;
  }

  /** Starts a retry of the failed message, or continues the turn, and removes the error card. */
  beginAgain(): void {
    this.#turn += 1;
    this.interrupted = false;
    const { items } = this.#state;
    if (items.at(-1)?.kind === 'error') this.#keep(items.slice(0, -1));
    this.set({ activity: 'starting' });
  }

  finish(stopReason: StopReason, t: Translate): void {
    this.#unsent.settle();
    for (const change of endTurn(this.#state, true)) this.apply(change);
    const words = describeStop(stopReason, t);
    if (words !== undefined) this.note(words);
    this.set({ activity: 'idle', retry: null });
  }

  fail(card: (id: string) => ErrorItem): void {
    for (const change of endTurn(this.#state, true)) this.apply(change);
    this.apply({ type: 'item', item: card(this.#newId()) });
    this.set({ activity: 'idle', retry: null });
  }

  /** Offers to continue the turn that broke off, on the card that reports it or on a new one. */
  offerToContinue(text: string): void {
    const last = this.#state.items.at(-1);
    const known = last?.kind === 'error' ? last : undefined;
    const card = { kind: 'error', id: this.#newId(), text, commands: [] } as const;
    this.apply({ type: 'item', item: { ...card, ...known, retry: false, continues: true } });
  }

  /** Becomes a new chat: the host has no session with its id. */
  startOver(text: string): void {
    this.id = undefined;
    this.stale = false;
    this.note(text);
    this.set({ activity: 'idle' });
  }

  /** Says that earlier messages were hidden, which can be undone until another one is sent. */
  offerUndo(text: string): void {
    const item = { kind: 'note', id: this.#newId(), text, command: 'undoRewind' } as const;
    this.apply({ type: 'item', item });
  }

  /** Drops the notes and error cards, which are about what was shown before. */
  dropNotes(): void {
    this.#keep(findHistory(this.#state.items));
  }

  note(text: string): void {
    this.apply({ type: 'item', item: { kind: 'note', id: this.#newId(), text } });
  }

  /** Says that the messages before those that are shown could not be loaded, until a load shows them. */
  noteMissing(text: string): void {
    this.apply({ type: 'item', item: { kind: 'note', id: MISSING_NOTE, text } });
  }

  beginLoad(): void {
    this.#loads += 1;
    this.#hostPrompt.clear();
    this.#loading = toLoadingState(this.#state);
  }

  /** The number of loads, so that what belongs to an earlier one is left out. */
  get loads(): number {
    return this.#loads;
  }

  get hasHistory(): boolean {
    return findHistory(this.#state.items).length > 0;
  }

  /**
   * Shows the loaded state, followed by the error cards and notes before the load and the message that
   * waits for it. Unless `loaded`, keeps the old state.
   */
  endLoad(loaded: boolean): void {
    const fresh = this.#loading;
    this.#loading = undefined;
    if (!loaded || fresh === undefined) return;
    this.apply({ type: 'reset', state: toLoadedState(fresh, this.#state, this.#unsent.item) });
    // A message that waits for the load is newer than what was loaded.
    if (this.#unsent.item === undefined) this.lastPrompt = this.#hostPrompt.blocks;
  }

  /** Puts older messages before what is shown. */
  takeEarlier(updates: readonly HistoryUpdate[]): void {
    for (const change of toEarlier(this.#state, updates, this.#label)) this.apply(change);
  }

  #keep(items: ChatState['items']): void {
    this.apply({ type: 'reset', state: { ...this.#state, items } });
  }

  #newId(): string {
    this.#counter += 1;
    return `own-${this.#counter}`;
  }
}
