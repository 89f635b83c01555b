import path from 'node:path';
import { failure } from '../../base/outcome.ts';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
import type { ConfinedStart } from '../../runtime/confined.ts';
import type { Gate } from '../../runtime/runtime.ts';
import type { CallContext } from '../../tools/call.ts';
import type { DataFolder } from '../config/dataFolder.ts';
import type { Settings } from '../config/settings.ts';
import { createConfinement, toRefusal, toRoots } from '../services/confinement.ts';
import type { SessionCopies } from '../services/sessionCopies.ts';

/** The sandbox of one `gatehouse call`. Nobody is asked, so what can't be confined is refused. */
export interface CallConfinement {
  readonly confine: NonNullable<CallContext['confine']>;
  start(gate: Gate): ConfinedStart;
  dispose(): Promise<void>;
}

/** Undefined: the settings require no sandbox. */
export function createCallConfinement(
  { sandboxMode }: Pick<Settings, 'sandboxMode'>,
  sessionId: string,
  folders: PolicyFolders,
  { state }: DataFolder,
  env: NodeJS.ProcessEnv,
): CallConfinement | undefined {
  if (sandboxMode !== 'require') return undefined;
  let opening: Promise<SessionCopies> | undefined;
  const open = async () => {
    const { openSessionCopies } = await import('../services/sessionCopies.ts');
    return openSessionCopies(path.join(state, 'copies'), env);
  };
  const copies = () => {
    opening ??= open();
    return opening;
  };
  const confinement = createConfinement(copies, state);
  return {
    async confine() {
      const isolation = await confinement.findIsolation();
      return isolation.ok ? isolation : failure(toRefusal(isolation.error));
    },
    start: (gate) => confinement.start(sessionId, toRoots(folders), gate),
    async dispose() {
      await (await opening?.catch(() => undefined))?.dispose();
    },
  };
}
