import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, Icon } from '../controls/icon.tsx';
import {
  type AskAction,
  askActions,
  type EditAction,
  isPlan,
  isRisky,
  type ReasonAction,
  toExtras,
} from '../messages/askActions.ts';
import type { PermissionAsk } from '../messages/asks.ts';
import { useHalfAnswer, useSurroundings } from '../state/context.ts';
import type { AnswerExtras } from './permissionCard.tsx';
import { RulePanel } from './rulePanel.tsx';

interface AnswersProps {
  readonly ask: PermissionAsk;
  readonly armed: boolean;
  readonly choose: (optionId: string, extras?: AnswerExtras) => void;
}

/** What is open below the buttons: the other answers, or the input of the answer with this id. */
type Panel = 'more' | AskAction['id'] | undefined;

/**
 * *Allow*, *Deny…* and *More*. The buttons stay in view however long the command is. A risky request has
 * no primary button.
 */
export function AskAnswers({ ask, armed, choose }: AnswersProps) {
  const { t, host } = useSurroundings();
  const actions = askActions(ask);
  const { panel, setPanel, restored } = usePanel(ask, actions);
  const once = actions.find(({ button }) => button === 'allow');
  const reason = actions.find(({ needs }) => needs === 'reason');
  const more = actions.filter(({ button }) => button === 'more');
  const toggle = (id: string) => setPanel(panel === id ? undefined : id);
  const use = (action: AskAction) => {
    if (action.needs === 'nothing') choose(action.optionId, toExtras(action));
    else if (action.needs === 'edit' && action.edit === undefined)
      host.post({ type: 'showDiff', itemId: ask.toolCallId, index: 0 });
    else setPanel(action.id);
  };
  const open = actions.find(({ id }) => id === panel);
  return (
    <>
      <div class="actions answers">
        {once !== undefined && (
          <Button primary={!isRisky(ask)} disabled={!armed} onClick={() => use(once)}>
            {t(isPlan(ask) ? 'approvePlan' : 'allow')}
          </Button>
        )}
        <OwnButtons {...{ actions, armed, use }} build />
        {reason !== undefined && (
          <Button
            disabled={!armed}
            expanded={panel === reason.id}
            onClick={() => toggle(reason.id)}
          >
            {t('denyMenu')}
          </Button>
        )}
        {more.length > 0 && (
          <Button
            disabled={!armed}
            expanded={panel === 'more'}
            onClick={() => toggle(panel === undefined || panel === reason?.id ? 'more' : panel)}
          >
            {t('more')} <Icon name="chevron-down" />
          </Button>
        )}
        <OwnButtons {...{ actions, armed, use }} />
      </div>
      {panel !== undefined && (
        <Drawer
          key={panel}
          label={open === undefined ? t('more') : t(open.label, open.value ?? '')}
          quiet={restored}
          close={() => setPanel(undefined)}
        >
          {panel === 'more' && <More actions={more} armed={armed} use={use} />}
          {open !== undefined && (
            <Input {...{ ask, armed, choose }} action={open} back={() => setPanel('more')} />
          )}
        </Drawer>
      )}
    </>
  );
}

/** What an answer needs besides its button. */
function Input({
  action,
  back,
  ...props
}: AnswersProps & { readonly action: AskAction; readonly back: () => void }) {
  switch (action.needs) {
    case 'nothing':
      return null;
    case 'reason':
      return <Deny {...props} action={action} />;
    case 'edit':
      return <Edit {...props} action={action} />;
    case 'rule': {
      const { ask, ...others } = props;
      return <RulePanel {...others} askId={ask.id} action={action} back={back} />;
    }
  }
}

/** What is open, which a page that draws the card again restores: only what the user opens takes the focus. */
function usePanel(ask: PermissionAsk, actions: readonly AskAction[]) {
  const [kept, keep] = useHalfAnswer(ask.id, 'panel');
  const [before] = useState(kept);
  const [opened, setOpened] = useState<{ readonly panel: Panel } | undefined>(() => {
    const panel = findRejectedEdit(ask);
    return panel === undefined ? undefined : { panel };
  });
  const known = before === 'more' || actions.some(({ id }) => id === before);
  const restored = opened === undefined && known;
  const panel = restored ? String(before) : opened?.panel;
  const setPanel = (next: Panel) => {
    setOpened({ panel: next });
    keep(next ?? '');
  };
  return { panel, setPanel, restored };
}

