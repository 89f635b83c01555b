import { randomUUID } from 'node:crypto';
import { isRecord } from '../../base/json.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { findOnPath } from '../../runtime/commands/onPath.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Tool } from '../../tools/contract.ts';
import { PRIVATE_VARIABLE, visibleText } from '../manifest/parseIds.ts';
import { getField, type JsonObject } from '../manifest/parsePointer.ts';
import type { ResolveReference } from '../manifest/parseSchema.ts';
import { callTitle, type DeclaredOptions, GRACE_MS, programSubject } from '../run/options.ts';
import { parseOutput } from '../run/parseOutput.ts';
import { isSecret, redactValues, secretValues } from '../run/redact.ts';
import { runAudited } from '../run/runAudited.ts';
import {
  flooded,
  quotingFailure,
  type RunOutcome,
  toToolOutcome,
  wholeText,
} from '../run/runOutcome.ts';
import { baseEnvironment, type ProgramResult } from '../run/runProgram.ts';
import { type Check, createCheck } from '../schemas/createCheck.ts';
import { inlineSchema } from '../schemas/inlineSchema.ts';
import type { CompozyEntry } from './entry.ts';
import { evaluateTemplate, toText } from './evaluateTemplate.ts';
import type { CompozyProject } from './parseProject.ts';
import { templatePaths } from './parseTemplate.ts';
import { WORKER } from './worker.ts';

/** What a Compozy tool runs with, besides its project. */
export interface CompozyContext {
  readonly resolve: ResolveReference;
  /** The agent whose `config` overrides count (spec B-7, B-26). */
  readonly agent: string | undefined;
}

interface Running {
  readonly entry: CompozyEntry;
  readonly context: CompozyContext;
  readonly options: DeclaredOptions;
  readonly timeoutMs: number;
  readonly checkOutput: Check;
}

/** A Compozy tool: `fn(input, config)` of the project's entry point, in a Node child of its own (spec decision 49). */
export function compozyTool(
  entry: CompozyEntry,
  context: CompozyContext,
  options: DeclaredOptions,
): Tool {
  const { importedId: id, input, output } = entry;
  const timeoutMs = entry.timeoutMs ?? entry.project.timeoutMs;
  const common = {
    otherwise: 'draft-07',
    resolve: context.resolve,
    timeoutMs: options.schemaMs,
  } as const;
  const checkInput = createCheck({
    ...common,
    schema: input ?? true,
    what: `the arguments of ${id}`,
  });
  const checkOutput = createCheck({
    ...common,
    schema: output ?? true,
    what: `the result of ${id}`,
  });
  const running = { entry, context, options, timeoutMs, checkOutput };
  return {
    id,
    kind: 'other',
    description: visibleText(entry.description ?? '') || `The tool ${entry.id} of the project.`,
    parameters: toParameters(entry, context.resolve),
    // Exactly the evaluated command: without `args`, `bash` could run the runtime with any.
    requires: { shell: [{ cmd: entry.project.runtime, args: [] }] },
    check: async (args, signal) => {
      const problem = await checkInput(merge(entry, args), signal);
      return (
        problem &&
        `TOOL_INVALID_INPUT: validation error for ${entry.id}: schema validation failed: ${problem}`
      );
    },
    subjects: (args) => [programSubject(id, args, [entry.project.runtime])],
    title: (args) => callTitle(id, args),
    hangAfterMs: () => timeoutMs + GRACE_MS,
    execute: (args, runtime) => run(running, args, runtime),
  };
}

/** The schema for the model: fields that `with` fills in are not required (spec B-16). */
function toParameters({ input, with: defaults }: CompozyEntry, resolve: ResolveReference): object {
  const schema = { type: 'object', ...(input && inlineSchema(input, resolve)) };
  const required = isRecord(input) ? getField(input, 'required') : undefined;
  if (!Array.isArray(required)) return schema;
  return { ...schema, required: required.filter((name) => !Object.hasOwn(defaults, String(name))) };
}

