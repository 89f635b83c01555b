import path from 'node:path';
import { findPrograms } from '../../../../src/runtime/sandbox/linux/programs.ts';
import { openCopy } from '../../../../src/runtime/sandbox/openCopy.ts';
import type { SandboxBed } from './bed.ts';
import { openSandboxBed } from './bed.ts';

/** What a line prints in a copy whose sandbox lacks these options, each a list of words. */
export async function runWithout(
  bed: SandboxBed,
  line: string,
  ...parts: readonly (readonly string[])[]
): Promise<string> {
  const programs = findPrograms({ GATEHOUSE_BWRAP: '' });
  if (!('bwrap' in programs)) throw new Error(programs.missing);
  const edit = (options: readonly string[]) => parts.reduce(takeOut, options);
  const { home, workspace } = bed;
  const folder = path.join(bed.base, 'data/edited');
  const copy = openCopy({ folder, workspace: [workspace], programs, home, edit });
  const held = await copy.hold(new AbortController().signal);
  if (!held.ok) throw new Error(held.error);
  try {
    return (await bed.run(held.data.start({ masks: [] }), line)).output;
  } finally {
    held.data.release();
    await copy.close();
  }
}

function takeOut(options: readonly string[], words: readonly string[]): readonly string[] {
  const at = options.findIndex((_, index) =>
    words.every((each, next) => options[index + next] === each),
  );
  if (at === -1) throw new Error(`No option ${words.join(' ')}.`);
  return options.toSpliced(at, words.length);
}

/** The ids that commands have with and without the options that set them. */
export async function showIds(env: NodeJS.ProcessEnv = {}): Promise<readonly string[]> {
  await using bed = await openSandboxBed(env);
  const [uid, gid] = [String(process.getuid?.()), String(process.getgid?.())];
  const line = 'echo $(id -u) $(id -g)';
  return [
    await runWithout(bed, line),
    await runWithout(bed, line, ['--uid', uid], ['--gid', gid]),
  ].map((text) => text.trim());
}
