import { statSync } from 'node:fs';
import path from 'node:path';
import { KB } from '../../base/units.ts';
import { type AheadProgram, startAhead } from '../commands/aheadProgram.ts';
import type { ConfinedLaunch, PreparedRun } from '../confined.ts';
import { isWithin } from './linux/toolFolders.ts';
import { describeRun, prepareRun, type RunLaunch, type RunPlan } from './prepareRun.ts';

/**
 * A sandbox that was built before its command is known, and waits for it: most of the time of a short command is
 * building one. It runs nothing else, and looks at nothing in the workspace, so that its command sees the files of
 * then.
 */
export interface ReadyRun {
  /** Whether the command would get exactly this sandbox if one were built for it now. */
  fits(plan: RunPlan, launch: ConfinedLaunch, masks: readonly string[]): boolean;
  /** The run of the command in it. */
  take(launch: ConfinedLaunch, hooks: RunHooks): PreparedRun;
  /** Idempotent; resolves when nothing of it runs. Does nothing once a command has it. */
  end(): Promise<void>;
}

/** What the run of the command calls. */
export type RunHooks = Required<Pick<RunPlan, 'onReport' | 'onBegin'>>;

/** Builds the sandbox for a command like this one. Undefined when it can't be started. */
export function startReady(
  plan: RunPlan,
  launch: ConfinedLaunch,
  masks: readonly string[],
): ReadyRun | undefined {
  let hooks: Partial<RunHooks> = {};
  const own: RunPlan = {
    ...{ ...plan, masks },
    onReport: (counters) => hooks.onReport?.(counters),
    onBegin: (end) => hooks.onBegin?.(end),
  };
  const key = toKey(plan, launch, masks);
  const prepared = prepareRun(own, { ...launch, argv: [] });
  if (!prepared.ok) return undefined;
  const { after } = prepared.data;
  const program = startAhead(prepared.data.launch, prepared.data.descriptors);
  return {
    fits(next, nextLaunch, nextMasks) {
      const { argv } = nextLaunch;
      if (size(argv) > COMMAND_BYTES || argv.some((word) => word.includes('\0'))) return false;
      return toKey(next, nextLaunch, nextMasks) === key && program.isWaiting();
    },
    take({ argv }, given) {
      hooks = given;
      return toRun(program, prepared.data.launch, argv, after);
    },
    end: program.end,
  };
}

/** The shell in the sandbox reads the command byte by byte. */
const COMMAND_BYTES = 8 * KB;

function size(argv: readonly string[]): number {
  return argv.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
}

function toRun(
  program: AheadProgram,
  launch: PreparedRun['launch'],
  argv: readonly string[],
  after: PreparedRun['after'],
): PreparedRun {
  const input = Buffer.from(argv.map((word) => `${word}\0`).join(''));
  return {
    launch,
    descriptors: [],
    ahead: { mark: program.mark, take: () => program.take(input) },
    async after(cut) {
      await program.end();
      return after(cut);
    },
  };
}

/**
 * Describes a sandbox: its options, its environment and the files that they name. Also the folders above what is
 * covered and above the working folder, which the copy has looked up: it would still show one that was replaced.
 */
function toKey(plan: RunPlan, launch: RunLaunch, masks: readonly string[]): string {
  const { view, options, env } = describeRun(plan, { ...launch, argv: [] }, masks);
  const files = new Set([...options.filter(path.isAbsolute), ...plan.workspace]);
  for (const file of [view.cwd, ...view.masks.map(({ to }) => to)]) {
    const root = plan.workspace.find((each) => isWithin(file, each));
    for (let at = file; root !== undefined && isWithin(at, root); at = path.dirname(at)) {
      files.add(at);
    }
  }
  // The empty files that cover others are made with the sandbox, and so is the list of its mounts.
  for (const { from } of [...view.masks, view.expected]) files.delete(from);
  const named = [...files].filter((file) => !OF_THE_KERNEL.test(file)).map(identify);
  return JSON.stringify([options, env, view.masks, named]);
}

/** Mounted anew in each sandbox; the numbers of its files change by themselves. */
const OF_THE_KERNEL = /^\/(proc|dev|sys)(\/|$)/;

function identify(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return '';
  const { dev, ino, mode, uid, gid } = found;
  return [dev, ino, mode, uid, gid].join(':');
}
