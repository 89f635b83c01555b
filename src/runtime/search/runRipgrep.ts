import { failure, type Outcome, success } from '../../base/outcome.ts';
import { childEnvironment } from '../commands/environment.ts';
import type { KeptText } from '../commands/keptOutput.ts';
import { startProgram } from '../commands/startProgram.ts';
import type { GrepQuery } from '../searchQuery.ts';

interface RipgrepRun {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** The byte that ends a row. */
  readonly separator: 0 | 10;
  /** Text to search instead of files. */
  readonly input?: Buffer;
  /** Return false to stop the search. */
  onRow(row: Buffer): boolean;
}

/** Runs ripgrep and passes its rows on as bytes. */
export async function runRipgrep(
  rg: string,
  args: readonly string[],
  { cwd, signal, separator, input, onRow }: RipgrepRun,
): Promise<Outcome<void>> {
  const started = await startProgram({
    argv: [rg, ...args],
    cwd,
    env: childEnvironment(process.env),
    ending: 'program',
    stdin: { content: input ?? '' },
    keep: { stderr: { head: 600, tail: 1400 } },
    signal,
    until: 'close',
  });
  if (!started.ok) {
    if (started.fault.reason === 'aborted') return failure(ABORTED);
    return failure(`ripgrep could not be started: ${started.fault.message}`);
  }
  const { program } = started;
  const rows = splitRows(separator, onRow);
  program.onOutput((bytes, from) => {
    if (from === 'stdout' && !rows.add(bytes)) void program.end();
  });
  const by = await program.ended;
  // Closed only after the last rows were read.
  const { exitCode } = await program.closed;
  if (by === 'abort') return failure(ABORTED);
  // Exit code 0 means matches, 1 none, 2 an error. Stopping it on purpose is not an error.
  if (rows.stopped() || exitCode === 0 || exitCode === 1) return success(undefined);
  // Messages about single files are turned off, so nothing on stderr means that only some files
  // were unreadable.
  const message = describeErrors(program.read('stderr'));
  return message === '' ? success(undefined) : failure(message);
}

const ABORTED = 'The search was aborted.';

/** Splits output into rows until a row is refused. */
function splitRows(separator: number, onRow: (row: Buffer) => boolean) {
  let rest: Buffer | undefined;
  let stopped = false;
  return {
    stopped: () => stopped,
    /** False after a row was refused. */
    add(chunk: Buffer): boolean {
      if (stopped) return false;
      const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
      let at = 0;
      for (let end = bytes.indexOf(separator); end >= 0; end = bytes.indexOf(separator, at)) {
        stopped = !onRow(bytes.subarray(at, end));
        if (stopped) return false;
        at = end + 1;
      }
      rest = at < bytes.length ? bytes.subarray(at) : undefined;
      return true;
    },
  };
}

/** Output options; the same for files and for documents on standard input. */
export function toShapeOptions({ output, context = 0, ignoreCase }: GrepQuery): readonly string[] {
  const rows = {
    files: ['--files-with-matches', '--null'],
    count: ['--count', '--null', '--with-filename'],
    content: ['--null', '--line-number', '--with-filename', '--no-heading', `--context=${context}`],
  }[output];
  // ripgrep cuts long lines of minified files, so that they don't reach us.
  const cut = ['--max-columns=4096', '--max-columns-preview'];
  return [...rows, ...cut, ...(ignoreCase ? ['--ignore-case'] : [])];
}

/** The message repeats a long pattern, so the reason is at the end. */
function describeErrors({ head, tail, omitted }: KeptText): string {
  return (omitted === 0 ? head : `${head}\n…\n${tail}`).trim();
}
