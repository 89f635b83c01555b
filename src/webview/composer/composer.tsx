import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, Icon } from '../controls/icon.tsx';
import type { findDenial } from '../messages/askActions.ts';
import { ARM_DELAY } from '../messages/asks.ts';
import type { ChatState } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';
import { Chips } from './chips.tsx';
import { Choices } from './choices.tsx';
import { type DraftMessage, useDraft } from './draft.ts';
import { useKeys } from './keys.ts';
import type { Queue } from './queue.tsx';
import { useSending } from './sending.ts';
import { SUGGESTIONS_ID, SuggestionList, useSuggestions } from './suggestions.tsx';
import type { Suggestions } from './trigger.ts';
import { useDropped } from './useDropped.ts';

/** What the input uses once it is loaded. */
export interface ComposerParts {
  readonly Queue: typeof Queue;
  readonly findDenial: typeof findDenial;
}

/** The message input. Messages sent during a turn are queued until it ends. */
export function Composer({
  state,
  later,
  focus,
}: {
  readonly state: ChatState;
  /** What is loaded after the first drawing. */
  readonly later: ComposerParts | undefined;
  readonly focus: EventTarget;
}) {
  const { t, host } = useSurroundings();
  const field = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft(focus, field);
  const { text, setText, attached } = draft;
  const running = state.activity !== 'idle' && state.activity !== 'restarting';
  const empty = text.trim() === '' && attached.length === 0;
  const { send, hint, keep } = useSending(draft, focus);
  const denyAndSend = (askId: string, optionId: string) => {
    const answer = { kind: 'option' as const, optionId, reason: text.trim() };
    host.post({ type: 'answer', askId, answer, composed: true });
    setText('');
  };
  const suggestions = useSuggestions(draft, state.commands ?? [], field, focus, send);
  const dropped = useDropped(draft, focus, field);
  const actions = useFocusOfRemoved(() => field.current?.focus());
  const { warned, onKeyDown } = useKeys({ state, draft, suggestions, running, focus, send, keep });
  return (
    <footer class="composer">
      {later && <later.Queue state={state} />}
      {warned && <p class="composer-hint dim">{t('escapeAgain')}</p>}
      <SuggestionList suggestions={suggestions} />
      {hint !== undefined && <p class="composer-hint">{hint}</p>}
      {dropped.refused !== undefined && (
        <p class="composer-hint" role="alert">
          {dropped.refused}
        </p>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keyboard attaches with @. */}
      <div
        class={dropped.over ? 'composer-box over' : 'composer-box'}
        onPaste={dropped.onPaste}
        onDragOver={dropped.onDragOver}
        onDragLeave={dropped.onDragLeave}
        onDrop={dropped.onDrop}
        onFocusIn={actions.onFocusIn}
        onFocusOut={actions.onFocusOut}
      >
        <Chips attached={attached} remove={draft.remove} leave={() => field.current?.focus()} />
        <Input field={field} draft={draft} suggestions={suggestions} onKeyDown={onKeyDown} />
        <ComposerActions
          state={state}
          denial={later?.findDenial(state)}
          running={running}
          empty={empty}
          reasonable={text.trim() !== ''}
          send={send}
          denyAndSend={denyAndSend}
        />
      </div>
      <Choices state={state} />
    </footer>
  );
}

function Input({
  field,
  draft: { text, setText },
  suggestions,
  onKeyDown,
}: {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly draft: DraftMessage;
  readonly suggestions: Suggestions;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}) {
  const { t } = useSurroundings();
  useGrowing(field, text);
  const onCaret = ({ value, selectionStart }: HTMLTextAreaElement) =>
    suggestions.update(value, selectionStart);
  // A text area can't be a `combobox`; a text box may have all of its attributes but `aria-expanded`.
  return (
    <textarea
      ref={field}
      rows={1}
      aria-label={t('message')}
      placeholder={t('messageHint')}
      title={t('dropHint')}
      value={text}
      aria-autocomplete="list"
      aria-haspopup="listbox"
      {...(suggestions.open && {
        'aria-controls': SUGGESTIONS_ID,
        'aria-activedescendant': `${SUGGESTIONS_ID}-${suggestions.index}`,
      })}
      onInput={({ currentTarget }) => {
        setText(currentTarget.value);
        onCaret(currentTarget);
      }}
      onSelect={({ currentTarget }) => onCaret(currentTarget)}
      onBlur={suggestions.close}
      onKeyDown={onKeyDown}
    />
  );
}

function ComposerActions({
  state,
  denial: possible,
  running,
  empty,
  reasonable,
  send,
  denyAndSend,
}: {
  readonly state: ChatState;
  readonly denial: ReturnType<typeof findDenial>;
  readonly running: boolean;
  readonly empty: boolean;
  /** There is a text, which can be the reason of a denial. */
  readonly reasonable: boolean;
  readonly send: () => void;
  readonly denyAndSend: (askId: string, optionId: string) => void;
}) {
  const { t, host, options } = useSurroundings();
  const denial = options.answerInChat ? possible : undefined;
  const armed = useCalm(denial?.askId);
  return (
    <div class="composer-actions">
      {running && (
        <Button
          disabled={state.activity === 'stopping'}
          onClick={() => host.post({ type: 'stop' })}
        >
          <Icon name="debug-stop" /> {t('stop')}
        </Button>
      )}
      {denial !== undefined && reasonable && (
        <Button disabled={!armed} onClick={() => denyAndSend(denial.askId, denial.optionId)}>
          <Icon name="circle-slash" /> {t('denyAnd')}
        </Button>
      )}
      {(!running || !empty) && (
        <Button primary disabled={empty} onClick={send}>
          <Icon name={running ? 'add' : 'send'} /> {running ? t('queue') : t('send')}
        </Button>
      )}
    </div>
  );
}

/**
 * *Stop* goes when the turn has ended, and *Send* when the message is sent: `take` gets the focus that the
 * button had. A click of the mouse elsewhere, or another window, keeps it.
 */
function useFocusOfRemoved(take: () => void) {
  const focused = useRef<EventTarget | null>(null);
  useLayoutEffect(() => {
    const { current } = focused;
    if (!(current instanceof Node) || current.isConnected) return;
    focused.current = null;
    if (document.activeElement === document.body && document.hasFocus()) take();
  });
  return {
    onFocusIn: ({ target }: FocusEvent) => {
      focused.current = target;
    },
    // What was removed is gone by the microtask, and is remembered until the next drawing.
    onFocusOut: ({ target }: FocusEvent) => {
      queueMicrotask(() => {
        if (target instanceof Node && target.isConnected && focused.current === target)
          focused.current = null;
      });
    },
  };
}

/** Whether the same request has been current for a moment, so that a click is meant for it. */
function useCalm(askId: string | undefined): boolean {
  const [calm, setCalm] = useState<string | undefined>(undefined);
  useEffect(() => {
    const timer = setTimeout(() => setCalm(askId), ARM_DELAY);
    return () => clearTimeout(timer);
  }, [askId]);
  return askId !== undefined && calm === askId;
}

/** Grows the input with its text, up to the maximum height in the style sheet. */
function useGrowing(field: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);
}
