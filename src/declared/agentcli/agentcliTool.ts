import { isRecord, parseJson } from '../../base/json.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Tool } from '../../tools/contract.ts';
import { PRIVATE_VARIABLE, visibleText } from '../manifest/parseIds.ts';
import { getField } from '../manifest/parsePointer.ts';
import { callTitle, type DeclaredOptions, GRACE_MS, programSubject } from '../run/options.ts';
import { parseOutput } from '../run/parseOutput.ts';
import { redactValues, secretValues } from '../run/redact.ts';
import { runAudited } from '../run/runAudited.ts';
import {
  flooded,
  quotingFailure,
  type RunOutcome,
  type Said,
  toToolOutcome,
  wholeText,
} from '../run/runOutcome.ts';
import { baseEnvironment, describeExit, type ProgramResult } from '../run/runProgram.ts';
import { createCheck } from '../schemas/createCheck.ts';
import type { AgentcliEntry } from './entry.ts';

/** An agentcli entry as a tool: argv without a shell, JSON on stdin, one line of JSON back (spec A-19 … A-25). */
export function agentcliTool(entry: AgentcliEntry, options: DeclaredOptions): Tool {
  const { schema, timeoutSec, importedId: id } = entry;
  const timeoutMs = timeoutSec > 0 ? timeoutSec * 1000 : options.timeoutMs;
  return {
    id,
    kind: 'other',
    failureContent: 'error',
    description: visibleText(entry.description ?? '') || `The program ${entry.command[0]}.`,
    parameters: schema ?? { type: 'object' },
    requires: { shell: [{ cmd: entry.program, args: entry.command.slice(1) }] },
    check: createCheck({
      schema: schema ?? true,
      otherwise: '2020-12',
      what: `the arguments of ${id}`,
      timeoutMs: options.schemaMs,
    }),
    subjects: (args) => [programSubject(id, args, [entry.program, ...entry.command.slice(1)])],
    title: (args) => callTitle(id, args),
    hangAfterMs: () => timeoutMs + GRACE_MS,
    execute: (args, runtime) => run(entry, options, timeoutMs, args, runtime),
  };
}

async function run(
  entry: AgentcliEntry,
  options: DeclaredOptions,
  timeoutMs: number,
  args: unknown,
  runtime: Runtime,
): Promise<Outcome<unknown>> {
  const { folders, signal, inputText, confined } = runtime;
  const passed = entry.envPassthrough.filter(
    (name) => options.env[name] !== undefined && !PRIVATE_VARIABLE.test(name),
  );
  const env = baseEnvironment(options.env);
  for (const name of passed) env[name] ??= options.env[name] ?? '';
  const argv: [string, ...string[]] = [entry.program, ...entry.command.slice(1)];
  // Parsed JSON loses the digits of large numbers and the order of the names.
  const stdin = inputText ?? JSON.stringify(args ?? {});
  const request = { argv, cwd: folders.cwd, env, stdin, timeoutMs, signal, confined };
  const result = await runAudited(request, options, { tool: entry.id, envKeys: passed });
  const redact = redactValues(secretValues(passed, options.env));
  const outcome = await toToolOutcome(toOutcome(result), redact, runtime, entry.importedId);
  if (!outcome.ok) return outcome;
  const lint = findLint(result);
  return lint === undefined ? outcome : { ...outcome, lint };
}

/** What is wrong with an output that was passed on as text (spec decision 43). */
function findLint({ stdout, isUtf8 }: ProgramResult): string | undefined {
  const text = stdout.trim();
  const parsed = text === '' ? { value: {} } : parseOutput(text, isUtf8);
  if (!('fault' in parsed)) return undefined;
  return `The tool's output was passed on as text: ${parsed.fault}. It should print one line of JSON.`;
}

function toOutcome(result: ProgramResult): RunOutcome {
  switch (result.ended) {
    case 'timeout':
      return failure('tool timed out');
    case 'abort':
      return failure('The call was aborted.');
    case 'not started':
      return failure(`start: ${result.fault}`);
    case 'flood':
      return flooded(result.stdout);
    case 'exit':
      return result.exitCode === 0 ? toData(result) : quotingFailure(toError(result));
  }
}

/** One JSON value is returned as that value, other text unchanged, no output as `{}` (spec decision 43). */
function toData({ stdout, isUtf8 }: ProgramResult): RunOutcome {
  if (!isUtf8) return quotingFailure(wholeText(stdout), NOT_UTF8);
  const text = stdout.trim();
  if (text === '') return success({});
  const parsed = parseOutput(text, isUtf8);
  // A double can't represent long numbers exactly, so the text is kept.
  const isText = 'fault' in parsed || /\d{16}/.test(text);
  return success(isText ? stdout.replace(/\n$/, '') : parsed.value);
}

const NOT_UTF8 = "the tool's output is not valid UTF-8: ";

/** The `error` of a JSON object, else the text itself, else how the program ended (spec decision 44). */
function toError(result: ProgramResult): Said {
  const text = result.stderr.trim();
  const value = parseJson(text);
  const named = isRecord(value) ? getField(value, 'error') : undefined;
  const said = typeof named === 'string' ? named : text;
  return said === '' ? wholeText(describeExit(result)) : { text: said, isCut: result.isStderrCut };
}
