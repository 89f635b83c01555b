import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { fill } from '../../base/fill.ts';
import type { ChatOptions } from '../messages/chatState.ts';
import type { StringKey, Strings } from '../messages/stringKeys.ts';
import type { Coloring } from './coloring.ts';
import type { HalfAnswer, SessionHost } from './host.ts';
import type { OutputStyles } from './outputStyles.ts';

export interface ChatContext {
  readonly host: SessionHost;
  readonly strings: Strings;
  readonly options: ChatOptions;
  readonly coloring: Coloring;
  readonly outputStyles: OutputStyles;
  render(markdown: string): string;
}

export const Surrounding = createContext<ChatContext | undefined>(undefined);

/** What all views share: the host connection, the strings and the options. */
export function useSurroundings() {
  const found = useContext(Surrounding);
  if (found === undefined) throw new Error('A view was rendered outside of the chat.');
  const { strings } = found;
  const t = (key: StringKey, ...values: (string | number)[]) =>
    fill(strings[key] ?? key, ...values);
  return { ...found, t };
}

/** Whether a card is open: as the reader left it, else by default. */
export function useOpened(item: string, byDefault: boolean) {
  const { host } = useSurroundings();
  const [chosen, setChosen] = useState(() => host.left().opened[item]);
  const set = (open: boolean) => {
    setChosen(open);
    host.keepOpened(item, open);
  };
  return [chosen ?? byDefault, set] as const;
}

/** A field of an answer that is not sent yet, as the user left it. Undefined until there is something. */
export function useHalfAnswer(ask: string, field: string) {
  const { host } = useSurroundings();
  const [value, setValue] = useState(() => host.left().answers[ask]?.[field]);
  const set = (next: HalfAnswer[string]) => {
    setValue(next);
    host.keepAnswer(ask, { ...host.left().answers[ask], [field]: next });
  };
  return [value, set] as const;
}
