import type * as vscode from 'vscode';
import type { FormContent, FormField, QuestionAsk } from '../../webview/messages/asks.ts';
import type { Translate } from '../text/translate.ts';
import { type PickRow, type PickWindow, showSafePick } from './safePick.ts';

export interface QuestionPickParts {
  readonly window: PickWindow & Pick<typeof vscode.window, 'showInputBox'>;
  readonly t: Translate;
}

type StepResult = FormContent | 'back' | undefined;

const OTHER = Symbol('Other…');

/** Asks the form's fields in order. Undefined if the user hid it; the question is still pending. */
export async function pickAnswers(
  parts: QuestionPickParts,
  ask: QuestionAsk,
  signal: AbortSignal,
): Promise<FormContent | undefined> {
  const given: FormContent[] = [];
  for (let index = 0; index < ask.fields.length; ) {
    const field = ask.fields[index];
    if (field === undefined) return undefined;
    const answer = await askField(parts, ask, field, index, signal);
    if (answer === undefined || signal.aborted) return undefined;
    if (answer === 'back') {
      index -= 1;
      given.length = index;
    } else {
      given[index] = answer;
      index += 1;
    }
  }
  return Object.assign({}, ...given);
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
  return askText(parts, ask, field, field.key);
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
    title: title(ask, field),
    placeholder: field.title,
    rows: toRows(field, parts.t),
    multiple,
    ...(total > 1 && { step: index + 1, totalSteps: total }),
    back: index > 0,
    signal,
  });
  if (result.kind !== 'picked') return result.kind === 'back' ? 'back' : undefined;
  const chosen = result.values.filter((value) => value !== OTHER);
  const typed = result.values.includes(OTHER) ? await askOther(parts, ask, field) : {};
  if (typed === undefined) return undefined;
  return { ...typed, ...toContent(field, chosen, multiple) };
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

function askOther(parts: QuestionPickParts, ask: QuestionAsk, field: FormField) {
  return askText(parts, ask, field, field.otherKey ?? field.key);
}

async function askText(
  { window, t }: QuestionPickParts,
  ask: QuestionAsk,
  field: FormField,
  key: string,
): Promise<FormContent | undefined> {
  const numeric = field.input.type === 'number' || field.input.type === 'integer';
  const typed = await window.showInputBox({
    title: title(ask, field),
    placeHolder: field.title,
    prompt: t('Enter your answer.'),
    ignoreFocusOut: true,
    validateInput: (text) =>
      numeric && !isNumber(text, field.input.type === 'integer') ? t('Enter a number.') : undefined,
  });
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
