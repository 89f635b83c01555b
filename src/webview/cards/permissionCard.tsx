import { isHeadOf } from '../../base/text/isHeadOf.ts';
import { Button, Icon } from '../controls/icon.tsx';
import { askActions } from '../messages/askActions.ts';
import type { AskAnswer, PermissionAsk } from '../messages/asks.ts';
import { useSurroundings } from '../state/context.ts';
import { AskAnswers } from './askAnswers.tsx';
import { AskSubject } from './askSubject.tsx';
import { cardShortcut } from './cardKeys.ts';
import { toCallContext } from './format.ts';

/** What the user adds to an option. */
export type AnswerExtras = Omit<Extract<AskAnswer, { kind: 'option' }>, 'kind' | 'optionId'>;

/** A permission request in the chat. It never takes the focus automatically. */
export function PermissionCard({
  ask,
  armed,
}: {
  readonly ask: PermissionAsk;
  readonly armed: boolean;
}) {
  const { t, host, options } = useSurroundings();
  const choose = (optionId: string, extras: AnswerExtras = {}) => {
    if (!armed) return;
    host.keepAnswer(ask.id, undefined);
    host.post({ type: 'answer', askId: ask.id, answer: { kind: 'option', optionId, ...extras } });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const shortcut = cardShortcut(event);
    if (shortcut === undefined || !options.answerInChat || isTyping(event)) return;
    event.preventDefault();
    const action = askActions(ask).find(
      (each) => each.needs === 'nothing' && each.shortcut === shortcut,
    );
    if (action?.needs === 'nothing') choose(action.optionId);
  };
  return (
    <section
      class="ask"
      data-ask="permission"
      data-armed={armed}
      aria-label={t('permissionNeeded', ask.title)}
      tabIndex={-1}
      data-vscode-context={toCallContext(ask.toolCallId)}
      onKeyDown={onKeyDown}
    >
      <h2 class="ask-title">
        <Icon name="shield" />{' '}
        {isHeadOf(ask.title, ask.subject)
          ? t('permissionNeededNow')
          : t('permissionNeeded', ask.title)}
      </h2>
      <AskSubject ask={ask} />
      {options.answerInChat ? (
        <AskAnswers ask={ask} armed={armed} choose={choose} />
      ) : (
        <div class="actions">
          <Button primary onClick={() => host.post({ type: 'openAsk', askId: ask.id })}>
            {t('answerInPick')}
          </Button>
        </div>
      )}
    </section>
  );
}

/** Ctrl+Backspace deletes a word in a text field; it must not deny the request. */
function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}
