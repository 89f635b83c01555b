import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../controls/icon.tsx';
import type { RuleAction } from '../messages/askActions.ts';
import type { ChosenRule, OfferedRule, PartRules } from '../messages/asks.ts';
import { useHalfAnswer, useSurroundings } from '../state/context.ts';
import type { AnswerExtras } from './permissionCard.tsx';

interface RulePanelProps {
  readonly askId: string;
  readonly action: RuleAction;
  readonly armed: boolean;
  readonly choose: (optionId: string, extras?: AnswerExtras) => void;
  /** Returns to the list of answers. */
  readonly back: () => void;
}

/** Two steps: the rules, then where to save them. */
export function RulePanel({ askId, action, armed, choose, back }: RulePanelProps) {
  const { t } = useSurroundings();
  const [chosen, setChosen] = useChosen(askId, action);
  const [saving, setSaving] = useState(action.parts.length === 0);
  const box = useFocusedStep(saving);
  if (saving) {
    const leave = action.parts.length === 0 ? back : () => setSaving(false);
    const rules = chosen.map(({ rule }): ChosenRule => rule);
    return (
      <div class="rules" ref={box}>
        <p class="step">
          {t('step', 2, 2)} · {t('saveWhere')}
        </p>
        {chosen.map(({ text }) => (
          <code key={text} class="rule-text">
            {text}
          </code>
        ))}
        <div class="actions">
          {action.destinations.map(({ optionId, name, label }) => (
            <Button
              key={optionId}
              label={label === undefined ? name : `${t(label)}: ${name}`}
              disabled={!armed}
              onClick={() => choose(optionId, rules.length > 0 ? { rules } : {})}
            >
              {label === undefined ? name : t(label)}
            </Button>
          ))}
          <Button onClick={leave}>{t('back')}</Button>
        </div>
      </div>
    );
  }
  return (
    <div class="rules" ref={box}>
      <p class="step">
        {t('step', 1, 2)} · {t('chooseRules')}
      </p>
      {action.parts.map((part) => (
        <Part
          key={part.part}
          part={part}
          only={action.parts.length === 1}
          denies={action.kind === 'reject'}
          chosen={chosen}
          setChosen={setChosen}
        />
      ))}
      <div class="actions">
        <Button disabled={chosen.length === 0} onClick={() => setSaving(true)}>
          {t('next')}
        </Button>
        <Button onClick={back}>{t('back')}</Button>
      </div>
    </div>
  );
}

/** The chosen rules, which are kept by their part and text. */
function useChosen(askId: string, { id, parts }: RuleAction) {
  const [kept, keep] = useHalfAnswer(askId, id);
  const offered = parts.flatMap(({ part, rules }) =>
    rules.map((rule) => ({ rule, name: `${part}\n${rule.text}` })),
  );
  const chosen = offered.filter(({ name }) => Array.isArray(kept) && kept.includes(name));
  const setChosen = (rules: readonly OfferedRule[]) =>
    keep(offered.filter(({ rule }) => rules.includes(rule)).map(({ name }) => name));
  return [chosen.map(({ rule }) => rule), setChosen] as const;
}

/** Keeps the focus in the panel: the button that led to the other step is gone. */
function useFocusedStep(saving: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef(saving);
  useLayoutEffect(() => {
    if (shown.current === saving) return;
    shown.current = saving;
    box.current?.querySelector<HTMLElement>('input, button')?.focus();
  }, [saving]);
  return box;
}

interface PartProps {
  readonly part: PartRules;
  /** The call has no other part: one rule is chosen. */
  readonly only: boolean;
  readonly denies: boolean;
  readonly chosen: readonly OfferedRule[];
  readonly setChosen: (rules: readonly OfferedRule[]) => void;
}

function Part({ part, only, denies, chosen, setChosen }: PartProps) {
  const { t } = useSurroundings();
  const toggle = (rule: OfferedRule) => {
    if (only) setChosen([rule]);
    else if (chosen.includes(rule)) setChosen(chosen.filter((each) => each !== rule));
    else setChosen([...chosen, rule]);
  };
  return (
    <fieldset class="part-rules">
      <legend class={only ? 'hidden' : ''}>
        <code>{part.part}</code>
      </legend>
      {part.rules.map((rule) => (
        <label key={rule.text} class="rule">
          <input
            type={only ? 'radio' : 'checkbox'}
            name="rule"
            checked={chosen.includes(rule)}
            onChange={() => toggle(rule)}
          />
          <span>
            <code>{rule.text}</code>
            {rule.alsoMatches.length > 0 && (
              <span class="dim">
                {t(denies ? 'alsoDenies' : 'alsoMatches', rule.alsoMatches.join(' · '))}
              </span>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
