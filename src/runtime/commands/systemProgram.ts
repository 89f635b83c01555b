import { MB } from '../../base/units.ts';
import { childEnvironment } from './environment.ts';
import { startProgram } from './startProgram.ts';

/**
 * Runs a system program and returns its output. Rejects when it fails.
 */
export async function runSystemProgram(argv: readonly [string, ...string[]]): Promise<string> {
  const started = await startProgram({
    argv,
    env: childEnvironment(process.env),
    ending: 'program',
    stderr: 'ignore',
    keep: { stdout: { head: OUTPUT_BYTES } },
    maxStdout: OUTPUT_BYTES,
    until: 'close',
  });
  if (!started.ok) throw new Error(`${argv[0]} could not be started: ${started.fault.message}`);
  const { program } = started;
  const by = await program.ended;
  const { exitCode } = program.status();
  if (by !== 'exit' || exitCode !== 0) throw new Error(`${argv[0]} failed (${exitCode ?? by}).`);
  return program.read('stdout').head;
}

/** More than the longest process list with environments. */
const OUTPUT_BYTES = 64 * MB;
