import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { ConfinedLaunch } from '../confined.ts';
import { makeFolders } from './folders.ts';
import type { RunPlan } from './prepareRun.ts';
import { type ReadyRun, startReady } from './readyRun.ts';

/** The sandbox that is built for the next command of a copy while nobody has it. There is at most one. */
export interface NextRun {
  /** Builds one like this soon. It is ended when no command comes for a minute. */
  plan(launch: ConfinedLaunch, masks: readonly string[]): void;
  /** The one that was built, if this command would get the same. Otherwise it is ended, as nothing else may use the copy. */
  take(
    plan: RunPlan,
    launch: ConfinedLaunch,
    findMasks: () => Promise<readonly string[]>,
  ): Promise<ReadyRun | undefined>;
  end(): Promise<void>;
}

export function createNextRun(plan: RunPlan, clock: Clock): NextRun {
  let ready: ReadyRun | undefined;
  let timer: Disposable | undefined;
  const end = async (): Promise<void> => {
    timer?.dispose();
    const ended = ready;
    ready = undefined;
    await ended?.end();
  };
  const start = (launch: ConfinedLaunch, masks: readonly string[]) => {
    try {
      makeFolders(plan.folder, plan.workspace.length);
      ready = startReady(plan, launch, masks);
      timer = clock.after(KEPT_MS, () => void end());
    } catch {
      // The next command builds its own, and reports what is wrong.
    }
  };
  return {
    plan(launch, masks) {
      timer?.dispose();
      timer = clock.after(QUIET_MS, () => start(launch, masks));
    },
    async take(next, launch, findMasks) {
      timer?.dispose();
      if (ready === undefined) return undefined;
      const masks = await findMasks().catch(() => undefined);
      const found = ready;
      if (masks !== undefined && found.fits(next, launch, masks)) {
        ready = undefined;
        return found;
      }
      await end();
      return undefined;
    },
    end,
  };
}

/** The result of the last command goes first. */
const QUIET_MS = 20;

/** Until it is ended it holds what is mounted on the host. The commands of one turn follow each other sooner. */
const KEPT_MS = 60_000;
