import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationPropertySchema,
  ElicitationSchema,
} from '@agentclientprotocol/sdk';
import { fieldAt } from '../../base/json.ts';
import type {
  AskAnswer,
  FieldChoice,
  FieldInput,
  FormField,
  QuestionAsk,
} from '../../webview/messages/asks.ts';
import { toPlainText } from '../text/plainMarkdown.ts';

const OTHER_SUFFIX = '_custom';

/**
 * Converts a form of `elicitation/create` to the fields that card and quick pick show. Undefined if
 * the request is not a form. Agents write Markdown, which neither shows, so the texts become plain.
 */
export function toQuestionAsk(
  request: CreateElicitationRequest,
  id: string,
  since: number,
): QuestionAsk | undefined {
  if (request.mode !== 'form' || !isSchema(request.requestedSchema)) return undefined;
  const { properties, required } = request.requestedSchema;
  const entries = Object.entries(properties ?? {});
  const keys = new Set(entries.map(([key]) => key));
  const toolCallId = getText(request, 'toolCallId');
  return {
    kind: 'question',
    id,
    ...(toolCallId !== undefined && { toolCallId }),
    message: toPlainText(request.message),
    fields: entries.flatMap(([key, property]): FormField[] => {
      if (isOtherOf(key, keys)) return [];
      return [toField(key, property, keys, required ?? [])];
    }),
    since,
  };
}

/** Converts the answer: `accept` with content, `decline` without, `cancel` if it was withdrawn. */
export function toQuestionReply(answer: AskAnswer | undefined): CreateElicitationResponse {
  if (answer?.kind === 'decline') return { action: 'decline' };
  if (answer?.kind !== 'form') return { action: 'cancel' };
  const content = Object.entries(answer.content).map(([key, value]) => [
    key,
    Array.isArray(value) ? [...value] : value,
  ]);
  return { action: 'accept', content: Object.fromEntries(content) };
}

/** The SDK validates forms; a custom mode can have any content. */
function isSchema(value: unknown): value is ElicitationSchema {
  return fieldAt(value, 'type') === 'object';
}

/** `question_0_custom` is the free-text answer to `question_0`, not a separate question. */
function isOtherOf(key: string, keys: ReadonlySet<string>): boolean {
  return key.endsWith(OTHER_SUFFIX) && keys.has(key.slice(0, -OTHER_SUFFIX.length));
}

function toField(
  key: string,
  property: ElicitationPropertySchema,
  keys: ReadonlySet<string>,
  required: readonly string[],
): FormField {
  const otherKey = `${key}${OTHER_SUFFIX}`;
  return {
    key,
    title: toPlainText(getText(property, 'title') ?? ''),
    ...withDescription(property),
    required: required.includes(key),
    input: toInput(property),
    ...(keys.has(otherKey) && { otherKey }),
  };
}

function toInput(property: ElicitationPropertySchema): FieldInput {
  if (property.type === 'array') {
    const items: unknown = 'items' in property ? property.items : undefined;
    return { type: 'choice', multiple: true, choices: toChoices(items) };
  }
  const choices = toChoices(property);
  if (choices.length > 0) return { type: 'choice', multiple: false, choices };
  if (property.type === 'boolean' || property.type === 'number' || property.type === 'integer') {
    return { type: property.type };
  }
  return { type: 'text' };
}

function toChoices(schema: unknown): readonly FieldChoice[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const titled = getList(schema, 'oneOf') ?? getList(schema, 'anyOf');
  if (titled) return withPlainLabels(titled.flatMap(toTitledChoice));
  const values = getList(schema, 'enum') ?? [];
  return withPlainLabels(
    values.flatMap((value) => (typeof value === 'string' ? [{ value, label: value }] : [])),
  );
}

/** Labels that differ only in their marks stay as they are written, so that they can be told apart. */
function withPlainLabels(choices: readonly FieldChoice[]): readonly FieldChoice[] {
  const plain = choices.map((choice) => ({ ...choice, label: toPlainText(choice.label) }));
  const isClear = new Set(plain.map(({ label }) => label)).size === choices.length;
  return isClear ? plain : choices;
}

function toTitledChoice(option: unknown): FieldChoice[] {
  if (typeof option !== 'object' || option === null) return [];
  const value = getText(option, 'const');
  if (value === undefined) return [];
  return [{ value, label: getText(option, 'title') ?? value, ...withDescription(option) }];
}

function withDescription(holder: object): { readonly description?: string } {
  const description = getText(holder, 'description');
  return description === undefined ? {} : { description: toPlainText(description) };
}

function getList(holder: object, key: string): readonly unknown[] | undefined {
  const value: unknown = Reflect.get(holder, key);
  return Array.isArray(value) ? value : undefined;
}

function getText(holder: object, key: string): string | undefined {
  const value: unknown = Reflect.get(holder, key);
  return typeof value === 'string' ? value : undefined;
}
