import { useEffect, useState } from 'preact/hooks';
import { isHeadOf } from '../../base/isHeadOf.ts';
import { Button, Icon } from '../controls/icon.tsx';
import { Scrolled } from '../controls/scrolled.tsx';
import { askActions, type OfferedRule } from '../messages/askActions.ts';
import { ARM_DELAY, type PermissionAsk } from '../messages/asks.ts';
import { useSurroundings } from '../state/context.ts';
import { cardShortcut } from './cardKeys.ts';
import { getTail, kindIcon } from './format.ts';

/** A permission request in the chat. It never takes the focus automatically. */
export function PermissionCard({ ask }: { readonly ask: PermissionAsk }) {
  const { t, host, options } = useSurroundings();
  const armed = useArmed(ask.id);
  const choose = (optionId: string, reason?: string) => {
    if (!armed) return;
    const answer = { kind: 'option' as const, optionId, ...(reason ? { reason } : {}) };
    host.post({ type: 'answer', askId: ask.id, answer });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const shortcut = cardShortcut(event);
    if (shortcut === undefined || !options.answerInChat) return;
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
      onKeyDown={onKeyDown}
    >
      <h2 class="ask-title">
        <Icon name="shield" />{' '}
        {isHeadOf(ask.title, ask.subject)
          ? t('permissionNeededNow')
          : t('permissionNeeded', ask.title)}
      </h2>
      <Subject ask={ask} />
      {ask.why !== '' && <p class="dim">{t('why', ask.why)}</p>}
      {options.answerInChat ? (
        <Answers ask={ask} armed={armed} choose={choose} />
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

/** The complete subject of the request. For a long one, its length and end are always visible. */
function Subject({ ask }: { readonly ask: PermissionAsk }) {
  const { t } = useSurroundings();
  const tail = getTail(ask.subject);
  return (
    <>
      <div class="subject">
        <Icon name={kindIcon(ask.toolKind)} />
        <Scrolled>{ask.subject}</Scrolled>
      </div>
      {tail !== undefined && (
        <p class="dim">
          {t('characters', ask.length)} · … <code>{tail}</code>
        </p>
      )}
      {ask.suspicious && (
        <p class="warning">
          <Icon name="warning" /> {t('hidden')}
        </p>
      )}
    </>
  );
}

interface AnswersProps {
  readonly ask: PermissionAsk;
  readonly armed: boolean;
  readonly choose: (optionId: string, reason?: string) => void;
}

/** A button for each answer. An answer that needs more input expands below the buttons. */
function Answers({ ask, armed, choose }: AnswersProps) {
  const { t, host } = useSurroundings();
  const [openId, setOpenId] = useState<string | undefined>(undefined);
  const actions = askActions(ask);
  const open = actions.find(({ id }) => id === openId);
  return (
    <>
      <div class="actions">
        {ask.diff && (
          <Button onClick={() => host.post({ type: 'showDiff', itemId: ask.toolCallId, index: 0 })}>
            {t('showDiff')}
          </Button>
        )}
        {actions.map((action) =>
          action.needs === 'nothing' ? (
            <Button
              key={action.id}
              primary={action.primary ?? false}
              disabled={!armed}
              onClick={() => choose(action.optionId)}
            >
              {t(action.label)}
            </Button>
          ) : (
            <Button
              key={action.id}
              disabled={!armed}
              expanded={action === open}
              onClick={() => setOpenId(action === open ? undefined : action.id)}
            >
              {t(action.label)}
            </Button>
          ),
        )}
      </div>
      {open?.needs === 'rule' && <Rules rules={open.rules} choose={choose} />}
      {open?.needs === 'reason' && <Reason send={(text) => choose(open.optionId, text)} />}
    </>
  );
}

/** Each offered rule once, with the destinations it can be saved to. */
function Rules({
  rules,
  choose,
}: {
  readonly rules: readonly OfferedRule[];
  readonly choose: (optionId: string) => void;
}) {
  const { t } = useSurroundings();
  return (
    <ul class="always">
      {rules.map(({ rule, alsoMatches, destinations }) => (
        <li key={rule}>
          <code>{rule}</code>
          {alsoMatches.length > 0 && <p class="dim">{t('alsoMatches', alsoMatches.join(' · '))}</p>}
          <div class="actions">
            {destinations.map(({ optionId, name, label }) => (
              <Button key={optionId} label={name} onClick={() => choose(optionId)}>
                {label === undefined ? name : t(label)}
              </Button>
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Reason({ send }: { readonly send: (text: string) => void }) {
  const { t } = useSurroundings();
  const [text, setText] = useState('');
  return (
    <form
      class="reason"
      onSubmit={(event) => {
        event.preventDefault();
        send(text);
      }}
    >
      <input
        type="text"
        aria-label={t('reason')}
        placeholder={t('reason')}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" class="button">
        {t('addDetail')}
      </button>
    </form>
  );
}

function useArmed(id: string): boolean {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    setArmed(false);
    const timer = setTimeout(() => setArmed(true), ARM_DELAY);
    return () => clearTimeout(timer);
  }, [id]);
  return armed;
}
