import { readdirSync, readFileSync } from 'node:fs';

/** Hundredths of a second, the unit of the CPU times in `/proc` on Linux. */
const TICKS = 100;

/** A process that a stage left running, and the CPU time that it has used, in seconds. */
interface LeftRunning {
  readonly pid: number;
  readonly seconds: number;
  /** Its argument vector, joined by spaces, cut at 200 characters. */
  readonly command: string;
}

/** The process ids that exist now. */
export function runningNow(): ReadonlySet<number> {
  return new Set(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number),
  );
}

/**
 * Prints a line for each process that was started since `before` and still runs. It tells something
 * on a machine that runs nothing else (CI): what a stage left running slows down every later stage.
 */
export function tellWhatIsLeft(before: ReadonlySet<number>): void {
  const left = [...runningNow()]
    .filter((pid) => !before.has(pid) && pid !== process.pid)
    .flatMap((pid) => readProcess(pid) ?? []);
  for (const { pid, seconds, command } of left)
    console.log(`left running: process ${pid}, ${seconds} s of CPU time: ${command}`);
}

/** Undefined for a process that is gone, a zombie or a thread of the kernel. */
function readProcess(pid: number): LeftRunning | undefined {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (command === '' || fields[0] === 'Z') return undefined;
    const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS;
    return { pid, seconds, command: command.slice(0, 200) };
  } catch {
    return undefined;
  }
}
