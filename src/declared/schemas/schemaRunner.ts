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
import { toErrorText } from '../../base/text/boundedText.ts';
import { type SchemaDialect, schemaDialect, toRegExp } from '../manifest/parseSchema.ts';

/** What the schema worker is asked to do. */
export interface SchemaJob {
  /** Names the schema in later jobs; undefined: it is compiled, and not kept. */
  readonly key: number | undefined;
  /** Absent if the worker may know the schema by its key. */
  readonly source?: {
    readonly schema: unknown;
    /** The dialect if the schema names none. */
    readonly otherwise: SchemaDialect;
  };
  /** Absent: the schema is only validated and compiled. */
  readonly value?: { readonly json: unknown };
}

/**
 * What is loaded and compiled once for a dialect. It takes longer than most schemas, so it must not count as
 * the time of the first one.
 */
export interface Preparation {
  readonly dialect: SchemaDialect;
  /** Also the schema that schemas of the dialect match. */
  readonly metaschema: boolean;
}

/** Asks the schema worker to prepare, before the job that it could not start is repeated. */
export interface PrepareJob {
  readonly prepare: Preparation;
}

export type SchemaReply =
  | { readonly type: 'valid' }
  | { readonly type: 'invalid'; readonly problem: string }
  /** The schema can't be compiled. */
  | { readonly type: 'unusable'; readonly problem: string }
  /** The schema does not match the metaschema of its dialect. */
  | { readonly type: 'malformed'; readonly problems: readonly SchemaProblem[] }
  /** The job has to be repeated with its source. */
  | { readonly type: 'unknown' };

export interface SchemaProblem {
  /** Relative to the schema. */
  readonly pointer: string;
  readonly message: string;
}

/** Instead of a reply to a job, and the reply to a preparation. */
export type PrepareReply =
  | { readonly type: 'unprepared'; readonly needs: Preparation }
  | { readonly type: 'prepared' };

/** The most compiled schemas that are kept. */
const KEPT = 500;

/** The most problems listed for one schema. */
const LISTED = 20;

/**
 * Compiles untrusted schemas, without `$data` or fetching, and validates values against them. May take any
 * time and memory, so it runs in the schema worker only.
 */
export function createSchemaRunner(): (job: SchemaJob | PrepareJob) => SchemaReply | PrepareReply {
  const compiled = new Map<number, ValidateFunction>();
  const prepared = new Set<string>();
  return (job) => {
    try {
      if ('prepare' in job) {
        prepare(job.prepare);
        prepared.add(toKey(job.prepare));
        return { type: 'prepared' };
      }
      const { key, source, value } = job;
      const known = key === undefined || value === undefined ? undefined : compiled.get(key);
      if (known === undefined && source === undefined) return { type: 'unknown' };
      if (known === undefined && source !== undefined) {
        const needs = { dialect: getDialect(source), metaschema: value === undefined };
        if (!prepared.has(toKey(needs))) return { type: 'unprepared', needs };
        if (value === undefined) return inspect(source);
      }
      const validate = known ?? make(source);
      if (validate === undefined || value === undefined) return { type: 'unknown' };
      if (compiled.size >= KEPT) compiled.clear();
      if (key !== undefined) compiled.set(key, validate);
      if (validate(value.json) === true) return { type: 'valid' };
      return { type: 'invalid', problem: toErrorText(toSentence(validate.errors?.[0])) };
    } catch (error) {
      return { type: 'unusable', problem: describe(error) };
    }
  };
}

function toKey({ dialect, metaschema }: Preparation): string {
  return JSON.stringify([dialect, metaschema]);
}

/** Node compiles a function when it is called first, so the compiler is called once with common keywords. */
function prepare({ dialect, metaschema: isAll }: Preparation): void {
  const source = { schema: COMMON, otherwise: dialect };
  if (isAll) findProblems(source);
  make(source)?.({ a: ['x'], b: 1 });
}

const COMMON = {
  type: 'object',
  properties: {
    a: { type: 'array', items: { $ref: '#/definitions/a' }, minItems: 1, uniqueItems: true },
    b: { anyOf: [{ type: 'integer', minimum: 0 }, { enum: ['b'] }, { const: null }] },
    c: { oneOf: [{ type: ['number', 'null'] }, { not: { multipleOf: 2 } }] },
    d: { allOf: [{ if: { maxLength: 1 }, else: { pattern: '^d' } }] },
  },
  required: ['a'],
  additionalProperties: false,
  definitions: { a: { type: 'string', minLength: 1, format: 'date-time', default: '' } },
};

function describe(error: unknown): string {
  // A recursive schema and a deep value can overflow the stack.
  if (error instanceof RangeError) return 'it is nested too deeply';
  // Draft 7 knows no `$defs`, so its metaschema allows null there, which ajv does not expect.
  if (error instanceof TypeError) return 'a $ref leads to a value that is not a schema';
  return toErrorText(getMessage(error));
}

type Source = NonNullable<SchemaJob['source']>;

function inspect(source: Source): SchemaReply {
  const problems = findProblems(source);
  if (problems.length > 0) return { type: 'malformed', problems };
  make(source);
  return { type: 'valid' };
}

function make(source: Source | undefined): ValidateFunction | undefined {
  if (source === undefined) return undefined;
  const { schema } = source;
  const ajv = new AJVS[getDialect(source)]({ ...COMPILE });
  addFormats(ajv, { mode: 'fast' });
  return ajv.compile(isRecord(schema) ? withoutDialect(schema) : schema === true);
}

function getDialect({ schema, otherwise }: Source): SchemaDialect {
  const dialect = schemaDialect(schema, otherwise);
  if (dialect === undefined) throw new Error('unknown schema dialect');
  return dialect;
}

const AJVS = { 'draft-07': Ajv7, '2019-09': Ajv2019, '2020-12': Ajv2020 } as const;

const COMPILE: Options = {
  // Schemas of manifests may use keywords and types that the standard allows but strict mode forbids.
  strict: false,
  logger: false,
  // Done by `inspect`: loading a metaschema takes 10 to 40 ms.
  validateSchema: false,
  next: true,
  // Every object inherits names such as `constructor`.
  ownProperties: true,
  code: { regExp },
};

/** `$schema` already selected the validator. */
function withoutDialect({ $schema: _, ...schema }: Readonly<Record<string, unknown>>) {
  return schema;
}

/** Authors often write patterns for the older mode, so both are accepted. */
function regExp(pattern: string): RegExp {
  const found = toRegExp(pattern);
  if (found === undefined) throw new Error(`${pattern} is not a regular expression`);
  return found;
}
regExp.code = 'regExp';

/** Ajv instances are created on first use of their dialect. */
const metaschemas = new Map<SchemaDialect, Ajv>();

function metaschema(dialect: SchemaDialect): Ajv {
  const known = metaschemas.get(dialect);
  if (known) return known;
  const options = {
    strict: false,
    logger: false,
    allErrors: true,
    validateFormats: false,
  } as const;
  const made = new AJVS[dialect](options);
  metaschemas.set(dialect, made);
  return made;
}

function findProblems(source: Source): readonly SchemaProblem[] {
  const { schema } = source;
  if (!isRecord(schema)) return [];
  const ajv = metaschema(getDialect(source));
  if (ajv.validateSchema(withoutDialect(schema)) === true) return [];
  const found = new Map<string, SchemaProblem>();
  for (const { instancePath: pointer, message = 'is not valid' } of ajv.errors ?? []) {
    if (found.size >= LISTED) break;
    if (!found.has(pointer)) found.set(pointer, { pointer, message: toErrorText(message) });
  }
  return [...found.values()];
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
