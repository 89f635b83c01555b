import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { failure, success } from '../../base/outcome.ts';
import { secretVariable } from '../manifest/parseIds.ts';
import { parseOutput } from '../run/parseOutput.ts';
import { runAudited } from '../run/runAudited.ts';
import { flooded, quotingFailure, type RunOutcome, wholeText } from '../run/runOutcome.ts';
import { baseEnvironment, describeExit, type ProgramResult } from '../run/runProgram.ts';
import type { Invocation } from './invocation.ts';

/**
 * The `exec` transport (spec DA-1 … DA-3, DA-7): argv is the command, the path of a file with the input as
 * JSON, and the fixed arguments; standard input is closed; secrets are variables.
 */
export async function runExec(invocation: Invocation): Promise<RunOutcome> {
  const { entry, args, secrets, timeoutMs, runtime, options } = invocation;
  const { transport } = entry;
  if (transport.kind !== 'exec') return failure('not an exec transport');
  const env = baseEnvironment(options.env);
  for (const [id, value] of secrets) {
    if (value.includes('\0'))
      return failure(`secret ${id} cannot be a variable: it contains a NUL character`);
    env[secretVariable(id)] = value;
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'gatehouse-'));
  try {
    const blob = path.join(folder, 'input.json');
    await writeFile(blob, JSON.stringify(args ?? {}), { mode: 0o600 });
    const argv: [string, ...string[]] = [transport.command, blob, ...transport.args];
    const { signal, folders, confined } = runtime;
    const where = { argv, cwd: folders.cwd, env, reads: [blob], confined };
    const request = { ...where, stdin: undefined, timeoutMs, signal };
    const envKeys = [...secrets.keys()].map(secretVariable);
    const audited = { tool: entry.id, envKeys, tags: entry.tags };
    return toOutcome(await runAudited(request, options, audited), timeoutMs);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function toOutcome(result: ProgramResult, timeoutMs: number): RunOutcome {
  if (result.ended === 'timeout') return failure(`the tool timed out after ${timeoutMs} ms`);
  if (result.ended === 'abort') return failure('The call was aborted.');
  if (result.ended === 'flood') return flooded(result.stdout);
  if (result.ended === 'not started') return failure(`start: ${result.fault}`);
  if (result.exitCode !== 0) {
    const said = result.stderr.trim();
    const exit = describeExit(result);
    if (said === '') return failure(exit);
    return quotingFailure({ text: said, isCut: result.isStderrCut }, `${exit}: `);
  }
  const parsed = parseOutput(result.stdout, result.isUtf8);
  if ('value' in parsed) return success(parsed.value);
  return quotingFailure(
    wholeText(result.stdout),
    `the tool's output cannot be used: ${parsed.fault}: `,
  );
}
