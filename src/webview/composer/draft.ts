import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Attached } from '../messages/attached.ts';
import type { ToWebview } from '../messages/messages.ts';
import { useSurroundings } from '../state/context.ts';
import { addChips } from './chipFocus.ts';

export interface DraftMessage {
  readonly text: string;
  readonly attached: readonly Attached[];
  setText(text: string): void;
  remove(id: string): void;
  clear(): void;
}

/**
 * The message that is being written, which the page keeps. What returns from the queue, was typed into
 * a quick pick or is added from the editor goes into it and focuses the input.
 */
export function useDraft(
  focus: EventTarget,
  field: { readonly current: HTMLTextAreaElement | null },
): DraftMessage {
  const { host } = useSurroundings();
  const [text, setText] = useState(() => host.draft());
  const [attached, setAttached] = useState(() => host.attached());
  useEffect(() => host.keepDraft(text), [text]);
  useEffect(() => host.keepAttached(attached), [attached]);
  const added = useShownEnd(field, text);
  useEffect(() => {
    const onFocus = (event: Event) => {
      const { text: more = '', attached: chips = [] } = readDetail(event, 'focusComposer');
      if (more !== '') {
        added.current = true;
        setText((own) => (own === '' ? more : `${own}\n\n${more}`));
      }
      if (chips.length > 0) setAttached((own) => addChips(own, chips));
      field.current?.focus();
    };
    const onAppend = (event: Event) => {
      const { text: more = '' } = readDetail(event, 'appendText');
      setText((own) => `${own}${more}`);
      field.current?.focus();
    };
    focus.addEventListener('focusComposer', onFocus);
    focus.addEventListener('appendText', onAppend);
    return () => {
      focus.removeEventListener('focusComposer', onFocus);
      focus.removeEventListener('appendText', onAppend);
    };
  }, [focus]);
  return {
    ...{ text, attached, setText },
    remove: (id) => setAttached((own) => own.filter((chip) => chip.id !== id)),
    clear: () => {
      setText('');
      setAttached([]);
    },
  };
}

/** Scrolls to the end of added text, whose start could hide what it asks for. */
function useShownEnd(
  field: { readonly current: HTMLTextAreaElement | null },
  text: string,
): { current: boolean } {
  const added = useRef(false);
  useLayoutEffect(() => {
    const { current: input } = field;
    if (!added.current || input === null) return;
    added.current = false;
    input.setSelectionRange(text.length, text.length);
    input.scrollTop = input.scrollHeight;
  }, [text]);
  return added;
}

/** The fields of a message of the extension that an event carries. */
export function readDetail<Type extends ToWebview['type']>(
  event: Event,
  _type: Type,
): Partial<Extract<ToWebview, { type: Type }>> {
  return event instanceof CustomEvent ? event.detail : {};
}
