import { isRecord, parseJson } from '../../base/json.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Tool } from '../../tools/contract.ts';
import { visibleText } from '../manifest/parseIds.ts';
import { getField } from '../manifest/parsePointer.ts';
import {
  callTitle,
  type DeclaredOptions,
  FLOOD,
  GRACE_MS,
  programSubject,
} from '../run/options.ts';
import { runAudited } from '../run/runAudited.ts';
import { baseEnvironment, describeExit, type ProgramResult } from '../run/runProgram.ts';
import { createCheck } from '../run/schema.ts';
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
    check: createCheck(schema ?? true, '2020-12'),
    subjects: (args) => [programSubject(id, args)],
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
  { folders, signal }: Runtime,
): Promise<Outcome<unknown>> {
  const passed = entry.envPassthrough.filter((name) => options.env[name] !== undefined);
  const env = baseEnvironment(options.env);
  for (const name of passed) env[name] = options.env[name] ?? '';
  const argv: [string, ...string[]] = [entry.program, ...entry.command.slice(1)];
  const stdin = JSON.stringify(args ?? {});
  const request = { argv, cwd: folders.cwd, env, stdin, timeoutMs, signal };
  return toOutcome(await runAudited(request, options, { tool: entry.id, envKeys: passed }));
}

function toOutcome(result: ProgramResult): Outcome<unknown> {
  switch (result.ended) {
    case 'timeout':
      return failure('tool timed out');
    case 'abort':
      return failure('The call was aborted.');
    case 'not started':
      return failure(`start: ${result.fault}`);
    case 'flood':
      return failure(`${FLOOD}\n${result.stdout}`);
    case 'exit':
      return result.exitCode === 0 ? success(toData(result.stdout)) : failure(toError(result));
  }
}

/** One JSON value is returned as that value, other text unchanged, no output as `{}` (spec decision 43). */
function toData(stdout: string): unknown {
  const text = stdout.trim();
  if (text === '') return {};
  const value = parseJson(text);
  // A double can't represent long numbers exactly, so the text is kept.
  return value === undefined || /\d{16}/.test(text) ? stdout.replace(/\n$/, '') : value;
}

/** The most bytes of a failure's text (spec A-43). */
const ERROR_BYTES = 1000;

/** The `error` of a JSON object, else the text itself, else how the program ended (spec decision 44). */
function toError(result: ProgramResult): string {
  const text = result.stderr.trim();
  const value = parseJson(text);
  const named = isRecord(value) ? getField(value, 'error') : undefined;
  const said = typeof named === 'string' ? named : text;
  return cut(said === '' ? describeExit(result) : said);
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= ERROR_BYTES) return text;
  return new TextDecoder().decode(bytes.subarray(0, ERROR_BYTES), { stream: true });
}
