import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, systemClock } from '../../base/clock.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { ConfinedLaunch, ConfinedStart } from '../confined.ts';
import type { NetHooks } from '../net/net.ts';
import type { CopyChange, CopyChanges } from './changes/changes.ts';
import { dropChange } from './changes/dropChange.ts';
import { createFileClock, type FileClock, findUntimed } from './changes/fileClock.ts';
import { isGitNoise } from './changes/gitNoise.ts';
import { CHANGE_LIMIT, type CopiedFolder, readChanges, toTakenKey } from './changes/readChanges.ts';
import { dropEmptyParents, refreshCopy } from './changes/refreshCopy.ts';
import { readSideWrites } from './changes/sideWrites.ts';
import type { CopyReport, HeldCopy, SessionCopy } from './copy.ts';
import type { RunCounters } from './counters.ts';
import { type DiskRoom, keepRoom } from './diskRoom.ts';
import { type EgressProxy, openProxy } from './egress/proxy.ts';
import { makeFolders, removeLargeFolder } from './folders.ts';
import { findLayoutFault, findMountFault } from './linux/layout.ts';
import { clearMasked } from './linux/mountPoints.ts';
import type { SandboxPrograms } from './linux/programs.ts';
import { isWithin } from './linux/toolFolders.ts';
import { createNextRun, type NextRun } from './nextRun.ts';
import { prepareRun, type RunPlan, toSetUpFault } from './prepareRun.ts';
import { runInside } from './runInside.ts';
import type { CopyOptions, Had, RunOptions } from './sandbox.ts';

export interface CopyParts extends CopyOptions {
  readonly programs: SandboxPrograms;
  readonly home: string;
  /** Changes the options of bwrap, for tests. */
  readonly edit?: RunPlan['edit'];
  /** Replaces name lookup and connecting in tests. */
  readonly hooks?: NetHooks | undefined;
  /** Default: that of the system. */
  readonly clock?: Clock | undefined;
}

/** What the leases of one copy share. */
interface LeasedParts extends CopyParts {
  readonly next: NextRun;
  /** When the copy took over the changes that it holds, by `toTakenKey`. */
  readonly taken: Map<string, bigint>;
}

/** The copy of a session, kept in its folder. One call has it at a time. */
export function openCopy(parts: CopyParts): SessionCopy {
  let last: Promise<void> = Promise.resolve();
  const own = { ...parts, workspace: dropNested(parts.workspace) };
  const taken = new Map<string, bigint>();
  const next = createNextRun({ ...own, masks: [] }, parts.clock ?? systemClock);
  const wait = (): { turn: Promise<void>; release: () => void } => {
    const turn = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = turn.then(() => promise);
    return { turn, release: resolve };
  };
  return {
    async hold(signal) {
      const { turn, release } = wait();
      const aborted = Promise.withResolvers<'aborted'>();
      const onAbort = () => aborted.resolve('aborted');
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      const by = await Promise.race([turn, aborted.promise]);
      signal.removeEventListener('abort', onAbort);
      if (by !== 'aborted') return success(toHeld({ ...own, next, taken }, release));
      release();
      return failure('The command was cancelled before it ran.');
    },
    async close() {
      const { turn, release } = wait();
      await turn;
      try {
        await next.end();
        await removeLargeFolder(parts.folder);
      } finally {
        release();
      }
    },
  };
}

const DROPPED_A_TURN = 100;

function dropNested(workspace: readonly string[]): readonly string[] {
  return workspace.filter(
    (root) => !workspace.some((other) => other !== root && isWithin(root, other)),
  );
}

function toHeld(parts: LeasedParts, release: () => void): HeldCopy {
  const { next, taken } = parts;
  const runs = createRuns(parts);
  return {
    start: runs.start,
    report: runs.report,
    async changes(signal) {
      await next.end();
      const { masks, ...began } = runs.began();
      for (const [index, folder] of parts.workspace.entries()) {
        clearMasked(path.join(parts.folder, `o${index}`, 'u'), folder, masks);
      }
      return readAll(parts, began, signal);
    },
    async drop(changes) {
      await next.end();
      for (const [at, change] of [...changes].reverse().entries()) {
        if (at % DROPPED_A_TURN === DROPPED_A_TURN - 1) await nextTurn();
        dropChange(change);
        taken.delete(toTakenKey(change));
        dropEmptyParents(change.file, change.copy, change.folder);
      }
      return success(undefined);
    },
    async reset() {
      await next.end();
      await removeLargeFolder(parts.folder);
      taken.clear();
    },
    release() {
      runs.planNext();
      release();
    },
  };
}

/** What a run began with. */
type Began = Pick<CopiedFolder, 'since' | 'first' | 'had' | 'setBack'>;

const unknown: Had = () => undefined;
const NOT_BEGUN: Began = { since: 0n, first: 0n, setBack: 0n, had: unknown };

function toBegan({ had = unknown }: RunOptions, since: bigint, last: Began): Began {
  return { since, first: last === NOT_BEGUN ? since : last.first, setBack: 0n, had };
}

/** With the times that the clock showed then by how it is set now. */
function toCurrentTimes(began: Began, clock: FileClock): Began {
  if (began === NOT_BEGUN) return began;
  clock.read();
  const setBack = clock.setBack();
  const [since, first] = [began.since - setBack, began.first - setBack];
  return { ...began, since, first, setBack };
}

