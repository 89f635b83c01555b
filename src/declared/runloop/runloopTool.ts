import { randomUUID } from 'node:crypto';
import { isRecord } from '../../base/json.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { RequirementSet } from '../../permissions/rules/requirements.ts';
import type { Subject } from '../../permissions/rules/subject.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Tool } from '../../tools/contract.ts';
import { visibleText } from '../manifest/parseIds.ts';
import { getField, pointerTo } from '../manifest/parsePointer.ts';
import type { ResolveReference } from '../manifest/parseSchema.ts';
import { callTitle, type DeclaredOptions, GRACE_MS, programSubject } from '../run/options.ts';
import { redactDeep, redactValues } from '../run/redact.ts';
import { type RunOutcome, toToolOutcome } from '../run/runOutcome.ts';
import { type Check, createCheck } from '../schemas/createCheck.ts';
import { inlineSchema } from '../schemas/inlineSchema.ts';
import type { RunloopEntry } from './entry.ts';
import { toDigest } from './parseBundle.ts';
import { type Caps, denyReason } from './parseCaps.ts';
import { findNeeds } from './parseNeeds.ts';
import { runExec } from './runExec.ts';
import { fillUrl, runHttp } from './runHttp.ts';

/** The bundle's name, grants and schemas, which an attachment runs with. */
export interface RunloopContext {
  /** The agent of the bundle. */
  readonly agent: string;
  readonly caps: Caps;
  readonly resolve: ResolveReference;
}

interface Running {
  readonly entry: RunloopEntry;
  readonly context: RunloopContext;
  readonly options: DeclaredOptions;
  readonly checkResult: Check;
}

/** A Runloop attachment as a tool (spec D-22 … D-27, DA-1 … DA-16). */
export function runloopTool(
  entry: RunloopEntry,
  context: RunloopContext,
  options: DeclaredOptions,
): Tool {
  const { importedId: id, inputSchema, resultSchema, transport } = entry;
  const common = {
    otherwise: '2020-12',
    resolve: context.resolve,
    timeoutMs: options.schemaMs,
  } as const;
  const checkInput = createCheck({
    ...common,
    schema: inputSchema,
    what: `the arguments of ${id}`,
  });
  const checkResult = createCheck({
    ...common,
    schema: resultSchema,
    what: `the result of ${id}`,
  });
  const running = { entry, context, options, checkResult };
  const confirmation = options.confirmExternalActions ? 'ask' : 'user';
  return {
    id,
    kind: transport.kind === 'http' ? 'fetch' : 'other',
    description: visibleText(entry.description) || entry.id,
    parameters: toParameters(inputSchema, context.resolve),
    requires: toRequirements(entry),
    check: checkInput,
    ...(entry.requiresConfirmation && { confirmation }),
    subjects: (args) => toSubjects(entry, args),
    title: (args) => callTitle(id, args),
    hangAfterMs: () => options.timeoutMs + GRACE_MS,
    execute: (args, runtime) => run(running, args, runtime),
  };
}

/** The schema for the model, with references inlined and an object at the root. */
function toParameters(schema: object | boolean, resolve: ResolveReference): object {
  if (typeof schema === 'boolean') return { type: 'object' };
  return { type: 'object', ...inlineSchema(schema, resolve) };
}

function toRequirements({ transport }: RunloopEntry): RequirementSet {
  // Exactly the evaluated command: without `args`, `bash` could run the program with any.
  if (transport.kind === 'exec') return { shell: [{ cmd: transport.command, args: [] }] };
  const { host, hostname, port } = new URL(transport.url.replaceAll(/\{[^{}]*\}/g, 'x'));
  return { net: { hosts: [port === '' ? hostname : host] } };
}

function toSubjects(entry: RunloopEntry, args: unknown): readonly [Subject, ...Subject[]] {
  const permission = entry.importedId;
  if (entry.transport.kind === 'exec')
    return [programSubject(permission, args, [entry.transport.command])];
  const url = fillUrl(entry.transport.url, args);
  const address = url.ok ? url.data : entry.transport.url.replaceAll(/\{[^{}]*\}/g, 'x');
  return [
    { permission, capability: 'net.fetch', target: address, match: 'host' },
    { permission, target: JSON.stringify(args ?? {}), match: 'text' },
  ];
}

async function run(running: Running, args: unknown, runtime: Runtime): Promise<Outcome<unknown>> {
  const { entry, context, options } = running;
  const denied = deniedNeed(entry, context, options, { op: 'call', args });
  if (denied !== undefined) return failure(denied);
  const unpriced = findUnpriced(entry, runtime);
  if (unpriced !== undefined) return failure(unpriced);
  const secrets = await resolveSecrets(running, args);
  if (!secrets.ok) return secrets;
  const redact = redactValues([...secrets.data.values()]);
  const invocation_id = randomUUID();
  const shared = { v: 1, tool: entry.id, invocation_id, ...schemaReferences(entry) };
  const schema = toReference(entry, 'input_schema', entry.inputSchema);
  const frame = { ...shared, schema, args: redactDeep(args, redact) };
  options.audit({ event: 'CT_TOOL_CALL', frame: 3, body: frame, tags: entry.tags });
  const { timeoutMs } = options;
  const call = { entry, args, secrets: secrets.data, timeoutMs, runtime, options };
  const raw = await (entry.transport.kind === 'exec' ? runExec(call) : runHttp(call));
  const validated = raw.ok ? await validateResult(running, raw.data, runtime) : raw;
  const outcome = await toToolOutcome(validated, redact, runtime, entry.importedId);
  const body = outcome.ok ? { result: outcome.data } : { result: null, error: outcome.error };
  options.audit({
    event: 'CT_TOOL_RESULT',
    frame: 4,
    body: { ...shared, schema: toReference(entry, 'result_schema', entry.resultSchema), ...body },
    tags: entry.tags,
  });
  return outcome;
}

