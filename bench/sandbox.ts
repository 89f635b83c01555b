import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findMasks } from '../src/host/session/copy/findMasks.ts';
import { DEFAULT_RULES } from '../src/permissions/defaults/defaults.ts';
import type { Policy } from '../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../src/permissions/rules/policyCompiler.ts';
import { createReadGit } from '../src/runtime/commands/readGit.ts';
import { startProgram } from '../src/runtime/commands/startProgram.ts';
import type { ConfinedStart } from '../src/runtime/confined.ts';
import { createSandbox } from '../src/runtime/sandbox/createSandbox.ts';
import { createFolderChecker } from '../src/runtime/workers/folderChecker.ts';
import { interleave, type Row } from './row.ts';
import { openToolBed, plantCorpus } from './toolBed.ts';

const ROUNDS = 31;
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
  for (const name of ['.env', 'copy0/.env']) writeFileSync(path.join(bed.workspace, name), 'A=1');
  // Folders that changed within two seconds are listed each time.
  await delay(3000);
  const policy = toPolicy(bed.workspace);
  const context = {
    policy: () => policy,
    compiler: createPolicyCompiler(),
    checker: createFolderChecker(),
  };
  const { signal } = new AbortController();
  const ours = async (isReady: boolean) => {
    // A model takes longer than this between two commands.
    await delay(PAUSE_MS);
    const held = await copy.hold(signal);
    if (!held.ok) throw new Error(held.error);
    const started = performance.now();
    let hidden = 0;
    const masks = async () => {
      const { masks: found } = await findMasks(context, signal);
      hidden = found.filter((file) => file.startsWith(bed.workspace + path.sep)).length;
      return found;
    };
    await run(bed.workspace, held.data.start({ masks }), isReady);
    if (hidden !== 2) throw new Error(`It hides ${hidden} files.`);
    await held.data.changes(signal);
    const elapsed = performance.now() - started;
    held.data.release();
    return elapsed;
  };
  const contenders = {
    // What follows another command of a copy finds its sandbox built, unless it can't take it.
    warm: () => ours(true),
    next: () => ours(true),
    last: () => ours(false),
    first: () => ours(false),
    raw: () => run(bed.workspace, undefined),
    bare: () => run(bed.workspace, undefined, false, ['bwrap', '--ro-bind', '/', '/', ...TRIVIAL]),
  };
  await interleave(2, contenders);
  const { next, first, raw, bare } = await interleave(ROUNDS, contenders);
  await copy.close();
  const goal = `what the copy adds to a command, ${FILES} files`;
  const anchor = `${ADDED} ms`;
  const added = next - raw;
  return [
    { goal, anchor, ratio: added / ADDED, limit: 1 },
    { goal: 'the same of the first', anchor, ratio: (first - raw) / ADDED, limit: 1 },
    {
      goal: 'a command in the copy',
      anchor: `bwrap alone, ${Math.round(bare)} ms here`,
      ...{ ratio: next / bare, limit: 1 },
    },
  ];
}

/** Milliseconds. */
const PAUSE_MS = 500;

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
    readGit: createReadGit([workspace]),
  };
}

const TRIVIAL = ['bash', '--noprofile', '--norc', '-c', 'true'];

/** `takesAhead`: in the sandbox that was built for it, if there is one. */
async function run(
  cwd: string,
  confined: ConfinedStart | undefined,
  takesAhead = false,
  argv: readonly string[] = TRIVIAL,
): Promise<number> {
  const started = performance.now();
  const [program = '', ...words] = argv;
  const own = { argv: [program, ...words] as [string, ...string[]], cwd, env: process.env };
  const prepared = await confined?.prepare({ ...own, takesAhead });
  if (prepared?.ok === false) throw new Error(prepared.error);
  const { launch = own, descriptors = [], after, ahead } = prepared?.data ?? {};
  const options = { ...launch, descriptors, ahead, ending: 'group', until: 'close' } as const;
  const start = await startProgram(options);
  if (!start.ok) throw new Error(start.fault.message);
  await start.program.closed;
  const cleaned = await after?.();
  if (cleaned?.ok === false) throw new Error(cleaned.error);
  return performance.now() - started;
}