/** Shallow: the schema's top-level defaults, then `with`, then the call (spec B-16, B-24, decision 50). */
function merge({ input, with: defaults }: CompozyEntry, args: unknown): unknown {
  if (!isRecord(args) && args !== undefined && args !== null) return args;
  const properties = isRecord(input) ? getField(input, 'properties') : undefined;
  const fallbacks = Object.entries(isRecord(properties) ? properties : {}).flatMap(
    ([name, property]) =>
      isRecord(property) && Object.hasOwn(property, 'default')
        ? [[name, getField(property, 'default')] as const]
        : [],
  );
  return Object.fromEntries([
    ...fallbacks,
    ...Object.entries(defaults),
    ...Object.entries(isRecord(args) ? args : {}),
  ]);
}

async function run(running: Running, args: unknown, runtime: Runtime): Promise<Outcome<unknown>> {
  const { entry, context, options, timeoutMs } = running;
  const input = merge(entry, args);
  const own = ownEnvironment(entry, options.env, input);
  if (!own.ok) return failure(`TOOL_EXECUTION_ERROR: ${own.error}`);
  const redact = redactValues(findSecrets(entry, own.data, options.env));
  const { project } = entry;
  const request = {
    tool_id: entry.id,
    tool_exec_id: randomUUID(),
    input,
    config: { ...entry.config, ...agentConfig(project, context.agent, entry.id) },
    timeout_ms: timeoutMs,
    entrypoint: project.entrypoint,
  };
  const program = toProgram(project, options.env);
  if (program === undefined) return failure(NO_BUN);
  const result = await runAudited(
    {
      argv: program.argv,
      cwd: project.folder,
      env: { ...baseEnvironment(options.env), ...program.env, ...own.data },
      stdin: JSON.stringify(request),
      timeoutMs,
      signal: runtime.signal,
      confined: runtime.confined,
    },
    options,
    {
      tool: entry.id,
      argv: [program.argv[0], project.entrypoint],
      envKeys: entry.env.map(({ name }) => name),
    },
  );
  const outcome = await toOutcome(running, result, runtime.signal);
  return toToolOutcome(outcome, redact, runtime, entry.importedId);
}

/**
 * Values written in the manifest are not secret. Those that a template reads from our environment are, when
 * either name says so, or their form. A tool may take them out of the text that they were put into.
 */
function findSecrets(
  { env }: CompozyEntry,
  values: Readonly<Record<string, string>>,
  from: NodeJS.ProcessEnv,
): readonly string[] {
  return env.flatMap(({ name, value }) => {
    const paths = templatePaths(value).filter(([root]) => root === 'env');
    const read = paths.flatMap(([, variable]) => variable ?? []);
    const given = values[name] ?? '';
    if (read.length > 0 && isSecret(name, given)) {
      return [...secretValues([name], values), ...read.map((each) => from[each] ?? '')];
    }
    const inner = secretValues(read, from);
    return inner.length === 0 ? [] : [given, ...inner];
  });
}

/** The tool's own variables (spec B-8), with templates evaluated (spec B-9). */
function ownEnvironment(
  entry: CompozyEntry,
  env: NodeJS.ProcessEnv,
  input: unknown,
): Outcome<Readonly<Record<string, string>>> {
  const visible = Object.entries(env).filter(([name]) => !PRIVATE_VARIABLE.test(name));
  const scope = { env: Object.fromEntries(visible), project: entry.project.value, input };
  const values: Record<string, string> = {};
  for (const { name, value } of entry.env) {
    const evaluated = evaluateTemplate(value, scope);
    if (!evaluated.ok) return evaluated;
    const text = toText(evaluated.data);
    if (/[\n\r\0]/.test(text)) {
      return failure(
        `environment variable "${name}" contains invalid characters (newline or null byte)`,
      );
    }
    values[name] = text;
  }
  return success(values);
}

/** `config` that the project gives one agent for this tool: later values win (spec B-26). */
function agentConfig(
  { value }: CompozyProject,
  agent: string | undefined,
  tool: string,
): JsonObject {
  const agents = getField(value, 'agents');
  const named = (Array.isArray(agents) ? agents : []).find(
    (each: unknown) => isRecord(each) && getField(each, 'id') === agent,
  );
  const tools = isRecord(named) ? getField(named, 'tools') : undefined;
  const own = (Array.isArray(tools) ? tools : []).find(
    (each: unknown) => isRecord(each) && getField(each, 'id') === tool,
  );
  const config = isRecord(own) ? getField(own, 'config') : undefined;
  return isRecord(config) ? config : {};
}

