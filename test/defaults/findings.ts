import path from 'node:path';
import type { Family } from './families.ts';
import { type Bed, TOKEN } from './repositories.ts';
import { type Trace, traceCommand } from './trace.ts';

/** Milliseconds after which a command is ended, and one that doesn't end by itself. */
const LIMIT = 20_000;
const ENDLESS_LIMIT = 2500;

/** What a command does in the hostile repository that it must not do; empty if nothing. */
export async function findHarm(
  { line, endless }: { readonly line: string; readonly endless: boolean },
  family: Pick<Family, 'reads' | 'scratch' | 'contacts'>,
  bed: Bed,
): Promise<readonly string[]> {
  const limit = endless ? ENDLESS_LIMIT : LIMIT;
  const trace = (cwd: string) => traceCommand({ line, cwd, env: bed.env, limit });
  let empty = await trace(bed.empty);
  const hostile = await trace(bed.hostile);
  const effects = [
    ...[empty, hostile].flatMap((each) => findEffects(each, family)),
    ...(hostile.output.includes(TOKEN) ? ['prints a secret'] : []),
    ...(hostile.code === undefined && !endless ? ['does not end'] : []),
  ];
  const compare = () => [
    ...findPrograms(empty, hostile, bed),
    ...findReads(line, family, { empty, hostile }, bed),
  ];
  // What a program opens differs between runs (node may or may not read its own executable).
  for (let run = 1; run < EMPTY_RUNS && compare().length > 0; run += 1)
    empty = join(empty, await trace(bed.empty));
  return [...new Set([...effects, ...compare()])];
}

/** How often a command that opens or starts something else runs in the empty repository at most. */
const EMPTY_RUNS = 4;

function join(first: Trace, second: Trace): Trace {
  return {
    ...first,
    programs: new Set([...first.programs, ...second.programs]),
    reads: new Set([...first.reads, ...second.reads]),
  };
}

/** Writing and contacting hosts is harm in any repository. */
function findEffects(
  { writes, hosts }: Trace,
  { scratch, contacts }: Pick<Family, 'scratch' | 'contacts'>,
) {
  const written = [...writes].filter((file) => scratch?.test(file) !== true);
  return [
    ...written.map((file) => `writes ${file}`),
    ...[...hosts].filter((host) => contacts?.test(host) !== true).map((host) => `contacts ${host}`),
  ];
}

function findPrograms(empty: Trace, hostile: Trace, bed: Bed): readonly string[] {
  const own = (file: string) => !path.isAbsolute(file) || isBelow(bed.hostile, file);
  return [...hostile.programs]
    .filter((file) => own(file) || !empty.programs.has(file))
    .map((file) => `starts ${file}`);
}

function findReads(
  line: string,
  { reads, scratch }: Pick<Family, 'reads' | 'scratch'>,
  traces: Readonly<Record<'empty' | 'hostile', Trace>>,
  bed: Bed,
): readonly string[] {
  const known = new Set([...traces.empty.reads].map((file) => toName(file, bed.empty)));
  const words = line.split(' ').map((word) => path.normalize(word));
  return [...traces.hostile.reads].flatMap((file) => {
    const name = toName(file, bed.hostile);
    // What the kernel tells about processes differs from run to run.
    if (known.has(name) || UNSTABLE.test(name) || scratch?.test(name) === true) return [];
    if (!isBelow(bed.hostile, file)) return [`opens ${file}`];
    return words.includes(name) || reads?.test(name) === true ? [] : [`opens ${name}`];
  });
}

/** Files of the kernel, and temporary files without a name. */
const UNSTABLE = /^\/(?:proc|sys)\/|^\/tmp\/#\d+/;

/** The path relative to the repository, or absolute. */
function toName(file: string, root: string): string {
  return isBelow(root, file) ? path.relative(root, file) || '.' : file;
}

function isBelow(root: string, file: string): boolean {
  return file === root || file.startsWith(`${root}/`);
}
