import { useState } from 'preact/hooks';
import type { ChatState } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';
import { composerAction } from './composerKeys.ts';
import type { DraftMessage } from './draft.ts';
import { useEscape } from './escape.ts';
import { type Recall, walk } from './recall.ts';
import type { Suggestions } from './trigger.ts';

export interface KeysParts {
  readonly state: ChatState;
  readonly draft: DraftMessage;
  readonly suggestions: Suggestions;
  readonly running: boolean;
  readonly focus: EventTarget;
  send(): void;
  /** Keeps a message that waits to be sent. False if none does. */
  keep(): boolean;
}

/** What the keys of the input do. */
export function useKeys({ state, draft, suggestions, running, focus, send, keep }: KeysParts) {
  const { host, options } = useSurroundings();
  const watch = useEscape(running, focus);
  const [recall, setRecall] = useState<Recall | undefined>(undefined);
  const { text } = draft;
  const walkBy = (step: 1 | -1) => {
    const next = walk(state.items, text === '' ? undefined : recall, step);
    if (next === undefined) return;
    setRecall(next);
    draft.setText(next.text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (suggestions.press(event)) {
      event.preventDefault();
      // Escape closes the list and nothing else.
      event.stopPropagation();
      return;
    }
    if (event.key === 'Escape' && keep()) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const action = composerAction(event, {
      ...{ sendKey: options.sendKey, running, empty: text === '' },
      recalled: recall !== undefined && recall.back > 0 && recall.text === text,
      escaped: watch.isSecond(event.timeStamp),
    });
    if (action === undefined || action === 'newline') return;
    event.preventDefault();
    if (action === 'send') send();
    if (action === 'stop') host.post({ type: 'stop' });
    if (action === 'warn') watch.warn(event.timeStamp);
    if (action === 'recall') walkBy(1);
    if (action === 'forward') walkBy(-1);
  };
  return { warned: watch.warned, onKeyDown };
}