/** Enums and namespaces are more than types, so they can't just be removed. */
const TRANSFORM = '--experimental-transform-types';
const TYPESCRIPT = [
  '--disable-warning=ExperimentalWarning',
  ...(process.allowedNodeEnvironmentFlags.has(TRANSFORM) ? [TRANSFORM] : []),
];

/** Another runtime would run the project's code differently, so it takes no other's place. */
const NO_BUN = 'TOOL_EXECUTION_ERROR: bun executable not found in PATH. The tool was not run.';

interface WorkerProgram {
  readonly argv: [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

/** Undefined when the project's runtime is missing. */
function toProgram({ runtime }: CompozyProject, env: NodeJS.ProcessEnv): WorkerProgram | undefined {
  if (runtime === 'bun') {
    const bun = findOnPath('bun', env['PATH']);
    return bun === undefined ? undefined : { argv: [bun, '-e', WORKER], env: {} };
  }
  const flags = [...TYPESCRIPT, '--input-type=module', '--eval', WORKER];
  // The editor's executable runs as Node only with this variable; the worker deletes it.
  const isEditor = process.versions['electron'] !== undefined;
  return { argv: [process.execPath, ...flags], env: isEditor ? { ELECTRON_RUN_AS_NODE: '1' } : {} };
}

async function toOutcome(
  running: Running,
  result: ProgramResult,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { timeoutMs } = running;
  if (result.ended === 'timeout') {
    return failure(`TOOL_EXECUTION_ERROR: Tool execution timed out after ${timeoutMs}ms`);
  }
  if (result.ended === 'abort') return failure('TOOL_EXECUTION_ERROR: The call was aborted.');
  if (result.ended === 'flood') return flooded(result.stdout, 'TOOL_EXECUTION_ERROR: ');
  if (result.ended === 'not started')
    return failure(`TOOL_EXECUTION_ERROR: start: ${result.fault}`);
  const reply = parseOutput(result.stdout, result.isUtf8);
  if ('value' in reply && isRecord(reply.value) && Object.hasOwn(reply.value, 'result')) {
    return toResult(running, reply.value, signal);
  }
  if (result.stdout.trim() === '') {
    const prefix = `TOOL_EXECUTION_ERROR: ${running.entry.project.runtime} process failed (exit ${result.exitCode ?? -1}): `;
    return quotingFailure({ text: result.stderr.trim(), isCut: result.isStderrCut }, prefix);
  }
  const text =
    'tool produced non-JSON output, indicating a potential error or malformed response: ';
  return quotingFailure(wholeText(result.stdout), `TOOL_EXECUTION_ERROR: ${text}`);
}

async function toResult(
  { entry, checkOutput }: Running,
  reply: JsonObject,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const error = getField(reply, 'error');
  if (isRecord(error)) {
    const code =
      getField(error, 'name') === 'ToolNotFound'
        ? 'TOOL_NOT_FOUND: '
        : 'TOOL_EXECUTION_ERROR: tool execution failed: ';
    return quotingFailure(wholeText(String(getField(error, 'message'))), code);
  }
  const result = getField(reply, 'result') ?? {};
  const value = isRecord(result) ? result : { value: result };
  if (isFailure(value))
    return quotingFailure(wholeText(failureText(value)), 'TOOL_EXECUTION_ERROR: ');
  const problem = await checkOutput(value, signal);
  if (problem === undefined) return success(value);
  const text = `validation error for ${entry.id}: schema validation failed: ${problem}`;
  return failure(`TOOL_INVALID_OUTPUT: ${text}. The tool has already run.`);
}

/** A tool reports a failure inside its output, by `error`, `success` or `ok` (spec B-42). */
function isFailure(value: JsonObject): boolean {
  const { error, success: succeeded, ok } = value;
  return (
    (error !== undefined && error !== null && error !== '') || succeeded === false || ok === false
  );
}

function failureText({ error, message }: JsonObject): string {
  const inner = isRecord(error) ? getField(error, 'message') : error;
  const text = [inner, message].find((each) => typeof each === 'string' && each !== '');
  return typeof text === 'string' ? text : 'Tool execution failed';
}
