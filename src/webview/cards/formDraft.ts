import type { FormContent, FormField } from '../messages/asks.ts';
import type { HalfAnswer } from '../state/host.ts';

/** The current input of a form: the selected values of a choice, the text of any other field. */
export type Draft = HalfAnswer;

/** Converts a draft to the answer for the agent. Empty fields are omitted. */
export function toContent(fields: readonly FormField[], draft: Draft): FormContent {
  const entries = fields.flatMap((field) => [...own(field, draft), ...other(field, draft)]);
  return Object.fromEntries(entries);
}

/** Whether all required fields, and at least one field, have an answer. */
export function canAnswer(fields: readonly FormField[], draft: Draft): boolean {
  const content = toContent(fields, draft);
  const given = (field: FormField) =>
    field.key in content || (field.otherKey !== undefined && field.otherKey in content);
  return fields.every((field) => !field.required || given(field)) && fields.some(given);
}

type Entry = readonly [string, FormContent[string]];

function own({ key, input }: FormField, draft: Draft): readonly Entry[] {
  const value = draft[key];
  if (value === undefined || value.length === 0) return [];
  if (typeof value !== 'string') {
    const [only] = value;
    if (input.type === 'choice' && input.multiple) return [[key, value]];
    return only === undefined ? [] : [[key, only]];
  }
  if (input.type === 'boolean') return [[key, value === 'true']];
  if (input.type === 'text') return [[key, value]];
  const number = Number(value);
  const valid = Number.isFinite(number) && (input.type !== 'integer' || Number.isInteger(number));
  return valid ? [[key, number]] : [];
}

function other({ otherKey }: FormField, draft: Draft): readonly Entry[] {
  const text = otherKey === undefined ? undefined : draft[otherKey];
  return otherKey !== undefined && typeof text === 'string' && text.trim() !== ''
    ? [[otherKey, text]]
    : [];
}
