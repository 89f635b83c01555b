import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { isRecord } from '../base/json.ts';
import { getToolFacts } from '../base/tools/toolFacts.ts';
import type { Operation } from './operation.ts';

/**
 * Why the arguments of a call are not valid, or undefined. Every entry that evaluates a call
 * validates it with this function first, so that all of them give the same answer.
 */
export async function findCallFault(
  operation: Pick<Operation, 'id' | 'parameters' | 'check'>,
  input: unknown,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const fault = operation.check
    ? await operation.check(input, signal)
    : await findSchemaFault(operation.parameters, input);
  if (fault !== undefined) return fault;
  const facts = getToolFacts(operation.id);
  if (facts === undefined || facts.about === 'text' || !isRecord(input)) return undefined;
  // A path with a NUL can't be resolved, so the capability layer refuses it.
  const { [facts.about === 'path' ? facts.argument : '']: _path, ...others } = input;
  return findNul(others);
}

/** The validator's message with the field, or undefined when `input` is valid (spec C-4, C-5). */
export async function findSchemaFault(
  parameters: object,
  input: unknown,
): Promise<string | undefined> {
  const validate = await compile(parameters);
  if (validate(input)) return undefined;
  const [first] = validate.errors ?? [];
  return first === undefined
    ? 'The arguments do not match the schema.'
    : toSentence(first, parameters);
}

/**
 * A lone surrogate cannot be encoded: files, commands and hosts would get another
 * character than the one that was evaluated. Returns an error message, or undefined.
 */
export function findBrokenText(input: unknown, field = ''): string | undefined {
  if (typeof input === 'string') {
    if (input.isWellFormed()) return undefined;
    return `${field || 'The argument'} contains half of a character (a lone surrogate). Send the whole character.`;
  }
  if (typeof input !== 'object' || input === null) return undefined;
  for (const [key, value] of Object.entries(input)) {
    const found =
      findBrokenText(key, field) ?? findBrokenText(value, field ? `${field}/${key}` : key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** No command line, pattern or address can contain a NUL character, and no text file is written with one. */
function findNul(input: unknown, field = ''): string | undefined {
  if (typeof input === 'string') {
    return input.includes('\0')
      ? `${field || 'The argument'} contains a NUL character.`
      : undefined;
  }
  if (typeof input !== 'object' || input === null) return undefined;
  for (const [key, value] of Object.entries(input)) {
    const found = findNul(value, field ? `${field}/${key}` : key);
    if (found !== undefined) return found;
  }
  return undefined;
}

const compiled = new WeakMap<object, ValidateFunction>();

async function compile(parameters: object): Promise<ValidateFunction> {
  const known = compiled.get(parameters);
  if (known !== undefined) return known;
  const ajv = await dialect(parameters);
  const validate = ajv.compile(parameters);
  compiled.set(parameters, validate);
  return validate;
}

let draft07: Promise<Ajv> | undefined;
let draft2020: Promise<Ajv> | undefined;

/** `$schema` if given, else 2020-12 (spec decision 26). Nothing is ever fetched. */
function dialect(parameters: object): Promise<Ajv> {
  if (/draft-07/.test(String(Reflect.get(parameters, '$schema') ?? ''))) {
    draft07 ??= import('./dialects.ts').then(({ createDraft07 }) => createDraft07());
    return draft07;
  }
  draft2020 ??= import('./dialects.ts').then(({ createDraft2020 }) => createDraft2020());
  return draft2020;
}

function toSentence(error: ErrorObject, parameters: object): string {
  const { instancePath, message = 'is invalid', params, keyword, schemaPath } = error;
  const field = instancePath === '' ? 'The arguments' : instancePath.slice(1);
  if (keyword === 'additionalProperties') {
    const known = knownProperties(parameters, schemaPath);
    const instead = known.length === 0 ? '' : `; it may have ${known.join(', ')}`;
    return `${field} must not have the property "${params['additionalProperty']}"${instead}.`;
  }
  if (keyword === 'enum') {
    return `${field} ${message}: ${JSON.stringify(params['allowedValues'])}.`;
  }
  return `${field} ${message}.`;
}

/** The properties of the object schema whose `additionalProperties` is at `schemaPath`; empty when unknown. */
function knownProperties(parameters: object, schemaPath: string): readonly string[] {
  const keys = schemaPath.split('/').slice(1, -1);
  let schema: unknown = parameters;
  for (const key of keys) {
    const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
    schema = Object.hasOwn(Object(schema), name) ? Reflect.get(Object(schema), name) : undefined;
  }
  return Object.keys(Object(Object(schema).properties));
}
