import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Chip, ReadResult } from '../messages/attached.ts';
import type { ToWebview } from '../messages/messages.ts';
import { useSurroundings } from '../state/context.ts';
import { addChips, settleChip } from './chipFocus.ts';

export interface DraftMessage {
  readonly text: string;
  readonly attached: readonly Chip[];
  setText(text: string): void;
  /** Adds a chip whose content is being read, and returns the id under which the answer comes. */
  read(chip: Pick<Chip, 'kind' | 'label'>): string;
  /** Replaces a chip that is being read by what became of it. */
  settle(request: string, result: ReadResult): void;
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
  useEffect(() => host.keepDraft(text), [text]);
  const { attached, add, ...chips } = useChips(focus);
  const added = useShownEnd(field, text);
  useEffect(() => {
    const onFocus = (event: Event) => {
      const { text: more = '', attached: taken = [] } = readDetail(event, 'focusComposer');
      if (more !== '') {
        added.current = true;
        setText((own) => (own === '' ? more : `${own}\n\n${more}`));
      }
      add(taken);
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
    ...chips,
    ...{ text, attached, setText },
    clear: () => {
      setText('');
      chips.clear();
    },
  };
}

/** What is attached to the message. The page keeps it, also while it is read. */
function useChips(focus: EventTarget) {
  const { host } = useSurroundings();
  const [attached, setAttached] = useState(() => host.attached());
  useEffect(() => host.keepAttached(attached), [attached]);
  const settle = (request: string, result: ReadResult) =>
    setAttached((own) => settleChip(own, request, result));
  useEffect(() => {
    const onAttached = (event: Event) => {
      const { request = '', result } = readDetail(event, 'attached');
      if (result !== undefined) settle(request, result);
    };
    focus.addEventListener('attached', onAttached);
    // What an earlier page of the view has left.
    const reading = attached.flatMap((chip) => (chip.reading ? [chip.id] : []));
    if (reading.length > 0) host.post({ type: 'stillReading', requests: reading });
    return () => focus.removeEventListener('attached', onAttached);
  }, [focus]);
  return {
    ...{ attached, settle },
    add: (added: readonly Chip[]) => {
      if (added.length > 0) setAttached((own) => addChips(own, added));
    },
    read: (chip: Pick<Chip, 'kind' | 'label'>) => {
      const id = newRequest();
      setAttached((own) => [...own, { id, ...chip, reading: true }]);
      return id;
    },
    remove: (id: string) => setAttached((own) => own.filter((chip) => chip.id !== id)),
    clear: () => setAttached([]),
  };
}

let requests = 0;

/** An id that no earlier page of this view has used. */
function newRequest(): string {
  requests += 1;
  return `${Math.trunc(performance.timeOrigin)}-${requests}`;
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
