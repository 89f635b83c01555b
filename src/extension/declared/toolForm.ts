import type * as vscode from 'vscode';
import { parseJson, toRecord } from '../../base/json.ts';
import { toPlainRow } from '../text/plainLabel.ts';
import { toPlainLine } from '../text/plainMarkdown.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';

export interface FormParts {
  readonly window: Pick<typeof vscode.window, 'showQuickPick' | 'showInputBox'>;
  readonly t: Translate;
}

/**
 * Asks for a tool's arguments, one input per field of its schema. Undefined if the user cancels.
 */
export async function askArguments(
  parts: FormParts,
  title: string,
  schema: unknown,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { properties, required } = toRecord(schema);
  const needed = Array.isArray(required) ? required : [];
  const values: [string, unknown][] = [];
  for (const [name, field] of Object.entries(toRecord(properties))) {
    const asked = await askField(parts, {
      title,
      name,
      field: toRecord(field),
      isNeeded: needed.includes(name),
    });
    if (asked === undefined) return undefined;
    if (asked.value !== undefined) values.push([name, asked.value]);
  }
  return Object.fromEntries(values);
}

interface Field {
  readonly title: string;
  readonly name: string;
  readonly field: Readonly<Record<string, unknown>>;
  readonly isNeeded: boolean;
}

/** Asks for one field. The value is undefined if omitted; the result is undefined on cancel. */
async function askField(
  { window, t }: FormParts,
  asked: Field,
): Promise<{ value: unknown } | undefined> {
  const { title, name, field, isNeeded } = asked;
  const { description, type, default: preset } = field;
  const what = typeof description === 'string' ? `${name}: ${toPlainLine(description)}` : name;
  const words = plainNotice(what);
  const choices = getChoices(field);
  if (choices !== undefined) {
    const items = choices.map((value) => toPlainRow({ label: String(value), value: { value } }));
    const none = { label: t('Omit'), value: { value: undefined } };
    const options = { title, placeHolder: words, ignoreFocusOut: true };
    return (await window.showQuickPick(isNeeded ? items : [...items, none], options))?.value;
  }
  const text = await window.showInputBox({
    title,
    prompt: isNeeded ? words : t('{0} (leave empty to omit)', words),
    ...(preset !== undefined && {
      value: typeof preset === 'string' ? preset : JSON.stringify(preset),
    }),
    ignoreFocusOut: true,
    validateInput: (value) => validateText(value, type, isNeeded, t),
  });
  if (text === undefined) return undefined;
  return {
    value: text === '' && !(isNeeded && type === 'string') ? undefined : toValue(text, type),
  };
}

function getChoices({
  enum: listed,
  type,
}: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
  if (Array.isArray(listed)) return listed;
  return type === 'boolean' ? [true, false] : undefined;
}

function validateText(
  text: string,
  type: unknown,
  isNeeded: boolean,
  t: Translate,
): string | undefined {
  if (text === '') return isNeeded && type !== 'string' ? t('Must not be empty.') : undefined;
  if (type === 'string') return undefined;
  if (type === 'integer' && !/^-?\d+$/.test(text)) return t('Must be an integer.');
  if (type === 'number' && !Number.isFinite(Number(text))) return t('Must be a number.');
  return parseJson(text) === undefined && type !== undefined ? t('Must be valid JSON.') : undefined;
}

function toValue(text: string, type: unknown): unknown {
  return type === 'string' ? text : (parseJson(text) ?? text);
}
