import type { IconName } from '../controls/icons.ts';
import type { Key } from '../controls/key.ts';
import type { AttachedKind } from '../messages/attached.ts';

/** What is being looked for at the caret: `@` something to attach, `/` a command. */
export interface Trigger {
  readonly kind: '@' | '/';
  /** Where the character is. */
  readonly from: number;
  readonly query: string;
}

/** An entry of the list: something to attach or a command. */
export interface SuggestedEntry {
  readonly id: string;
  /** What is attached. Absent for a command. */
  readonly kind?: AttachedKind;
  readonly icon: IconName;
  readonly label: string;
  readonly description: string | undefined;
}

export interface Suggestions {
  readonly open: boolean;
  readonly entries: readonly SuggestedEntry[];
  /** The entry that Enter takes. */
  readonly index: number;
  /** The caret moved or the text changed. */
  update(text: string, caret: number): void;
  /** Whether the key was for the list. */
  press(event: KeyboardEvent): boolean;
  take(index: number): void;
  close(): void;
}

/** The word before the caret, if it looks for something. A command can only begin a message. */
export function findTrigger(text: string, caret: number): Trigger | undefined {
  const before = text.slice(0, caret);
  const [, at] = /(?:^|\s)@([^\s@]*)$/.exec(before) ?? [];
  if (at !== undefined) return { kind: '@', from: caret - at.length - 1, query: at };
  const [, command] = /^\/(\S*)$/.exec(before) ?? [];
  return command === undefined ? undefined : { kind: '/', from: 0, query: command };
}

/** The text with the looked-for word replaced, and where the caret is then. */
export function replaceWord(
  text: string,
  { from, query }: Trigger,
  replacement: string,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(from + 1 + query.length);
  const gap = replacement !== '' && !/^\s/.test(rest) ? ' ' : '';
  const head = `${text.slice(0, from)}${replacement}${gap}`;
  return { text: `${head}${rest}`, caret: head.length };
}

/** The commands whose name contains the query, and the one with that name first. */
export function exactFirst<Command extends { readonly name: string }>(
  commands: readonly Command[],
  query: string,
): readonly Command[] {
  const fitting = commands.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()));
  const exact = fitting.filter(({ name }) => name === query);
  return [...exact, ...fitting.filter(({ name }) => name !== query)];
}

export type ListAction =
  | { readonly type: 'go'; readonly index: number }
  | { readonly type: 'take' }
  | { readonly type: 'close' }
  | undefined;

/** What a key does with the list of a trigger. */
export type ListPress =
  | ListAction
  /** The list is of another query, or there is none yet: the key waits for the one that it means. */
  | { readonly type: 'wait' }
  /** The command is typed out: the list closes, and the key does what it does without one. */
  | { readonly type: 'complete' };

/** What a key does while something is looked for. Undefined lets the text field process it. */
export function pressInList(
  key: Key,
  list: {
    readonly trigger: Trigger | undefined;
    readonly pending: boolean;
    readonly index: number;
    readonly entries: readonly Pick<SuggestedEntry, 'id'>[];
  },
): ListPress {
  const { trigger, pending, index, entries } = list;
  if (trigger === undefined || (entries.length === 0 && !pending)) return undefined;
  const action = listAction(key, index, Math.max(1, entries.length));
  if (pending && action?.type === 'take') return { type: 'wait' };
  if (entries.length === 0) return undefined;
  if (pending && action?.type === 'go') return { type: 'go', index };
  const complete = trigger.kind === '/' && entries[index]?.id === trigger.query;
  return complete && action?.type === 'take' && key.key === 'Enter' ? { type: 'complete' } : action;
}

const COMPOSING = 229;

/** What a key does while the list is open. Undefined lets the text field process it. */
export function listAction(key: Key, index: number, count: number): ListAction {
  if (key.isComposing || key.keyCode === COMPOSING) return undefined;
  if (key.key === 'Escape') return { type: 'close' };
  if (count === 0 || key.ctrlKey || key.metaKey || key.altKey || key.shiftKey) return undefined;
  if (key.key === 'ArrowDown') return { type: 'go', index: (index + 1) % count };
  if (key.key === 'ArrowUp') return { type: 'go', index: (index + count - 1) % count };
  if (key.key === 'PageDown') return { type: 'go', index: count - 1 };
  if (key.key === 'PageUp') return { type: 'go', index: 0 };
  return key.key === 'Enter' || key.key === 'Tab' ? { type: 'take' } : undefined;
}
