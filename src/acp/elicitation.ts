import type {
  CreateElicitationResponse,
  ElicitationPropertySchema,
  ElicitationSchema,
} from '@agentclientprotocol/sdk';
import { toRecord } from '../base/json.ts';

/** A question of the `question` tool (spec C-22). */
export interface FormQuestion {
  readonly question: string;
  readonly header?: string;
  readonly options?: readonly { readonly label: string; readonly description?: string }[];
  readonly multi_select?: boolean;
  /** The MCP server that asks. Absent: the agent. */
  readonly from?: string;
}

export interface Form {
  readonly message: string;
  readonly requestedSchema: ElicitationSchema;
}

/**
 * Converts the questions to one flat form in the layout that other agents use: `question_0` for the
 * choices and `question_0_custom` for free text. Nothing is required: a skipped question has an
 * empty answer (spec CA-26).
 */
export function toForm(questions: readonly FormQuestion[]): Form {
  const single = questions.length === 1 ? questions[0] : undefined;
  const properties: Record<string, ElicitationPropertySchema> = {};
  for (const [at, question] of questions.entries()) {
    properties[`question_${at}`] = toField(question, single === undefined);
    if (hasChoices(question)) {
      properties[`question_${at}_custom`] = {
        type: 'string',
        title: 'Other',
        description: 'Your own answer instead of the choices.',
      };
    }
  }
  const from = questions[0]?.from;
  const who = from === undefined ? 'The agent' : `The MCP server "${from}"`;
  return {
    message: single?.question ?? `${who} has some questions.`,
    requestedSchema: { type: 'object', properties },
  };
}

function toField(question: FormQuestion, described: boolean): ElicitationPropertySchema {
  const common = {
    ...(question.header ? { title: question.header } : {}),
    ...(described ? { description: question.question } : {}),
  };
  if (!hasChoices(question)) return { type: 'string', ...common };
  const choices = (question.options ?? []).map(({ label, description }) => ({
    const: label,
    title: label,
    ...(description === undefined ? {} : { description }),
  }));
  if (question.multi_select) return { type: 'array', ...common, items: { anyOf: choices } };
  return { type: 'string', ...common, oneOf: choices };
}

function hasChoices(question: FormQuestion): boolean {
  return (question.options ?? []).length > 0;
}

/**
 * The answers in the order of the questions; undefined when the user cancelled. Declining gives
 * empty answers. A value that is not among the choices counts as free text (spec CA-26).
 */
export function toAnswers(
  questions: readonly FormQuestion[],
  response: CreateElicitationResponse,
): readonly (readonly string[])[] | undefined {
  if (response.action === 'decline') return questions.map(() => []);
  if (response.action !== 'accept') return undefined;
  const content = toRecord('content' in response ? response.content : undefined);
  return questions.map((question, at) => {
    const own = content[`question_${at}_custom`];
    if (typeof own === 'string' && own.trim() !== '') return [own];
    return chosen(question, content[`question_${at}`]);
  });
}

function chosen(question: FormQuestion, value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (!Array.isArray(value)) return [];
  const picked = value.filter((each): each is string => typeof each === 'string');
  const labels = (question.options ?? []).map((option) => option.label);
  // In the order of the options, not of the clicks.
  const known = labels.filter((label) => picked.includes(label));
  const all = [...known, ...picked.filter((each) => !labels.includes(each))];
  return question.multi_select ? all : all.slice(0, 1);
}
