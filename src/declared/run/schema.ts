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

/** Why the value is invalid, and where, for the model. Undefined if it is valid. */
export type Check = (value: unknown) => string | undefined;

/** The time limit for all patterns of one check, in milliseconds (CVE-2025-69873 and its kind). */
const PATTERN_MS = 250;

/**
 * Validates values against an untrusted schema: compiled on first use, without `$data` or fetching,
 * with a time limit for patterns. A schema that can't be compiled rejects every value.
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
        return 'matching a string against its pattern takes too long';
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
    // Schemas of manifests may use keywords and types that the standard allows but strict mode forbids.
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

/** `$schema` already selected the validator. */
function withoutDialect({ $schema: _, ...schema }: Readonly<Record<string, unknown>>) {
  return schema;
}

class PatternTimeout extends Error {}

/** The time left for the patterns of the running check. */
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

/** No nested repetition and at most one unbounded one: such patterns take linear time from each start. */
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

/** The VM is used only for its time limit; no untrusted code runs in it. */
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
