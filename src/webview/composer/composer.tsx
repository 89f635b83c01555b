import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, Icon } from '../controls/icon.tsx';
import { askActions } from '../messages/askActions.ts';
import { ARM_DELAY } from '../messages/asks.ts';
import type { ChatState } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';
import { Chips } from './chips.tsx';
import { Choices } from './choices.tsx';
import { composerAction } from './composerKeys.ts';
import { useDraft } from './draft.ts';
import { Queue } from './queue.tsx';

/** The message input. Messages sent during a turn are queued until it ends. */
export function Composer({
  state,
  focus,
}: {
  readonly state: ChatState;
  readonly focus: EventTarget;
}) {
  const { t, host, options } = useSurroundings();
  const field = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft(focus, field);
  const { text, setText, attached } = draft;
  const running = state.activity !== 'idle' && state.activity !== 'restarting';
  const empty = text.trim() === '' && attached.length === 0;
  useGrowing(field, text);
  const send = () => {
    if (empty) return;
    host.post({ type: 'send', text: text.trim(), ...(attached.length > 0 && { attached }) });
    draft.clear();
  };
  const denyAndSend = (askId: string, optionId: string) => {
    const answer = { kind: 'option' as const, optionId, reason: text.trim() };
    host.post({ type: 'answer', askId, answer });
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = composerAction(event, { sendKey: options.sendKey, running, empty: text === '' });
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
        <Chips attached={attached} remove={draft.remove} leave={() => field.current?.focus()} />
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

function ComposerActions({
  state,
  running,
  empty,
  reasonable,
  send,
  denyAndSend,
}: {
  readonly state: ChatState;
  readonly running: boolean;
  readonly empty: boolean;
  /** There is a text, which can be the reason of a denial. */
  readonly reasonable: boolean;
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
