import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readRegularText } from '../../base/disk/readRegular.ts';
import { getMessage } from '../../base/faults.ts';
import { parseJson, toRecord } from '../../base/json.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { Isolation } from '../../base/tools/isolation.ts';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
import type { ConfinedStart } from '../../runtime/confined.ts';
import type { Gate } from '../../runtime/runtime.ts';
import { toWaitingEgress, UserWaiting } from '../../runtime/waiting.ts';
import type { SessionCopies } from './sessionCopies.ts';

/** Confines what runs for real while `gatehouse.sandbox.mode` is `require`. Every failure refuses. */
export interface Confinement {
  /** Starts programs that can write these folders only, and don't see what `masks` are. The gate is asked about each host. */
  start(
    sessionId: string,
    workspace: readonly string[],
    gate: Gate,
    masks?: readonly string[],
  ): ConfinedStart;
  /** Where programs run; a failure says in one sentence why they can't be confined. */
  findIsolation(): Promise<Outcome<Isolation>>;
  /** Stores that the user accepts unconfined runs with this kernel and bwrap (spec CS-65). */
  accept(): Promise<void>;
}

/** `folder`: holds `unconfined.json`; it is created. */
export function createConfinement(
  copies: () => Promise<SessionCopies>,
  folder: string,
): Confinement {
  const file = path.join(folder, 'unconfined.json');
  const findIsolation = async (): Promise<Outcome<Isolation>> => {
    try {
      const { state, machine } = await copies();
      if (state.proven) return success('confined');
      return readAccepted(file) === machine ? success('unconfined') : failure(state.reason);
    } catch (fault) {
      return failure(`The sandbox could not be tested: ${getMessage(fault)}.`);
    }
  };
  return {
    findIsolation,
    start: (sessionId, workspace, gate, masks) => {
      const waiting = new UserWaiting();
      const egress = toWaitingEgress(gate, waiting);
      const prepare: ConfinedStart['prepare'] = async (launch) => {
        const isolation = await findIsolation();
        if (!isolation.ok) return failure(toRefusal(isolation.error));
        const sandbox = await copies();
        if (sandbox.state.proven) {
          return sandbox.live(sessionId, workspace, egress, masks).prepare(launch);
        }
        // The user accepted nothing while it was proven.
        if (isolation.data === 'confined') return failure(toRefusal(sandbox.state.reason));
        const { argv, cwd, env, declared } = launch;
        const unconfined = { argv, cwd, env: { ...env, ...declared } };
        return success({
          launch: unconfined,
          descriptors: [],
          after: async () => success(undefined),
        });
      };
      return { prepare, waiting };
    },
    async accept() {
      const { machine } = await copies();
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const next = `${file}.${process.pid}`;
      writeFileSync(next, JSON.stringify({ machine }), { mode: 0o600 });
      renameSync(next, file);
    },
  };
}

/** What programs may write: the workspace, or without one the folder that they run in. */
export function toRoots({ workspace, cwd }: PolicyFolders): readonly string[] {
  return workspace.length > 0 ? workspace : [cwd];
}

/** What the model is told of a program that was not started. */
export function toRefusal(obstacle: string): string {
  return `${obstacle} The user requires a sandbox for commands and programs (gatehouse.sandbox.mode), so nothing was run.`;
}

/** The machine for which unconfined runs were accepted. A damaged file accepts nothing. */
function readAccepted(file: string): string | undefined {
  const read = readRegularText(file);
  if (read.state !== 'read') return undefined;
  const machine = toRecord(parseJson(read.text))['machine'];
  return typeof machine === 'string' ? machine : undefined;
}
