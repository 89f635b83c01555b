import path from 'node:path';
import { startProgram } from '../src/runtime/commands/startProgram.ts';
import type { ConfinedStart } from '../src/runtime/confined.ts';
import { createSandbox } from '../src/runtime/sandbox/createSandbox.ts';
import { interleave, type Row } from './row.ts';
import { openToolBed, plantCorpus } from './toolBed.ts';

const ROUNDS = 41;
const FILES = 31_000;
/** What the copy may add to a command, in milliseconds. */
const ADDED = 20;

/** A command in the copy of a large workspace, compared with the same command without one. */
export async function sandboxRows(): Promise<readonly Row[]> {
  using bed = openToolBed();
  plantCorpus(bed.workspace, FILES);
  const root = path.dirname(bed.workspace);
  const sandbox = await createSandbox({ folder: root, env: process.env });
  if (!sandbox.state.proven) throw new Error(sandbox.state.reason);
  const copy = sandbox.openCopy({
    folder: path.join(root, 'copy'),
    workspace: [bed.workspace],
  });
  const held = await copy.hold(new AbortController().signal);
  if (!held.ok) throw new Error(held.error);
  const confined = held.data.start({ masks: [] });
  const contenders = {
    ours: () => run(bed.workspace, confined),
    raw: () => run(bed.workspace, undefined),
  };
  await interleave(3, contenders);
  const { ours, raw } = await interleave(ROUNDS, contenders);
  held.data.release();
  await copy.close();
  const goal = `what the copy adds to a command, ${FILES} files`;
  return [{ goal, anchor: `${ADDED} ms`, ratio: (ours - raw) / ADDED, limit: 1 }];
}

async function run(cwd: string, confined: ConfinedStart | undefined): Promise<number> {
  const started = performance.now();
  const argv = ['bash', '--noprofile', '--norc', '-c', 'true'] as const;
  const own = { argv: [...argv] as [string, ...string[]], cwd, env: process.env };
  const prepared = await confined?.prepare(own);
  if (prepared?.ok === false) throw new Error(prepared.error);
  const { launch = own, descriptors = [], after } = prepared?.data ?? {};
  const start = await startProgram({ ...launch, descriptors, ending: 'group', until: 'close' });
  if (!start.ok) throw new Error(start.fault.message);
  await start.program.closed;
  const cleaned = await after?.();
  if (cleaned?.ok === false) throw new Error(cleaned.error);
  return performance.now() - started;
}
