import path from 'node:path';
import type { Price } from '../../../agent/models/price.ts';
import { systemClock } from '../../../base/clock.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { Recorder } from '../../../recorder/recorder.ts';
import { createDayCosts } from '../../models/dayCosts.ts';
import {
  type CostLimits,
  createTurnCosts,
  type Spent,
  type TurnCosts,
} from '../../models/turnCosts.ts';
import type { HostServices } from '../../services/hostServices.ts';

export interface CostQuery {
  /** Absent: the requests belong to no session, and only the day counts them. */
  readonly sessionId?: string;
  readonly price: Price | undefined;
  /** The price of the model for summaries and titles; default: `price`. */
  readonly aside?: { readonly price: Price | undefined } | undefined;
  limits(): CostLimits;
}

/**
 * Counts requests in the session that the user sees, with those of all the subagents that it started, and in
 * the day. Dispose it when they have ended and their usage is stored or about to be.
 */
export function openCosts(
  { recorder, data }: Pick<HostServices, 'recorder' | 'data'>,
  { sessionId, ...query }: CostQuery,
): TurnCosts & Disposable {
  const shared = sessionId === undefined ? NO_SESSION() : share(recorder, sessionId);
  const day = createDayCosts(path.join(data.state, 'costs'), systemClock);
  const costs = createTurnCosts({ ...query, day, spent: shared.spent });
  return { ...costs, dispose: shared.dispose };
}

const NO_SESSION = () => ({ spent: { cost: 0, tokens: 0 }, dispose: () => undefined });

interface Shared {
  readonly spent: Spent;
  users: number;
}

const open = new WeakMap<Recorder, Map<string, Shared>>();

/** One sum for the turns of a session and its subagents that run at the same time. */
function share(recorder: Recorder, sessionId: string): { spent: Spent } & Disposable {
  const root = findRoot(recorder, sessionId);
  const all = open.get(recorder) ?? new Map<string, Shared>();
  open.set(recorder, all);
  const shared = all.get(root) ?? { spent: { ...recorder.usageOfAll(root) }, users: 0 };
  all.set(root, shared);
  shared.users += 1;
  let isOpen = true;
  return {
    spent: shared.spent,
    dispose() {
      if (!isOpen) return;
      isOpen = false;
      shared.users -= 1;
      if (shared.users === 0) all.delete(root);
    },
  };
}

/** The session that the user started. */
function findRoot(recorder: Pick<Recorder, 'session'>, sessionId: string): string {
  const seen = new Set<string>();
  let root = sessionId;
  for (let id: string | undefined = sessionId; id !== undefined && !seen.has(id); ) {
    seen.add(id);
    root = id;
    id = recorder.session(id)?.parent;
  }
  return root;
}
