import { fieldAt } from '../../base/json.ts';
import { ReusedWorker } from '../../runtime/workers/reusedWorker.ts';
import type { WorkerFault, WorkerResult } from '../../runtime/workers/runWorker.ts';
import type { SchemaJob, SchemaProblem, SchemaReply } from './schemaRunner.ts';

/** The limits of one job. */
export interface SchemaLimits {
  /** `gatehouse.limits.schemaMs`. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** `stopped`: without a result; `why` completes "The validation". */
export type SchemaResult =
  | SchemaReply
  | {
      readonly type: 'stopped';
      readonly reason: WorkerFault['reason'];
      readonly why: string;
    };

export interface SchemaRun {
  readonly result: SchemaResult;
  /** How much of its time limit the job has used. */
  readonly spentMs: number;
}

/** The memory of the thread, in MB. */
const MEMORY_MB = 64;

/** One thread for all schemas of the process. It starts with the first job. */
const thread = new ReusedWorker({
  // In the bundles, the program is next to the host's.
  program: new URL(
    import.meta.url.endsWith('.ts') ? './schemaWorker.ts' : '../host/schemaWorker.mjs',
    import.meta.url,
  ),
  resourceLimits: {
    maxOldGenerationSizeMb: MEMORY_MB,
    maxYoungGenerationSizeMb: 16,
    stackSizeMb: 4,
  },
});

/** Runs a job in the schema worker. What the thread prepares for it does not count as its time. */
export async function runSchemaJob(job: SchemaJob, limits: SchemaLimits): Promise<SchemaRun> {
  // The thread may be replaced after it was prepared, because of another job.
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const run = await thread.run(job, limits);
    const needs = run.ok ? fieldAt(run.message, 'needs') : undefined;
    if (needs === undefined) return { result: toResult(run, limits), spentMs: run.spentMs };
    const preparing = { ...limits, timeoutMs: PREPARE_MS };
    const prepared = await thread.run({ prepare: needs }, preparing);
    if (!prepared.ok) return { result: toResult(prepared, preparing), spentMs: 0 };
  }
  const why = 'failed: other schemas ended its thread again and again';
  return { result: { type: 'stopped', reason: 'failed', why }, spentMs: 0 };
}

/** Takes about 50 ms. */
const PREPARE_MS = 60_000;

const ATTEMPTS = 5;

function toResult(run: WorkerResult, { timeoutMs }: SchemaLimits): SchemaResult {
  if (run.ok) {
    const why = 'failed: its reply is not readable';
    return toReply(run.message) ?? { type: 'stopped', reason: 'failed', why };
  }
  const { reason, message } = run.fault;
  return { type: 'stopped', reason, why: describe(reason, message, timeoutMs) };
}

function describe(reason: WorkerFault['reason'], message: string, timeoutMs: number): string {
  switch (reason) {
    case 'timeout':
      return `takes longer than ${timeoutMs} ms (gatehouse.limits.schemaMs)`;
    case 'memory':
      return `needs more than ${MEMORY_MB} MB of memory`;
    case 'abort':
      return 'was aborted';
    case 'failed':
      return `failed: ${message}`;
  }
}

/** The thread runs our own program, so only the types that differ are told apart. */
function toReply(message: unknown): SchemaReply | undefined {
  const type = fieldAt(message, 'type');
  if (type === 'valid' || type === 'unknown') return { type };
  if (type === 'malformed') return { type, problems: toProblems(fieldAt(message, 'problems')) };
  if (type !== 'invalid' && type !== 'unusable') return undefined;
  return { type, problem: String(fieldAt(message, 'problem')) };
}

function toProblems(list: unknown): readonly SchemaProblem[] {
  return (Array.isArray(list) ? list : []).map((each: unknown) => ({
    pointer: String(fieldAt(each, 'pointer')),
    message: String(fieldAt(each, 'message')),
  }));
}
