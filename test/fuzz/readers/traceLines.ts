import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseTrace, TRACED_CALLS, type Trace } from '../../defaults/trace.ts';

export interface Batch {
  readonly cwd: string;
  /** Nothing else can be written. */
  readonly writable: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs the lines in one bash under one strace, which is many times faster than a strace for each. The
 * failing open of a name with the line's position separates them.
 */
export function traceLines(
  lines: readonly string[],
  { cwd, env, writable }: Batch,
): readonly Trace[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-lines-'));
  try {
    const file = path.join(folder, 'lines');
    writeFileSync(file, lines.map((line) => `${line}\0`).join(''));
    symlinkSync('/usr/bin/timeout', path.join(folder, 'until'));
    symlinkSync('/bin/bash', path.join(folder, 'shell'));
    const driver = `id=0
while IFS= read -r -d '' line <&8; do
  : 2>/dev/null < "${MARKER}$id"
  "${folder}/until" 3 "${folder}/shell" --norc -c "$line" 8<&- </dev/null >"${folder}/$id" 2>&1
  id=$((id+1))
done 8< "${file}"
: 2>/dev/null < "${MARKER}$id"
exit 0`;
    const calls = TRACED_CALLS.map((call) => `?${call}`).join();
    const options = ['-f', '-qq', '-y', '-s', '4096', '-e', 'signal=none', '--seccomp-bpf'];
    const to = ['-o', path.join(folder, 'trace'), '-e', `trace=${calls}`];
    const bind = [writable, folder].flatMap((each) => ['--bind', each, each]);
    const box = [
      'bwrap',
      '--ro-bind',
      '/',
      '/',
      '--dev',
      '/dev',
      ...bind,
      '--unshare-net',
      '--chdir',
      cwd,
    ];
    const shell = [...box, 'bash', '--norc', '-c', driver];
    const limit = 20_000 + lines.length * 1000;
    const done = spawnSync('strace', [...options, ...to, ...shell], { cwd, env, timeout: limit });
    if (done.status !== 0) throw new Error(`The lines ended with ${done.status ?? done.signal}.`);
    const parts = splitTrace(readFileSync(path.join(folder, 'trace'), 'latin1'), lines.length);
    return parts.map((part, id) => {
      const { programs, reads, writes, hosts } = parseTrace(part);
      const output = readFileSync(path.join(folder, `${id}`), 'latin1');
      writes.delete(path.join(folder, `${id}`));
      const started = new Set([...programs].filter((file) => !file.startsWith(folder)));
      return { programs: started, reads, writes, hosts, output, code: 0 };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const MARKER = '/MARK-OF-A-LINE/';

/** The calls of each line, with those joined that strace prints in two parts. */
function splitTrace(text: string, count: number): readonly (readonly string[])[] {
  const parts: string[][] = Array.from({ length: count }, () => []);
  const open = new Map<string, string>();
  let at = -1;
  for (const row of text.split('\n')) {
    const [, pid = '', call = ''] = /^(\d+)\s+(.*)$/.exec(row) ?? [];
    const marked = /"\/MARK-OF-A-LINE\/(\d+)"/.exec(call)?.[1];
    if (marked !== undefined) at = Number(marked);
    else if (call.endsWith('<unfinished ...>')) open.set(pid, call.slice(0, -16));
    else {
      const rest = /^<\.\.\. \w+ resumed>(.*)$/.exec(call)?.[1];
      parts[at]?.push(rest === undefined ? call : (open.get(pid) ?? '') + rest);
    }
  }
  return parts;
}
