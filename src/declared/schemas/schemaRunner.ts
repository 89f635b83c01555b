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

/** The most compiled schemas that are kept. */
const KEPT = 500;

/** The most problems listed for one schema. */
const LISTED = 20;

/**
 * Compiles untrusted schemas, without `$data` or fetching, and validates values against them. May take any
 * time and memory, so it runs in the schema worker only.
 */
export function createSchemaRunner(): (job: SchemaJob) => SchemaReply {
  const compiled = new Map<number, ValidateFunction>();
  return ({ key, source, value }) => {
    try {
      if (value === undefined) return source ? inspect(source) : { type: 'unknown' };
      const validate = (key === undefined ? undefined : compiled.get(key)) ?? make(source);
      if (validate === undefined) return { type: 'unknown' };
      if (compiled.size >= KEPT) compiled.clear();
      if (key !== undefined) compiled.set(key, validate);
      if (validate(value.json) === true) return { type: 'valid' };
      return { type: 'invalid', problem: toErrorText(toSentence(validate.errors?.[0])) };
    } catch (error) {
      return { type: 'unusable', problem: describe(error) };
    }
  };
}

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
