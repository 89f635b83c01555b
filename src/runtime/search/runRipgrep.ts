import { spawn } from 'node:child_process';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { GrepQuery } from '../searchQuery.ts';

interface RipgrepRun {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** The byte that ends a row. */
  readonly separator: 0 | 10;
  /** Text searched in place of files. */
  readonly input?: Buffer;
  /** False ends the search. */
  onRow(row: Buffer): boolean;
}

/** Runs ripgrep and hands over its rows as bytes. */
export async function runRipgrep(
  rg: string,
  args: readonly string[],
  { cwd, signal, separator, input, onRow }: RipgrepRun,
): Promise<Outcome<void>> {
  const child = spawn(rg, args, { cwd, windowsHide: true });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  let rest: Buffer | undefined;
  let stopped = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (stopped) return;
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (let end = bytes.indexOf(separator); end >= 0; end = bytes.indexOf(separator, at)) {
      if (!onRow(bytes.subarray(at, end))) {
        stopped = true;
        stop();
        return;
      }
      at = end + 1;
    }
    rest = at < bytes.length ? bytes.subarray(at) : undefined;
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < 65_536) errors += chunk.toString('utf8');
  });
  const ended = await new Promise<number | null | Error>((resolve) => {
    child.once('error', resolve);
    child.once('close', resolve);
  });
  signal.removeEventListener('abort', stop);
  if (signal.aborted) return failure('The search was aborted.');
  if (ended instanceof Error) return failure(`ripgrep could not be started: ${ended.message}`);
  // 0 is hits, 1 none, 2 a fault; killed on purpose is no fault.
  if (stopped || ended === 0 || ended === 1) return success(undefined);
  // What it says of single files is turned off: some could not be read, the others were searched.
  const message = shortened(errors.trim());
  return message === '' ? success(undefined) : failure(message);
}

/** How rows look; the same for files and for documents on standard input. */
export function shapeOf({ output, context = 0, ignoreCase }: GrepQuery): readonly string[] {
  const rows = {
    files: ['--files-with-matches', '--null'],
    count: ['--count', '--null', '--with-filename'],
    content: ['--null', '--line-number', '--with-filename', '--no-heading', `--context=${context}`],
  }[output];
  // A line of a minified file is cut before it reaches us.
  const cut = ['--max-columns=4096', '--max-columns-preview'];
  return [...rows, ...cut, ...(ignoreCase ? ['--ignore-case'] : [])];
}

/** A long pattern is repeated in the message; what is wrong with it comes last. */
function shortened(text: string): string {
  return text.length <= 2000 ? text : `${text.slice(0, 500)}\n…\n${text.slice(-1400)}`;
}
