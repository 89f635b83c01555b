import type * as vscode from 'vscode';
import type { FormContent, FormField, QuestionAsk } from '../../webview/messages/asks.ts';
import type { Translate } from '../text/translate.ts';
import { toToken } from './cancellation.ts';
import { keyboardHint, type PickOutcome, withPosition } from './pickOutcome.ts';
import {
  type LiveTitle,
  type OpenedBy,
  type PickRow,
  type PickWindow,
  showSafePick,
} from './safePick.ts';

export interface QuestionPickParts {
  readonly window: PickWindow & Pick<typeof vscode.window, 'showInputBox'>;
  readonly t: Translate;
  readonly openedBy: OpenedBy;
  /** The question's position in the queue, its agent and session, for titles. */
  readonly position: LiveTitle;
}

type StepResult =
  | { readonly kind: 'content'; readonly content: FormContent }
  | { readonly kind: 'back' }
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'hidden' };

const HIDDEN = { kind: 'hidden' } as const;
const OTHER = Symbol('Other…');

/** Whether the first step is a quick pick. An input box would take keys that are meant for others. */
export function startsWithPick({ fields: [first] }: QuestionAsk): boolean {
  return first?.input.type === 'choice' || first?.input.type === 'boolean';
}

/** Asks the form's fields in order. The question is still pending unless the outcome is an answer. */
export async function pickAnswers(
  parts: QuestionPickParts,
  ask: QuestionAsk,
  signal: AbortSignal,
): Promise<PickOutcome> {
  const given: FormContent[] = [];
  let { openedBy } = parts;
  for (let index = 0; index < ask.fields.length; ) {
    const field = ask.fields[index];
    if (field === undefined) return HIDDEN;
    const step = await askField({ ...parts, openedBy }, ask, field, index, signal);
    openedBy = 'user';
    if (step.kind === 'typed') return step;
    if (step.kind === 'hidden' || signal.aborted) return HIDDEN;
    if (step.kind === 'back') {
      index -= 1;
      given.length = index;
    } else {
      given[index] = step.content;
      index += 1;
    }
  }
  return { kind: 'answered', answer: { kind: 'form', content: Object.assign({}, ...given) } };
}

async function askField(
  parts: QuestionPickParts,
  ask: QuestionAsk,
  field: FormField,
  index: number,
  signal: AbortSignal,
): Promise<StepResult> {
  if (field.input.type === 'choice' || field.input.type === 'boolean') {
    return askChoice(parts, ask, field, index, signal);
  }
  return toStep(await askText(parts, ask, field, field.key, signal));
}

function toStep(content: FormContent | undefined): StepResult {
  return content === undefined ? HIDDEN : { kind: 'content', content };
}

async function askChoice(
  parts: QuestionPickParts,
  ask: QuestionAsk,
  field: FormField,
  index: number,
  signal: AbortSignal,
): Promise<StepResult> {
  const total = ask.fields.length;
  const multiple = field.input.type === 'choice' && field.input.multiple;
  const result = await showSafePick<string | typeof OTHER>(parts.window, {
    title: withPosition(title(ask, field), parts.position),
    placeholder: field.title,
    rows: toRows(field, parts.t),
    openedBy: parts.openedBy,
    ...keyboardHint(parts.openedBy, parts.t),
    multiple,
    ...(total > 1 && { step: index + 1, totalSteps: total }),
    back: index > 0,
    signal,
  });
  if (result.kind !== 'picked') return result;
  const chosen = result.values.filter((value) => value !== OTHER);
  const typed = result.values.includes(OTHER) ? await askOther(parts, ask, field, signal) : {};
  if (typed === undefined) return HIDDEN;
  return { kind: 'content', content: { ...typed, ...toContent(field, chosen, multiple) } };
}

function toContent(field: FormField, chosen: readonly string[], multiple: boolean): FormContent {
  if (multiple) return { [field.key]: chosen };
  const [only] = chosen;
  if (only === undefined) return {};
  return { [field.key]: field.input.type === 'boolean' ? only === 'true' : only };
}

function toRows(field: FormField, t: Translate): readonly PickRow<string | typeof OTHER>[] {
  const { input } = field;
  if (input.type !== 'choice') {
    return [
      { label: t('Yes'), value: 'true' },
      { label: t('No'), value: 'false' },
    ];
  }
  const rows = input.choices.map(({ value, label, description }) => ({
    label,
    value,
    ...(description !== undefined && { detail: description }),
  }));
  if (field.otherKey === undefined) return rows;
  // A free text is the whole answer (spec CA-26): tell the user that it replaces the checked items.
  const instead = input.multiple ? { description: t('instead of the choices') } : {};
  return [...rows, { label: t('Other…'), value: OTHER, ...instead }];
}

function askOther(
  parts: QuestionPickParts,
  ask: QuestionAsk,
  field: FormField,
  signal: AbortSignal,
) {
  return askText(parts, ask, field, field.otherKey ?? field.key, signal);
}

async function askText(
  { window, t, position }: QuestionPickParts,
  ask: QuestionAsk,
  field: FormField,
  key: string,
  signal: AbortSignal,
): Promise<FormContent | undefined> {
  const numeric = field.input.type === 'number' || field.input.type === 'integer';
  const options = {
    title: withPosition(title(ask, field), position).get(),
    placeHolder: field.title,
    prompt: t('Enter your answer.'),
    ignoreFocusOut: true,
    validateInput: (text: string) =>
      numeric && !isNumber(text, field.input.type === 'integer') ? t('Enter a number.') : undefined,
  };
  const typed = await window.showInputBox(options, toToken(signal));
  if (typed === undefined) return undefined;
  if (typed === '' && !field.required) return {};
  return { [key]: numeric ? Number(typed) : typed };
}

function isNumber(text: string, whole: boolean): boolean {
  const value = Number(text);
  return text.trim() !== '' && Number.isFinite(value) && (!whole || Number.isInteger(value));
}

/** The question is the title, because a title can wrap and a placeholder is truncated. */
function title(ask: QuestionAsk, field: FormField): string {
  return field.description ?? (ask.fields.length === 1 ? ask.message : field.title || ask.message);
}
