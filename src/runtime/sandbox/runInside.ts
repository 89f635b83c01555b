import { failure, type Outcome, success } from '../../base/outcome.ts';
import { MB } from '../../base/units.ts';
import { startProgram } from '../commands/startProgram.ts';
import { prepareRun, type RunPlan } from './prepareRun.ts';

/** A program of ours to run in a sandbox, to look at it from inside. */
export interface InsideRun {
  readonly argv: readonly [string, ...(readonly string[])];
  readonly cwd: string;
  readonly stdin?: Buffer;
  readonly signal?: AbortSignal;
}

/** Its standard output in bytes. Fails with what it printed when it fails or takes too long. */
export async function runInside(plan: RunPlan, run: InsideRun): Promise<Outcome<Buffer>> {
  const prepared = prepareRun(plan, {
    argv: [...run.argv],
    cwd: run.cwd,
    env: { PATH: SYSTEM_PATH },
  });
  if (!prepared.ok) return prepared;
  const { launch, descriptors, after } = prepared.data;
  const started = await startProgram({
    ...launch,
    descriptors,
    ending: 'group',
    keep: { stderr: { head: 1000 } },
    maxStdout: OUTPUT_BYTES,
    timeoutMs: LIMIT_MS,
    until: 'close',
    ...(run.stdin && { stdin: { content: run.stdin } }),
    ...(run.signal && { signal: run.signal }),
  });
  if (!started.ok) {
    await after();
    return failure(started.fault.message);
  }
  const { program } = started;
  const output: Buffer[] = [];
  program.onOutput((bytes, from) => {
    if (from === 'stdout') output.push(bytes);
  });
  const by = await program.ended;
  const { exitCode } = program.status();
  const whole = await after();
  if (by === 'exit' && exitCode === 0 && whole.ok) return success(Buffer.concat(output));
  return failure(program.read('stderr').head.trim() || `It ended by ${by}, code ${exitCode}.`);
}

const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';
const OUTPUT_BYTES = 64 * MB;
const LIMIT_MS = 30_000;
