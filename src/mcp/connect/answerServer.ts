import { Buffer } from 'node:buffer';
import { pathToFileURL } from 'node:url';
import type { Client, ElicitResult } from '@modelcontextprotocol/client';
import { showHidden, withoutInvisible } from '../../base/hidden.ts';
import { isRecord, toRecord } from '../../base/json.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { McpServer } from '../../base/tools/mcpServer.ts';
import { KB } from '../../base/units.ts';
import type { Question, SessionServices } from '../../runtime/sessionServices.ts';
import { answerSampling, refuse, type SamplingAnswers } from './answerSampling.ts';

export type ServerAsk = NonNullable<SessionServices['askQuestions']>;

export interface ServerAnswers extends SamplingAnswers {
  /** The folders that the server is told of. Absolute. */
  readonly roots: readonly string[];
  /** Asks the user of the call that runs now. Undefined: it has none. Fails with the reason why nobody is asked. */
  asker(): Outcome<ServerAsk | undefined>;
}

/** Answers what a server asks of its client: the folders, questions to the user, and the model. */
export function answerServer(client: Client, server: McpServer, answers: ServerAnswers): void {
  answerSampling(client, answers);
  client.setRequestHandler('roots/list', () => ({
    roots: answers.roots.map((folder) => ({ uri: pathToFileURL(folder).href })),
  }));
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    const asker = answers.asker();
    if (!asker.ok) throw refuse(asker.error);
    const { message, requestedSchema: schema } = Object(params);
    const fault = findFormFault(schema);
    if (fault !== undefined) throw refuse(fault);
    if (asker.data === undefined) return { action: 'decline' };
    return elicit(asker.data, { server, message, schema }, mcpReq.signal);
  });
}

interface Elicitation {
  readonly server: McpServer;
  readonly message: unknown;
  readonly schema: unknown;
}

/** More fields than this are no form for a user. */
const MOST_FIELDS = 20;
/** Of one form, in bytes. */
const MOST_BYTES = 100 * KB;
const TEXT_LENGTH = 1000;

/** A form that was asked in part would be answered in part. */
function findFormFault(schema: unknown): string | undefined {
  const count = Object.keys(toRecord(toRecord(schema)['properties'])).length;
  if (count > MOST_FIELDS) {
    return `A form can have ${MOST_FIELDS} fields here; this one has ${count}.`;
  }
  const bytes = Buffer.byteLength(JSON.stringify(schema ?? {}));
  if (bytes <= MOST_BYTES) return undefined;
  return `A form can have ${MOST_BYTES / KB} KB here; this one has ${bytes} bytes.`;
}

async function elicit(
  ask: ServerAsk,
  { server, message, schema }: Elicitation,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const fields = Object.entries(toRecord(toRecord(schema)['properties']));
  const said = withoutInvisible(String(message)).slice(0, TEXT_LENGTH);
  const from = showHidden(server.name);
  const who = `The MCP server "${from}"`;
  const intro = `${who} asks: ${said}`;
  // Some clients show the questions one by one, and each could pass for one of the agent or of the editor.
  const questions = fields.map(([name, field], at) => {
    const before = at === 0 ? `${intro}\n` : `${who} also asks: `;
    return toQuestion(name, field, { from, before });
  });
  const asked = questions.length > 0 ? questions : [{ question: intro, options: CONFIRM, from }];
  const answered = await ask(asked, signal);
  if (answered === undefined || !answered.ok) return { action: 'cancel' };
  if (questions.length === 0) {
    return answered.data[0]?.[0] === YES
      ? { action: 'accept', content: {} }
      : { action: 'decline' };
  }
  const content: Record<string, string | number | boolean | string[]> = {};
  for (const [at, [name, field]] of fields.entries()) {
    const value = toValue(field, answered.data[at] ?? []);
    if (value !== undefined) content[name] = value;
  }
  const required = toRecord(schema)['required'];
  const isMissing = (name: unknown) => typeof name === 'string' && !Object.hasOwn(content, name);
  if (Array.isArray(required) && required.some(isMissing)) return { action: 'decline' };
  return { action: 'accept', content };
}

const YES = 'Yes';
const CONFIRM = [{ label: YES }, { label: 'No' }];

interface Asking {
  /** The server. */
  readonly from: string;
  /** What stands before the words of the field. */
  readonly before: string;
}

function toQuestion(name: string, field: unknown, { from, before }: Asking): Question {
  const { title, description } = toRecord(field);
  const words = [title ?? name, description].filter((each) => typeof each === 'string');
  const text = withoutInvisible(words.join(': ')).slice(0, TEXT_LENGTH);
  const choices = toChoices(field);
  return {
    ...{ question: before + text, from },
    header: withoutInvisible(name).slice(0, 40),
    ...(choices.length > 1 && { options: choices.map(({ label }) => ({ label })) }),
    ...(toRecord(field)['type'] === 'array' && { multi_select: true }),
  };
}

interface Choice {
  readonly label: string;
  readonly value: string | boolean;
}

/** More than this is no choice for a user. */
const MOST_CHOICES = 100;

function toChoices(field: unknown): readonly Choice[] {
  const all = listChoices(field).slice(0, MOST_CHOICES);
  return all.map(({ label, value }) => ({
    label: withoutInvisible(label).slice(0, TEXT_LENGTH),
    value,
  }));
}

function listChoices(field: unknown): readonly Choice[] {
  const { type, enum: values, enumNames, oneOf, items } = toRecord(field);
  if (type === 'boolean')
    return [
      { label: YES, value: true },
      { label: 'No', value: false },
    ];
  if (type === 'array') return listChoices(items);
  const titled = Array.isArray(oneOf) ? oneOf : toRecord(field)['anyOf'];
  if (Array.isArray(titled)) {
    return titled
      .slice(0, MOST_CHOICES)
      .filter(isRecord)
      .map(({ const: value, title }) => ({
        label: String(title ?? value),
        value: String(value),
      }));
  }
  if (!Array.isArray(values)) return [];
  const names = Array.isArray(enumNames) ? enumNames : [];
  return values
    .slice(0, MOST_CHOICES)
    .map((value, at) => ({ label: String(names[at] ?? value), value: String(value) }));
}

/** The answer in the type of its field; undefined if it was left out or is of another type. */
function toValue(
  field: unknown,
  answers: readonly string[],
): string | number | boolean | string[] | undefined {
  const choices = toChoices(field);
  const value = (label: string) => choices.find((each) => each.label === label)?.value ?? label;
  const { type } = toRecord(field);
  if (type === 'array') return answers.map((each) => String(value(each)));
  const [first] = answers;
  if (first === undefined || first === '') return undefined;
  if (type !== 'number' && type !== 'integer') return value(first);
  const number = Number(first);
  const isValid = Number.isFinite(number) && (type === 'number' || Number.isInteger(number));
  return isValid ? number : undefined;
}
