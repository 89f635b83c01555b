import { Icon } from '../controls/icon.tsx';
import type { ChatState, SessionChoice } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';

/** The settings of the session, each a button that opens the list of its values. */
export function Choices({ state }: { readonly state: ChatState }) {
  const { t, host } = useSurroundings();
  const { choices, activity } = state;
  const waits = activity === 'starting' || activity === 'restarting';
  if (choices?.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out as a row everywhere.
    <div class="choices" role="group" aria-label={t('sessionSettings')}>
      {choices === undefined ? (
        <ChoiceButton
          label={t('chooseSettings')}
          shown={t('chooseSettings')}
          reason={waits ? t('choicesWait') : undefined}
          onClick={() => host.post({ type: 'choose' })}
        />
      ) : (
        choices.map((choice) => <Choice key={choice.id} choice={choice} waits={waits} />)
      )}
    </div>
  );
}

function Choice({ choice, waits }: { readonly choice: SessionChoice; readonly waits: boolean }) {
  const { t, host } = useSurroundings();
  const { id, name, on } = choice;
  if (on !== undefined) {
    return (
      <ChoiceSwitch
        shown={t(on ? 'settingOn' : 'settingOff', name)}
        on={on}
        reason={waits ? t('choicesWait') : undefined}
        onClick={() => host.post({ type: 'choose', id, on: !on })}
      />
    );
  }
  return (
    <ChoiceButton
      label={toLabel(choice)}
      shown={toName(choice)}
      reason={waits ? t('choicesWait') : isOnly(choice) ? t('onlyChoice') : undefined}
      onClick={() => host.post({ type: 'choose', id })}
    />
  );
}

/** A setting that is on or off. A click sets it to the other at once. */
function ChoiceSwitch({
  shown,
  on,
  reason,
  onClick,
}: {
  readonly shown: string;
  readonly on: boolean;
  /** Why it can't be changed now. */
  readonly reason: string | undefined;
  readonly onClick: () => void;
}) {
  // Begins with what is seen, so that it can be said to speech control.
  const label = reason === undefined ? shown : `${shown}. ${reason}`;
  return (
    <button
      type="button"
      class="choice"
      role="switch"
      aria-checked={on}
      aria-label={label}
      aria-disabled={reason !== undefined}
      title={label}
      onClick={() => reason === undefined && onClick()}
    >
      <span>{shown}</span>
    </button>
  );
}

function ChoiceButton({
  label,
  shown,
  reason,
  onClick,
}: {
  readonly label: string;
  readonly shown: string;
  /** Why nothing can be chosen now. */
  readonly reason: string | undefined;
  readonly onClick: () => void;
}) {
  const title = reason === undefined ? label : `${label}. ${reason}`;
  return (
    <button
      type="button"
      class="choice"
      aria-haspopup="listbox"
      aria-label={title}
      aria-disabled={reason !== undefined}
      title={title}
      onClick={() => reason === undefined && onClick()}
    >
      <span>{shown}</span>
      {reason === undefined && <Icon name="chevron-down" />}
    </button>
  );
}

/** Of a model, the description says which account pays. */
function toLabel(choice: SessionChoice): string {
  const { id, name, current } = choice;
  const label = `${name}: ${toName(choice)}`;
  const more = id === 'model' ? current?.description : undefined;
  return more === undefined ? label : `${label}. ${more}`;
}

function toName({ name, current }: SessionChoice): string {
  return current?.name ?? name;
}

/** Only the model in use is listed; a click lists the others. */
function isOnly({ id, values, current }: SessionChoice): boolean {
  return id !== 'model' && values.length === 1 && current !== undefined;
}
