import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, Icon, IconButton } from '../controls/icon.tsx';
import { askActions } from '../messages/askActions.ts';
import { ARM_DELAY } from '../messages/asks.ts';
import type { ChatState } from '../messages/chatState.ts';
import type { ToWebview } from '../messages/messages.ts';
import { useSurroundings } from '../state/context.ts';
import { Choices } from './choices.tsx';
import { composerAction } from './composerKeys.ts';

/** The message input. Messages sent during a turn are queued until it ends. */
export function Composer({
  state,
  focus,
}: {
  readonly state: ChatState;
  readonly focus: EventTarget;
}) {
  const { t, host, options } = useSurroundings();
  const [text, setText] = useState(() => host.draft());
  const field = useRef<HTMLTextAreaElement>(null);
  const running = state.activity !== 'idle' && state.activity !== 'restarting';
  useEffect(() => host.keepDraft(text), [text]);
  useReturnedText(focus, field, setText);
  useGrowing(field, text);
  const send = () => {
    if (text.trim() === '') return;
    host.post({ type: 'send', text: text.trim() });
    setText('');
  };
  const denyAndSend = (askId: string, optionId: string) => {
    const answer = { kind: 'option' as const, optionId, reason: text.trim() };
    host.post({ type: 'answer', askId, answer });
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const empty = text === '';
    const action = composerAction(event, { sendKey: options.sendKey, running, empty });
    if (action === undefined || action === 'newline') return;
    event.preventDefault();
    if (action === 'send') send();
    if (action === 'stop') host.post({ type: 'stop' });
    if (action === 'recall') setText(lastMessage(state));
  };
  return (
    <footer class="composer">
      <Queue state={state} />
      <div class="composer-box">
        <textarea
          ref={field}
          rows={1}
          aria-label={t('message')}
          placeholder={t('messageHint')}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <ComposerActions
          state={state}
          running={running}
          empty={text.trim() === ''}
          send={send}
          denyAndSend={denyAndSend}
        />
      </div>
      <Choices state={state} />
    </footer>
  );
}

function ComposerActions({
  state,
  running,
  empty,
  send,
  denyAndSend,
}: {
  readonly state: ChatState;
  readonly running: boolean;
  readonly empty: boolean;
  readonly send: () => void;
  readonly denyAndSend: (askId: string, optionId: string) => void;
}) {
  const { t, host, options } = useSurroundings();
  const denial = options.answerInChat ? findDenial(state) : undefined;
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
      {denial !== undefined && !empty && (
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

/** How the current request of this session is denied with a reason. Enter never does it. */
function findDenial({ asks, request }: Pick<ChatState, 'asks' | 'request'>) {
  const ask = asks.find(({ id }) => id === request?.askId);
  if (ask?.kind !== 'permission') return undefined;
  const action = askActions(ask).find(({ needs }) => needs === 'reason');
  return action?.needs === 'reason' ? { askId: ask.id, optionId: action.optionId } : undefined;
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

/** Queued messages. Removing one puts its text back into the input. */
function Queue({ state }: { readonly state: ChatState }) {
  const { t, host } = useSurroundings();
  if (state.queue.length === 0) return null;
  return (
    <ul class="queue" aria-label={t('queued')}>
      {state.queue.map(({ id, text }) => (
        <li key={id} title={t('queued')}>
          <span>{text}</span>
          <IconButton
            name="close"
            label={t('removeQueued')}
            onClick={() => host.post({ type: 'unqueue', id })}
          />
        </li>
      ))}
    </ul>
  );
}

/**
 * Focuses the input when the user opens the chat, and inserts text that returns from the queue or was
 * typed into a quick pick.
 */
function useReturnedText(
  focus: EventTarget,
  field: { readonly current: HTMLTextAreaElement | null },
  setText: (update: (text: string) => string) => void,
): void {
  useEffect(() => {
    const onFocus = (event: Event) => {
      const message: Partial<Extract<ToWebview, { type: 'focusComposer' }>> =
        event instanceof CustomEvent ? event.detail : {};
      const { text } = message;
      if (text !== undefined) setText((own) => (own === '' ? text : `${own}\n\n${text}`));
      field.current?.focus();
    };
    const onAppend = (event: Event) => {
      const message: Partial<Extract<ToWebview, { type: 'appendText' }>> =
        event instanceof CustomEvent ? event.detail : {};
      setText((own) => `${own}${message.text ?? ''}`);
      field.current?.focus();
    };
    focus.addEventListener('focusComposer', onFocus);
    focus.addEventListener('appendText', onAppend);
    return () => {
      focus.removeEventListener('focusComposer', onFocus);
      focus.removeEventListener('appendText', onAppend);
    };
  }, [focus]);
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

function lastMessage(state: ChatState): string {
  const last = state.items.findLast(({ kind }) => kind === 'user');
  return last !== undefined && 'text' in last ? last.text : '';
}