/** The runs of one lease, which follow each other. */
function createRuns(parts: LeasedParts, fileClock = createFileClock(parts.folder)) {
  const { next } = parts;
  let report: CopyReport | undefined;
  let began = NOT_BEGUN;
  let masks: readonly string[] = [];
  let like: ConfinedLaunch | undefined;
  const toPlan = (options: RunOptions, { onBegin }: DiskRoom, proxy?: EgressProxy) => ({
    ...parts,
    ...{ proxy, onBegin },
    masks: async () => {
      masks = typeof options.masks === 'function' ? await options.masks() : options.masks;
      return masks;
    },
    onReport: ({ wantedNetwork }: RunCounters) => {
      const refusedHosts = [...(proxy?.refused ?? [])];
      report = { wantedNetwork, refusedHosts, ...readSideWrites(parts, masks) };
    },
  });
  const prepare = async (options: RunOptions, launch: ConfinedLaunch) => {
    like = options.egress === undefined && launch.takesAhead ? launch : undefined;
    const room = keepRoom(parts.folder, parts.clock ?? systemClock);
    const own = toPlan(options, room);
    const ready = like && (await next.take(own, launch, own.masks));
    // Nothing else may have the copy meanwhile.
    if (ready === undefined) await next.end();
    if (ready === undefined) makeFolders(parts.folder, parts.workspace.length);
    began = toBegan(options, fileClock.read(), began);
    if (ready !== undefined) return success(room.watch(ready.take(launch, own)));
    const proxy = await openEgress(options.egress, parts);
    const prepared = closeOnFault(proxy, () => prepareRun(toPlan(options, room, proxy), launch));
    if (prepared.ok) return success(room.watch(prepared.data));
    proxy?.close();
    return prepared;
  };
  return {
    start: (options: RunOptions): ConfinedStart => ({
      endsWithCall: true,
      async prepare(launch) {
        const fault = findLayoutFault(parts, parts.home) ?? findMountFault(parts.workspace);
        if (fault !== undefined) return failure(fault);
        return prepare(options, launch).catch((error) => failure(toSetUpFault(error)));
      },
    }),
    report: () => report,
    began: () => ({ ...toCurrentTimes(began, fileClock), masks }),
    /** Once no command has the copy any more. */
    planNext(): void {
      if (like !== undefined) next.plan(like, masks);
      like = undefined;
    },
  };
}

function closeOnFault<Result>(proxy: EgressProxy | undefined, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    proxy?.close();
    throw error;
  }
}

/** The proxy of a run that may reach the network. */
export async function openEgress(
  gate: RunOptions['egress'],
  { hooks = {}, workspace }: Pick<CopyParts, 'hooks' | 'workspace'>,
): Promise<EgressProxy | undefined> {
  return gate && openProxy({ gate, hooks, workspace });
}

async function readAll(
  parts: LeasedParts,
  began: Began,
  signal: AbortSignal,
): Promise<Outcome<CopyChanges>> {
  // What was mounted while the command ran would count as deleted.
  const fault = findMountFault(parts.workspace);
  if (fault !== undefined) return failure(`${fault} What it changed stays in the copy.`);
  const { taken } = parts;
  const found: CopyChange[] = [];
  const now = new Map<string, bigint>();
  for (const [index, folder] of parts.workspace.entries()) {
    const listMerged = (folders: readonly Buffer[]) => list(parts, folder, folders, signal);
    const upper = path.join(parts.folder, `o${index}`, 'u');
    const read = await readChanges({ folder, upper, taken, ...began, listMerged }, signal);
    if (read === undefined) {
      return failure(
        signal.aborted
          ? 'The command was cancelled before its changes were read.'
          : `The command changed more than ${CHANGE_LIMIT} files. They stay in the copy; the workspace is unchanged.`,
      );
    }
    const { changes, unneeded } = read;
    const isNoise = (change: CopyChange) => isGit(change) && isGitNoise(change);
    const noise = changes.filter(isNoise);
    const entries = [...unneeded.entries, ...noise.map(toRelative)];
    await refreshCopy(upper, { ...unneeded, entries });
    const untimed = findUntimed(folder);
    for (const change of changes) {
      if (noise.includes(change)) continue;
      found.push({ ...change, ...(untimed && { untimed }) });
      const key = toTakenKey(change);
      now.set(key, read.taken.get(key) ?? began.since);
    }
  }
  // Where no command of this lease began, what is listed was taken over before.
  if (began.since > 0n) replaceAll(taken, now);
  return success({
    files: found.filter((change) => !isGit(change)),
    git: found.filter(isGit),
  });
}

function replaceAll(known: Map<string, bigint>, now: ReadonlyMap<string, bigint>): void {
  known.clear();
  for (const [key, time] of now) known.set(key, time);
}

/** Some file systems, such as those of Windows in WSL, don't distinguish upper and lower case. */
function isGit(change: CopyChange): boolean {
  return /(^|\/)\.git(\/|$)/i.test(change.path);
}

function toRelative({ folder, file }: CopyChange): Buffer {
  return file.subarray(Buffer.byteLength(folder) + 1);
}

/** What the copy shows in these folders, by find in a sandbox of its own. */
async function list(
  parts: CopyParts,
  cwd: string,
  folders: readonly Buffer[],
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  makeFolders(parts.folder, parts.workspace.length);
  const line = 'find "$@" -mindepth 1 -maxdepth 1 -print0';
  const listed = await runInside(
    { ...parts, masks: [] },
    {
      argv: ['xargs', '-0', 'sh', '-c', line, 'sh'],
      cwd,
      stdin: Buffer.concat(folders.flatMap((folder) => [folder, Buffer.of(0)])),
      signal,
    },
  );
  return listed.ok ? listed.data : undefined;
}
