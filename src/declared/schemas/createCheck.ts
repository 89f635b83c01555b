import { isRecord } from '../../base/json.ts';
import { toErrorText } from '../../base/text/boundedText.ts';
import type { ResolveReference, SchemaDialect } from '../manifest/parseSchema.ts';
import { inlineSchema } from './inlineSchema.ts';
import type { SchemaJob } from './schemaRunner.ts';
import { runSchemaJob, type SchemaResult } from './schemaThread.ts';

/** Why the value is invalid, and where, for the model. Undefined if it is valid. */
export type Check = (value: unknown, signal?: AbortSignal) => Promise<string | undefined>;

export interface CheckOptions {
  readonly schema: unknown;
  /** The dialect if the schema names none. */
  readonly otherwise: SchemaDialect;
  readonly resolve?: ResolveReference;
  /** What is validated, for messages: `the arguments of workspace_x`. */
  readonly what: string;
  /** `gatehouse.limits.schemaMs`. */
  readonly timeoutMs: number;
}

/** Numbers the schemas of this process. */
let keys = 0;

/**
 * Validates values against an untrusted schema, in the schema worker, where it is compiled on first use.
 * A schema that can't be compiled rejects every value, and so does one that takes too long for a value.
 */
export function createCheck(options: CheckOptions): Check {
  const { schema, otherwise, resolve = () => undefined, what, timeoutMs } = options;
  const key = ++keys;
  let source: SchemaJob['source'];
  return async (value, signal) => {
    // Such a schema accepts every value, so it needs no thread.
    if (schema === true) return undefined;
    const limits = { timeoutMs, ...(signal && { signal }) };
    const job = { key, value: { json: value } };
    let { result } = await runSchemaJob(job, limits);
    if (result.type === 'unknown') {
      source ??= { schema: isRecord(schema) ? inlineSchema(schema, resolve) : schema, otherwise };
      ({ result } = await runSchemaJob({ ...job, source }, limits));
    }
    return toProblem(result, what);
  };
}

function toProblem(result: SchemaResult, what: string): string | undefined {
  switch (result.type) {
    case 'valid':
      return undefined;
    case 'invalid':
      return result.problem;
    case 'stopped':
      return toErrorText(`validating ${what} against the schema ${result.why}.${toHint(result)}`);
    case 'unusable':
      return toErrorText(`the schema cannot be used: ${result.problem}`);
    case 'malformed':
    case 'unknown':
      return 'the schema cannot be used';
  }
}

function toHint({ reason }: Extract<SchemaResult, { type: 'stopped' }>): string {
  const isComplex = reason === 'timeout' || reason === 'memory';
  return isComplex ? ' The schema or the value is too complex.' : '';
}
