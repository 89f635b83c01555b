import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findMasks } from '../src/host/session/copy/findMasks.ts';
import { DEFAULT_RULES } from '../src/permissions/defaults/defaults.ts';
import type { Policy } from '../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../src/permissions/rules/policyCompiler.ts';
import { startProgram } from '../src/runtime/commands/startProgram.ts';
import type { ConfinedStart } from '../src/runtime/confined.ts';
import { createSandbox } from '../src/runtime/sandbox/createSandbox.ts';
import { interleave, type Row } from './row.ts';
import { openToolBed, plantCorpus } from './toolBed.ts';

const ROUNDS = 41;
const FILES = 31_000;
/** What the copy may add to a command, in milliseconds. */
const ADDED = 20;

/**
 * A command in the copy of a large workspace, from the look for files that rules hide to the list of what
 * it changed, compared with the same command without a copy.
 */
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
  for (const name of ['.env', 'copy0/.env']) writeFileSync(path.join(bed.workspace, name), 'A=1');
  // Folders that changed within two seconds are listed each time.
  await delay(3000);
  const policy = toPolicy(bed.workspace);
  const context = { policy: () => policy, compiler: createPolicyCompiler() };
  const { signal } = new AbortController();
  const contenders = {
    async ours() {
      const started = performance.now();
      let hidden = 0;
      const masks = async () => {
        const found = await findMasks(context, signal);
        hidden = found.length;
        return found;
      };
      await run(bed.workspace, held.data.start({ masks }));
      if (hidden !== 2) throw new Error(`It hides ${hidden} files.`);
      await held.data.changes(signal);
      return performance.now() - started;
    },
    raw: () => run(bed.workspace, undefined),
  };
  await interleave(3, contenders);
  const { ours, raw } = await interleave(ROUNDS, contenders);
  held.data.release();
  await copy.close();
  const goal = `what the copy adds to a command, ${FILES} files`;
  return [{ goal, anchor: `${ADDED} ms`, ratio: (ours - raw) / ADDED, limit: 1 }];
}

/** What applies to a session by default. */
function toPolicy(workspace: string): Policy {
  const state = path.join(path.dirname(workspace), 'state');
  return {
    rules: DEFAULT_RULES,
    capabilities: { fs: { read: ['{workspace}/**'], write: ['{workspace}/**'] } },
    folders: { workspace: [workspace], adHoc: [], state, sidecars: state, cwd: workspace },
    shell: 'bash',
    platform: process.platform,
    headless: false,
  };
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
