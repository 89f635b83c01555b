import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { REAL_LAUNCHERS, STUBS } from './grammar.ts';

/** What real bash started for each line: names of stub programs, by the line's position. */
export interface GroundTruth {
  readonly started: readonly ReadonlySet<string>[];
  /** The same with the arguments they got, joined by blanks. */
  readonly commands: readonly ReadonlySet<string>[];
  /** Whether the network was really away. */
  readonly isolated: boolean;
}

/** Runs the lines by real bash, each in a forked subshell, in a namespace without a network. */
export function runLines(lines: readonly string[]): GroundTruth {
  const base = mkdtempSync(path.join(tmpdir(), 'gatehouse-fuzz-'));
  try {
    return run(lines, base);
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** Whether bash itself takes the line. */
export function bashParses(line: string): boolean {
  return parseByBash([line])[0] === true;
}

/** Whether bash takes each of the lines. Nothing is run. */
export function parseByBash(lines: readonly string[]): readonly boolean[] {
  const results = eachByBash(lines, `bash -n -c "$text" </dev/null >/dev/null 2>&1`);
  return results.map((printed) => printed !== undefined);
}

/** How bash prints the text again after parsing it, or that it can't. Nothing is run. */
export function printByBash(text: string): string {
  return printAllByBash([text])[0] ?? UNPRINTABLE;
}

/** The same for many texts, in their order. */
export function printAllByBash(texts: readonly string[]): readonly string[] {
  const command = `printf %s "$text" > text && bash --norc --pretty-print text 2>/dev/null`;
  return eachByBash(texts, command).map((printed) => printed?.trimEnd() ?? UNPRINTABLE);
}

const UNPRINTABLE = 'cannot be parsed';

/**
 * What the command prints for each `$text`; undefined if it fails. A small bash starts all of them,
 * since a process as large as this one takes several times as long to start another.
 */
function eachByBash(texts: readonly string[], command: string): readonly (string | undefined)[] {
  if (texts.length === 0) return [];
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-fuzz-'));
  try {
    writeFileSync(path.join(folder, 'texts'), texts.map((text) => `${text}\0`).join(''));
    const loop = `id=0
while IFS= read -r -d '' text <&8; do { ${command}; } > "$id" || rm "$id"; id=$((id+1)); done 8< texts`;
    const done = spawnSync('bash', ['--norc', '-c', loop], { cwd: folder, stdio: 'ignore' });
    if (done.error !== undefined) throw done.error;
    const files = texts.map((_, id) => path.join(folder, `${id}`));
    return files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The CPU time of a line's own shell is bounded, so that none goes round forever; the driver's is not,
 * for a thousand forks may take a slow machine longer. Everything started holds descriptor 9, so the
 * driver is over only when the last of it is.
 */
const DRIVER = `
exec 9>&1
id=0
while IFS= read -r -d '' line; do
  export FUZZ_ID=$id
  ( ulimit -t 1; cd "$FUZZ_WORK" && PATH=$FUZZ_PATH && eval "$line" ) </dev/null >/dev/null 2>&1
  id=$((id+1))
done < "$FUZZ_LINES"
wait
`;

/** What globs match beside the stubs; `out` is what lines write to. */
const FILES = ['a.txt', 'x.txt', 'b1', 'a b.txt', '.h.txt', 'out', 'd1/a.txt', 'd1/y', '[ab]'];

/** Makes the folder that lines run in, with every stub in it; returns the folders of stubs. */
export function plantFolder(work: string): readonly string[] {
  mkdirSync(path.join(work, 'd1'), { recursive: true });
  const folders = [work, path.join(work, 'd1')];
  for (const folder of folders)
    for (const stub of STUBS) writeFileSync(path.join(folder, stub), '', { mode: 0o755 });
  for (const file of FILES) writeFileSync(path.join(work, file), '');
  return folders;
}

function run(lines: readonly string[], base: string): GroundTruth {
  const bin = path.join(base, 'bin');
  const work = path.join(base, 'work');
  mkdirSync(bin);
  const folders = plantFolder(work);
  const log = path.join(base, 'log');
  writeFileSync(log, '');
  // Written at once, for the programs of a pipeline write at the same time.
  const source = `#!/bin/sh
entry="$FUZZ_ID \${0##*/}"
for word; do entry="$entry $word"; done
printf '%s\\0' "$entry" >> '${log}'
`;
  for (const stub of STUBS) {
    for (const folder of [bin, ...folders]) {
      writeFileSync(path.join(folder, stub), source);
      chmodSync(path.join(folder, stub), 0o755);
    }
  }
  for (const launcher of REAL_LAUNCHERS) {
    const real = ['/usr/bin', '/bin'].map((each) => path.join(each, launcher)).find(existsSync);
    if (real !== undefined) symlinkSync(real, path.join(bin, launcher));
  }
  const file = path.join(base, 'lines');
  writeFileSync(file, lines.map((line) => `${line}\0`).join(''));
  const env = {
    PATH: process.env['PATH'],
    HOME: work,
    // Decisions name matches in the order of their bytes.
    LC_ALL: 'C.UTF-8',
    FUZZ_WORK: work,
    FUZZ_PATH: bin,
    FUZZ_LINES: file,
  };
  const isolated = spawnSync('unshare', ['-rn', 'true']).status === 0;
  const [program, args] = isolated
    ? (['unshare', ['-rn', 'bash', '--norc', '-c', DRIVER]] as const)
    : (['bash', ['--norc', '-c', DRIVER]] as const);
  const done = spawnSync(program, args, {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    // For what hangs, not for what is slow.
    timeout: 1_800_000,
  });
  if (done.status !== 0) throw new Error(`The driver ended with ${done.status ?? done.signal}.`);
  const started = lines.map(() => new Set<string>());
  const commands = lines.map(() => new Set<string>());
  for (const entry of readFileSync(log, 'utf8').split('\0')) {
    const found = /^(\d+) ((\S+)[\s\S]*)$/.exec(entry);
    if (found === null) continue;
    started[Number(found[1])]?.add(found[3] ?? '');
    commands[Number(found[1])]?.add(found[2] ?? '');
  }
  return { started, commands, isolated };
}