/** The names of the entry's further schemas, each with the id that it stands for or its position in the document. */
function schemaReferences({ schemaRefs, pointer }: RunloopEntry): {
  readonly schema_refs?: object;
} {
  const references = Object.entries(schemaRefs).map(([name, schema]) => {
    const position = `#${pointerTo(`${pointer}/schema_refs`, name)}`;
    return [name, typeof schema === 'string' ? schema : position] as const;
  });
  return references.length === 0 ? {} : { schema_refs: Object.fromEntries(references) };
}

/** The reference that a payload's schema is, else its position in the document (spec D-26). */
function toReference(
  { pointer }: RunloopEntry,
  field: 'input_schema' | 'result_schema',
  schema: object | boolean,
): string {
  const reference = isRecord(schema) ? getField(schema, '$ref') : undefined;
  return typeof reference === 'string' ? reference : `#${pointer}/${field}`;
}

/**
 * Why the tool is denied, with its audit event; undefined when every need is granted. Checked before
 * the tool is offered, and again for each call (spec D-22, D-40).
 */
export function deniedNeed(
  entry: RunloopEntry,
  context: RunloopContext,
  options: DeclaredOptions,
  { op, args }: { readonly op: 'expose' | 'call'; readonly args?: unknown },
): string | undefined {
  for (const { label, need } of findNeeds(entry)) {
    const reason = denyReason(context.caps, need);
    if (reason === undefined) continue;
    const cap = need.family === 'unknown' ? label : need.family;
    return deny({ context, options }, { cap, op, target: label, reason }, args);
  }
  return undefined;
}

/** Writes the denial to the audit log and returns its text. */
function deny(
  { context, options }: Pick<Running, 'context' | 'options'>,
  denial: Record<'cap' | 'op' | 'target' | 'reason', string>,
  args: unknown,
): string {
  const { cap, op, target, reason } = denial;
  options.audit({
    event: 'cap.audit',
    kind: 'cap_denied',
    agent: context.agent,
    cap,
    op,
    target,
    args_hash: toDigest(Buffer.from(JSON.stringify(args ?? null))),
    decision: 'deny',
    severity: 'warning',
    reason,
  });
  return `capability denied: cap=${cap}, op=${op}, detail=${target}, reason=${reason}`;
}

/** Resolves all secrets; a missing one fails the call (spec D-23, D-24). */
async function resolveSecrets(
  running: Running,
  args: unknown,
): Promise<Outcome<ReadonlyMap<string, string>>> {
  const values = new Map<string, string>();
  const { entry, options } = running;
  for (const id of entry.secrets) {
    const value = await options.secrets.get(id);
    if (value === undefined || value === '') {
      const denial = { cap: 'secrets', op: 'resolve', target: id, reason: 'secret_unknown' };
      return failure(deny(running, denial, args));
    }
    values.set(id, value);
  }
  return success(values);
}

/** Characters per token, as estimated everywhere in the product (spec CS-48). */
const TOKEN = 4;

/** A budget that could not be held ends the call before it runs (spec D-19). Without a model, nothing is paid. */
function findUnpriced({ budget }: RunloopEntry, { session }: Runtime): string | undefined {
  const price = session?.inputPrice;
  if (budget.usd === undefined || price === undefined || price.perMillion !== undefined)
    return undefined;
  return "budget.usd cannot be held, because the price of the session's model is unknown, so the tool was not run: choose a model with a known price, or limit budget.tokens instead";
}

/** Checks the result against its schema and its budget (spec DA-3, DA-16). */
async function validateResult(
  { entry, checkResult }: Running,
  value: unknown,
  { signal, session }: Runtime,
): Promise<RunOutcome> {
  const problem = await checkResult(value, signal);
  if (problem !== undefined) return failure(`the result does not match result_schema: ${problem}`);
  const { tokens, usd } = entry.budget;
  const used = Math.ceil((JSON.stringify(value) ?? '').length / TOKEN);
  if (tokens !== undefined && used > tokens)
    return failure(`budget exceeded: the result takes about ${used} tokens of ${tokens}`);
  const cost = (used * (session?.inputPrice?.perMillion ?? 0)) / 1_000_000;
  if (usd === undefined || cost <= usd) return success(value);
  return failure(
    `budget exceeded: the model takes about $${cost.toPrecision(2)} to read the result, of $${usd}`,
  );
}
