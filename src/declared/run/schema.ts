import vm from 'node:vm';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  type Ajv,
  Ajv as Ajv7,
  type ErrorObject,
  type Options,
  type ValidateFunction,
} from 'ajv/dist/ajv.js';
import addFormats from 'ajv-formats';
import { getMessage } from '../../base/faults.ts';
import { isRecord } from '../../base/json.ts';
import {
  type ResolveReference,
  type SchemaDialect,
  schemaDialect,
  toRegExp,
} from '../manifest/parseSchema.ts';
import { inlineSchema } from './inlineSchema.ts';

/** What does not fit, for the model: where, and why. Undefined = the value fits. */
export type Check = (value: unknown) => string | undefined;

/** Milliseconds all patterns of one check may take together (CVE-2025-69873 and its kind). */
const PATTERN_MS = 250;

/**
 * A check of values by a foreign schema: compiled at the first value, never `$data`, nothing fetched,
 * patterns bounded in time. A schema that cannot be compiled lets nothing pass.
 */
export function createCheck(
  schema: unknown,
  otherwise: SchemaDialect,
  resolve: ResolveReference = () => undefined,
): Check {
  let validate: ValidateFunction | undefined;
  return (value) => {
    const budget = { left: PATTERN_MS };
    try {
      validate ??= compile(schema, otherwise, resolve);
      spending = budget;
      return validate(value) === true ? undefined : toSentence(validate.errors?.[0]);
    } catch (error) {
      if (error instanceof PatternTimeout)
        return 'a text takes too long to compare with its pattern';
      return `the schema cannot be used: ${getMessage(error)}`;
    } finally {
      spending = undefined;
    }
  };
}

function compile(
  schema: unknown,
  otherwise: SchemaDialect,
  resolve: ResolveReference,
): ValidateFunction {
  const dialect = schemaDialect(schema, otherwise);
  if (dialect === undefined) throw new Error('unknown schema dialect');
  const whole = isRecord(schema) ? inlineSchema(schema, resolve) : schema;
  return createAjv(dialect).compile(isRecord(whole) ? withoutDialect(whole) : whole === true);
}

function createAjv(dialect: SchemaDialect): Ajv {
  const options: Options = {
    // Foreign schemas hold keywords and types that strict mode forbids but the standard does not.
    strict: false,
    logger: false,
    addUsedSchema: false,
    code: { regExp: boundedRegExp },
  };
  const ajv =
    dialect === 'draft-07'
      ? new Ajv7({ ...options, next: true })
      : dialect === '2019-09'
        ? new Ajv2019(options)
        : new Ajv2020(options);
  addFormats(ajv, { mode: 'fast' });
  return ajv;
}

/** `$schema` has been obeyed by choosing the validator. */
function withoutDialect({ $schema: _, ...schema }: Readonly<Record<string, unknown>>) {
  return schema;
}

class PatternTimeout extends Error {}

/** What the patterns of the running check may still spend. */
let spending: { left: number } | undefined;

function boundedRegExp(pattern: string): RegExp {
  const plain = toRegExp(pattern);
  if (plain === undefined) throw new Error(`${pattern} is not a regular expression`);
  if (isHarmless(pattern)) return plain;
  return Object.defineProperty(plain, 'test', {
    value: (text: string) => (text.length <= 8 ? exec(plain, text) : testInTime(plain, text)),
  });
}
boundedRegExp.code = 'bounded';

/** No repetition of a repetition and at most one that is open: such a pattern takes linear time from each start. */
function isHarmless(pattern: string): boolean {
  return (
    !/[*+{]/.test(pattern) ||
    /^\^(?:\\?[^\\*+{}()|[\]]|\[(?:\\.|[^\]\\])*\])+[*+]?\$?$/.test(pattern)
  );
}

function exec(pattern: RegExp, text: string): boolean {
  return pattern.exec(text) !== null;
}

const room = { pattern: /x/, text: '', found: false };
vm.createContext(room);
const match = new vm.Script('found = pattern.exec(text) !== null');

/** The virtual machine is here for its time limit alone; no foreign code runs in it. */
function testInTime(pattern: RegExp, text: string): boolean {
  const budget = spending ?? { left: PATTERN_MS };
  const started = performance.now();
  Object.assign(room, { pattern, text, found: false });
  try {
    match.runInContext(room, { timeout: Math.max(1, Math.floor(budget.left)) });
    return room.found;
  } catch {
    throw new PatternTimeout();
  } finally {
    budget.left -= performance.now() - started;
    if (budget.left <= 0) budget.left = 1;
  }
}

function toSentence(error: ErrorObject | undefined): string {
  if (error === undefined) return 'the value does not fit the schema';
  const { instancePath, message = 'does not fit', keyword, params } = error;
  const prefix = instancePath === '' ? '' : `${instancePath} `;
  if (keyword === 'additionalProperties') {
    return `${prefix}must not have the property "${params['additionalProperty']}"`;
  }
  if (keyword === 'enum') return `${prefix}${message}: ${JSON.stringify(params['allowedValues'])}`;
  return `${prefix}${message}`;
}
