import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** One JSON-RPC line as it was sent. */
export interface Wire {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The sender of a line. Each side numbers its own requests, so ids are ambiguous without it. */
export type Side = 'agent' | 'client';

/** Checks the lines of one connection, in order, against ACP v1's own JSON Schema. */
export interface WireCheck {
  /** The errors in this line; empty when it is valid. */
  check(from: Side, message: Wire): readonly string[];
}

export function createWireCheck(): WireCheck {
  const asked = new Map<string, string>();
  return {
    check(from, message) {
      if (message.method !== undefined) {
        if (message.id !== undefined) asked.set(`${from}:${message.id}`, message.method);
        return checkCall(message.method, message.params);
      }
      const other = from === 'agent' ? 'client' : 'agent';
      const method = asked.get(`${other}:${message.id}`);
      if (method === undefined) return [`a response to nothing: id ${String(message.id)}`];
      return message.error === undefined ? checkResult(method, message.result) : [];
    },
  };
}

/** The errors in one side's lines of a recording, each with its 1-based line number. */
export function checkLines(
  lines: readonly { readonly from: Side; readonly message: Wire }[],
  side?: Side,
): readonly string[] {
  const wire = createWireCheck();
  return lines.flatMap(({ from, message }, at) => {
    const faults = wire.check(from, message);
    return side === undefined || side === from ? faults.map((fault) => `${at + 1}: ${fault}`) : [];
  });
}

function checkCall(method: string, params: unknown): readonly string[] {
  if (method.startsWith('_')) return [];
  const names = METHODS.get(method);
  if (names?.params === undefined) return [`${method} is not a method of ACP v1`];
  return [...faultsOf(names.params, params, method), ...snakeKeys(params, method)];
}

function checkResult(method: string, result: unknown): readonly string[] {
  const name = METHODS.get(method)?.result;
  if (name === undefined) return [];
  return [
    ...faultsOf(name, result ?? {}, `${method} result`),
    ...extraFields(name, result, method),
  ];
}

function faultsOf(name: string, value: unknown, label: string): readonly string[] {
  const validate = validatorOf(name);
  if (validate(value)) return [];
  const fault = validate.errors?.at(-1);
  return [`${label}${fault?.instancePath ?? ''} ${fault?.message ?? ''}`];
}

/** The schema allows unknown fields, but ACP forbids them at the root of a response. */
function extraFields(name: string, result: unknown, method: string): readonly string[] {
  if (typeof result !== 'object' || result === null) return [];
  const known = new Set(['_meta', ...fieldsOf(definitions[name])]);
  return Object.keys(result)
    .filter((key) => !known.has(key))
    .map((key) => `${method} result has the unknown field ${key}`);
}

/** Fields of a definition and of every variant it names. */
function fieldsOf(definition: Definition | undefined): readonly string[] {
  if (definition === undefined) return [];
  const { $ref, properties = {}, anyOf = [], oneOf = [], allOf = [] } = definition;
  const referred = $ref === undefined ? [] : fieldsOf(definitions[$ref.split('/').at(-1) ?? '']);
  const variants = [...anyOf, ...oneOf, ...allOf].flatMap(fieldsOf);
  return [...Object.keys(properties), ...referred, ...variants];
}

/** VC-85: no snake_case key outside `_meta` and raw tool data. */
function snakeKeys(value: unknown, label: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => snakeKeys(each, label));
  return Object.entries(value).flatMap(([key, inner]) => {
    if (RAW.has(key)) return [];
    // A form's fields are data: their names are the agent's own.
    const inside = key === 'properties' ? Object.values(Object(inner)) : inner;
    const own = key.includes('_') ? [`${label} has the key ${key}`] : [];
    return [...own, ...snakeKeys(inside, label)];
  });
}

const RAW = new Set(['_meta', 'rawInput', 'rawOutput']);

interface Definition {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly 'x-method'?: string;
  readonly $ref?: string;
  readonly anyOf?: readonly Definition[];
  readonly oneOf?: readonly Definition[];
  readonly allOf?: readonly Definition[];
}

const schema: { readonly $defs: Readonly<Record<string, Definition>> } = JSON.parse(
  readFileSync(
    createRequire(import.meta.url).resolve('@agentclientprotocol/sdk/schema/v1/schema.json'),
    'utf8',
  ),
);
const definitions = schema.$defs;

const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
ajv.addSchema({ ...schema, $id: 'acp' });

const METHODS = new Map<string, { params?: string; result?: string }>();
for (const [name, { 'x-method': method }] of Object.entries(definitions)) {
  if (method === undefined) continue;
  const names = METHODS.get(method) ?? {};
  METHODS.set(
    method,
    name.endsWith('Response') ? { ...names, result: name } : { ...names, params: name },
  );
}

function validatorOf(name: string): ValidateFunction {
  const validate = ajv.getSchema(`acp#/$defs/${name}`);
  if (validate === undefined) throw new Error(`The schema has no ${name}.`);
  return validate;
}
