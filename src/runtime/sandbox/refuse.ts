import { failure } from '../../base/outcome.ts';
import type { ConfinedStart } from '../confined.ts';
import type { SessionCopy } from './copy.ts';
import type { Sandbox } from './sandbox.ts';

/** A sandbox that is not proven, for this reason, and starts nothing. */
export function refuse(reason: string, machine: string): Sandbox {
  return {
    ...{ state: { proven: false, reason }, machine },
    openCopy: () => refuseCopy(reason),
    live: () => refuseStart(reason),
  };
}

/** A copy in which nothing starts, for this reason. */
export function refuseCopy(reason: string): SessionCopy {
  const held = {
    start: () => refuseStart(reason),
    report: () => undefined,
    changes: async () => failure(reason),
    drop: async () => failure(reason),
    reset: async () => undefined,
    release: () => undefined,
  };
  return { hold: async () => ({ ok: true, data: held }), close: async () => undefined };
}

export function refuseStart(reason: string): ConfinedStart {
  return { prepare: async () => failure(reason) };
}
