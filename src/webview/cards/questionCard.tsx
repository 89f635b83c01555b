import { useState } from 'preact/hooks';
import { Button, Icon } from '../controls/icon.tsx';
import type { FormField, QuestionAsk } from '../messages/asks.ts';
import { useSurroundings } from '../state/context.ts';
import { canAnswer, type Draft, toContent } from './formDraft.ts';

/** Characters of a question that is a heading. A longer one is a paragraph, which bold text makes hard to read. */
const HEADING = 100;

/** A question from the agent. The user can answer it here or in the quick pick. */
export function QuestionCard({
  ask,
  armed,
}: {
  readonly ask: QuestionAsk;
  readonly armed: boolean;
}) {
  const { t, host } = useSurroundings();
  const [draft, setDraft] = useState<Draft>(() => host.left().answers[ask.id] ?? {});
  const change = (next: Draft) => {
    setDraft(next);
    host.keepAnswer(ask.id, next);
  };
  const answer = () => {
    const content = toContent(ask.fields, draft);
    host.keepAnswer(ask.id, undefined);
    host.post({ type: 'answer', askId: ask.id, answer: { kind: 'form', content } });
  };
  return (
    <section
      class="ask"
      data-ask="question"
      data-armed={armed}
      aria-label={t('question', ask.message)}
      tabIndex={-1}
    >
      <h2 class={ask.message.length > HEADING ? 'ask-title long' : 'ask-title'}>
        <Icon name="question" /> {ask.message}
      </h2>
      {ask.fields.map((field) => (
        <Field
          key={field.key}
          askId={ask.id}
          field={field}
          alone={ask.fields.length === 1}
          draft={draft}
          change={(key, value) => change({ ...draft, [key]: value })}
        />
      ))}
      <div class="actions answers">
        <Button primary disabled={!armed || !canAnswer(ask.fields, draft)} onClick={answer}>
          {t('answer')}
        </Button>
        <Button
          disabled={!armed}
          onClick={() => {
            host.keepAnswer(ask.id, undefined);
            host.post({ type: 'answer', askId: ask.id, answer: { kind: 'decline' } });
          }}
        >
          {t('decline')}
        </Button>
      </div>
    </section>
  );
}

interface FieldProps {
  readonly askId: string;
  readonly field: FormField;
  /** The card's heading already shows the question. */
  readonly alone: boolean;
  readonly draft: Draft;
  readonly change: (key: string, value: Draft[string]) => void;
}

function Field({ askId, field, alone, draft, change }: FieldProps) {
  const { t } = useSurroundings();
  const { input, key, otherKey } = field;
  return (
    <fieldset>
      {(field.title !== '' || field.description !== undefined) && (
        <legend {...(alone && { class: 'hidden' })}>
          {[field.title, field.description].filter(Boolean).join(': ')}
        </legend>
      )}
      {input.type === 'choice' && (
        <Choices askId={askId} field={field} draft={draft} change={change} />
      )}
      {input.type === 'boolean' && (
        <label class="option">
          <input
            type="checkbox"
            checked={draft[key] === 'true'}
            onChange={(event) => change(key, String(event.currentTarget.checked))}
          />
          {field.title}
        </label>
      )}
      {(input.type === 'text' || input.type === 'number' || input.type === 'integer') && (
        <TextInput
          label={field.title || t('answer')}
          value={draft[key]}
          change={(text) => change(key, text)}
        />
      )}
      {otherKey !== undefined && (
        <TextInput
          label={t(input.type === 'choice' && input.multiple ? 'otherInstead' : 'other')}
          value={draft[otherKey]}
          change={(text) => change(otherKey, text)}
        />
      )}
    </fieldset>
  );
}

function Choices({ askId, field, draft, change }: Omit<FieldProps, 'alone'>) {
  if (field.input.type !== 'choice') return null;
  const { choices, multiple } = field.input;
  const chosen = draft[field.key] ?? [];
  const toggle = (value: string) => {
    const list = Array.isArray(chosen) ? chosen : [];
    if (!multiple) return change(field.key, [value]);
    change(
      field.key,
      list.includes(value) ? list.filter((each) => each !== value) : [...list, value],
    );
  };
  return (
    <>
      {choices.map(({ value, label, description }) => (
        <label key={value} class="option">
          <input
            type={multiple ? 'checkbox' : 'radio'}
            name={`${askId}-${field.key}`}
            checked={chosen.includes(value)}
            onChange={() => toggle(value)}
          />
          <span>{label}</span>
          {description !== undefined && <span class="dim">{description}</span>}
        </label>
      ))}
    </>
  );
}

function TextInput({
  label,
  value,
  change,
}: {
  readonly label: string;
  readonly value: Draft[string] | undefined;
  readonly change: (text: string) => void;
}) {
  return (
    <input
      type="text"
      aria-label={label}
      placeholder={label}
      value={typeof value === 'string' ? value : ''}
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}