/** The answers that have a button of their own besides the usual three: those that build a plan, or the others. */
function OwnButtons({ actions, armed, use, build }: MoreProps & { readonly build?: true }) {
  const { t } = useSurroundings();
  return actions
    .filter((each) => each.needs === 'nothing' && each.button === 'own' && each.build === build)
    .map((action) => (
      <Button key={action.id} disabled={!armed} onClick={() => use(action)}>
        {t(action.label)}
      </Button>
    ));
}

/** The edit is open when it comes back with an error. */
function findRejectedEdit(ask: PermissionAsk): Panel {
  if (ask.edit?.error === undefined) return undefined;
  return askActions(ask).find(({ needs }) => needs === 'edit')?.id;
}

/** Takes the focus when the user opens it, and closes on Escape. */
function Drawer({
  label,
  quiet,
  close,
  children,
}: {
  readonly label: string;
  /** It was open before, and does not take the focus. */
  readonly quiet: boolean;
  readonly close: () => void;
  readonly children: ComponentChildren;
}) {
  const box = useRef<HTMLFieldSetElement>(null);
  // Before the next frame: a quick pick may open by itself while no element of a card has the focus.
  useLayoutEffect(() => {
    if (quiet) return;
    box.current?.scrollIntoView({ block: 'nearest' });
    box.current?.querySelector<HTMLElement>('input, textarea, button')?.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    box.current?.closest<HTMLElement>('[data-ask]')?.focus();
    close();
  };
  return (
    <fieldset class="drawer" aria-label={label} ref={box} onKeyDown={onKeyDown}>
      {children}
    </fieldset>
  );
}

interface MoreProps {
  readonly actions: readonly AskAction[];
  readonly armed: boolean;
  readonly use: (action: AskAction) => void;
}

function More({ actions, armed, use }: MoreProps) {
  const { t } = useSurroundings();
  return (
    <ul class="more">
      {actions.map((action) => (
        <li key={action.id}>
          <Button disabled={!armed} onClick={() => use(action)}>
            {t(action.label, action.value ?? '')}
          </Button>
          {action.needs === 'nothing' && action.rule !== undefined && (
            <code class="rule-text dim">{action.rule}</code>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Denies, with a reason if the user enters one. */
function Deny({ ask, action, armed, choose }: AnswersProps & { readonly action: ReasonAction }) {
  const { t } = useSurroundings();
  const [kept = '', setText] = useHalfAnswer(ask.id, 'reason');
  const text = String(kept);
  const send = () => choose(action.optionId, text.trim() === '' ? {} : { reason: text.trim() });
  return (
    <form
      class="reason"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <input
        type="text"
        aria-label={t('reason')}
        placeholder={t('reason')}
        title={t('reasonHint')}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button disabled={!armed} onClick={send}>
        {t('deny')}
      </Button>
    </form>
  );
}

/** The arguments as text. An edit that can't run comes back with its error. */
function Edit({ ask, action, armed, choose }: AnswersProps & { readonly action: EditAction }) {
  const { t } = useSurroundings();
  const { form = 'command', text: given = '', error: refused } = action.edit ?? {};
  const [kept = given, setText] = useHalfAnswer(ask.id, 'edited');
  const text = String(kept);
  const error = form === 'json' && !isObject(text) ? t('invalidJson') : refused;
  const run = () => {
    if (form !== 'json' || isObject(text)) choose(action.optionId, { edited: text });
  };
  return (
    <div class="edit">
      <textarea
        aria-label={t('edit')}
        aria-invalid={error !== undefined}
        spellcheck={false}
        rows={Math.min(10, text.split('\n').length + 1)}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {error !== undefined && (
        <p class="warning" role="alert">
          <Icon name="error" /> {error}
        </p>
      )}
      <p class="dim">{t('editHint')}</p>
      <div class="actions">
        <Button disabled={!armed || text.trim() === ''} onClick={run}>
          {t('run')}
        </Button>
      </div>
    </div>
  );
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
