import { useEffect, useState } from 'preact/hooks';
import { isHeadOf } from '../../base/isHeadOf.ts';
import { Button, Icon } from '../controls/icon.tsx';
import { Scrolled } from '../controls/scrolled.tsx';
import { ARM_DELAY, type AskChoice, type AskOption, type PermissionAsk } from '../messages/asks.ts';
import { alwaysByRule } from '../messages/messagesAlways.ts';
import { useSurroundings } from '../state/context.ts';
import { cardAction } from './cardKeys.ts';
import { kindIcon, tailOf } from './format.ts';

type Open = 'always' | 'reason' | undefined;

/** A permission at its place in the chat. It never takes the focus by itself. */
export function PermissionCard({ ask }: { readonly ask: PermissionAsk }) {
  const { t, host, options } = useSurroundings();
  const armed = useArmed(ask.id);
  const [open, setOpen] = useState<Open>(undefined);
  const choose = (optionId: string | undefined, reason?: string) => {
    if (optionId === undefined || !armed) return;
    const answer = { kind: 'option' as const, optionId, ...(reason ? { reason } : {}) };
    host.post({ type: 'answer', askId: ask.id, answer });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = cardAction(event);
    if (action === undefined || !options.answerInChat) return;
    event.preventDefault();
    choose(optionOf(ask, action)?.optionId);
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
        <Choices ask={ask} armed={armed} choose={choose} open={open} setOpen={setOpen} />
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

/** All of what would run, scrolled when it is long, with its length and its end in sight. */
function Subject({ ask }: { readonly ask: PermissionAsk }) {
  const { t } = useSurroundings();
  const tail = tailOf(ask.subject);
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

interface ChoicesProps {
  readonly ask: PermissionAsk;
  readonly armed: boolean;
  readonly choose: (optionId: string | undefined, reason?: string) => void;
  readonly open: Open;
  readonly setOpen: (open: Open) => void;
}

function Choices({ ask, armed, choose, open, setOpen }: ChoicesProps) {
  const { t, host } = useSurroundings();
  const pick = (choice: AskChoice) => choose(optionOf(ask, choice)?.optionId);
  const has = (choice: AskChoice) => optionOf(ask, choice) !== undefined;
  const toggle = (which: Open) => setOpen(open === which ? undefined : which);
  return (
    <>
      <div class="actions">
        {ask.diff && (
          <Button onClick={() => host.post({ type: 'showDiff', itemId: ask.toolCallId, index: 0 })}>
            {t('showDiff')}
          </Button>
        )}
        {has('allowOnce') && (
          <Button primary disabled={!armed} onClick={() => pick('allowOnce')}>
            {t('allowOnce')}
          </Button>
        )}
        {has('allowSession') && (
          <Button disabled={!armed} onClick={() => pick('allowSession')}>
            {t('allowSession')}
          </Button>
        )}
        {has('allowAlways') && (
          <Button disabled={!armed} expanded={open === 'always'} onClick={() => toggle('always')}>
            {t('allowAlways')}
          </Button>
        )}
        {has('deny') && (
          <Button disabled={!armed} onClick={() => pick('deny')}>
            {t('deny')}
          </Button>
        )}
        {has('deny') && (
          <Button disabled={!armed} expanded={open === 'reason'} onClick={() => toggle('reason')}>
            {t('denyWithReason')}
          </Button>
        )}
      </div>
      {open === 'always' && <Always options={ask.options} choose={choose} />}
      {open === 'reason' && (
        <Reason send={(text) => choose(optionOf(ask, 'deny')?.optionId, text)} />
      )}
    </>
  );
}

/** Each pattern once, with the places it can be kept in. */
function Always({
  options,
  choose,
}: {
  readonly options: readonly AskOption[];
  readonly choose: (optionId: string) => void;
}) {
  const { t } = useSurroundings();
  const place = { session: t('inSession'), workspace: t('inWorkspace'), user: t('everywhere') };
  return (
    <ul class="always">
      {alwaysByRule(options).map(([rule, kept]) => (
        <li key={rule}>
          <code>{rule}</code>
          {kept[0]?.alsoMatches !== undefined && (
            <p class="dim">{t('alsoMatches', kept[0].alsoMatches.join(' · '))}</p>
          )}
          <div class="actions">
            {kept.map(({ optionId, destination, name }) => (
              <Button key={optionId} label={name} onClick={() => choose(optionId)}>
                {destination === undefined ? name : place[destination]}
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

function optionOf(ask: PermissionAsk, choice: AskChoice): AskOption | undefined {
  return ask.options.find((option) => option.choice === choice);
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
