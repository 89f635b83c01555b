import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { processMark, readMark } from '../../base/disk/processMark.ts';
import { readRegularText } from '../../base/disk/readRegular.ts';
import { realFolder } from '../../permissions/patterns/paths.ts';
import type { ConfinedStart } from '../../runtime/confined.ts';
import type { SessionCopy } from '../../runtime/sandbox/copy.ts';
import { createSandbox } from '../../runtime/sandbox/createSandbox.ts';
import { tryToRemove } from '../../runtime/sandbox/folders.ts';
import { nameMachine } from '../../runtime/sandbox/linux/programs.ts';
import { toSetUpFault } from '../../runtime/sandbox/prepareRun.ts';
import { refuse, refuseCopy, refuseStart } from '../../runtime/sandbox/refuse.ts';
import type { Egress, Sandbox, SandboxState } from '../../runtime/sandbox/sandbox.ts';

/** The sandbox of the host's sessions: the copies of the workspace in which they run commands. */
export interface SessionCopies {
  readonly state: SandboxState;
  /** Names the kernel and the bwrap. */
  readonly machine: string;
  /** Whether the kernel and the bwrap are still those. */
  isCurrent(): boolean;
  /**
   * Runs a program of the session for real, with nothing but these folders writable, and no `.git`
   * below them. `egress` is asked about each host that it contacts. `masks` are hidden from it.
   */
  live(
    sessionId: string,
    workspace: readonly string[],
    egress: Egress,
    masks?: readonly string[],
  ): ConfinedStart;
  /** The session's copy of these folders. Other folders than before: a new copy. */
  find(sessionId: string, workspace: readonly string[]): SessionCopy;
  /** Removes what the session's commands changed in its copy. */
  endSession(sessionId: string): Promise<void>;
  dispose(): Promise<void>;
}

interface OpenCopy {
  readonly workspace: readonly string[];
  readonly copy: SessionCopy;
}

/** Tests the sandbox, and removes the copies of hosts that were killed. `folder` is created. */
export async function openSessionCopies(
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<SessionCopies> {
  const sandbox = await openSandbox(folder, env);
  const own = path.join(folder, `${PREFIX}_${randomUUID()}`);
  const open = new Map<string, OpenCopy>();
  const folders = createLiveFolders(own);
  const create = (workspace: readonly string[]): OpenCopy => {
    markFolder(own);
    return {
      workspace,
      copy: sandbox.openCopy({ folder: path.join(own, randomUUID()), workspace }),
    };
  };
  return {
    state: sandbox.state,
    machine: sandbox.machine,
    isCurrent: () => nameMachine(env) === sandbox.machine,
    live(sessionId, workspace, egress, masks = []) {
      try {
        const folder = folders.of(sessionId);
        return sandbox.live({ folder, workspace: workspace.map(toReal), masks, egress });
      } catch (fault) {
        return refuseStart(toSetUpFault(fault));
      }
    },
    find(sessionId, written) {
      // The editor may know a folder by a link; commands run in what that leads to.
      const workspace = written.map(toReal);
      const known = open.get(sessionId);
      if (known && isDeepStrictEqual(known.workspace, workspace)) return known.copy;
      void close(known);
      open.delete(sessionId);
      try {
        const opened = create(workspace);
        open.set(sessionId, opened);
        return opened.copy;
      } catch (fault) {
        return refuseCopy(toSetUpFault(fault));
      }
    },
    async endSession(sessionId) {
      const known = open.get(sessionId);
      open.delete(sessionId);
      await close(known);
      folders.remove(sessionId);
    },
    async dispose() {
      await Promise.all([...open.values()].map(close));
      removeHost(own);
    },
  };
}

function toReal(folder: string): string {
  return realFolder(folder, process.platform);
}

/** What can't be removed of it is left to the next host. */
async function close(opened: OpenCopy | undefined): Promise<void> {
  await opened?.copy.close().catch(() => undefined);
}

async function openSandbox(folder: string, env: NodeJS.ProcessEnv): Promise<Sandbox> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeLeft(folder);
  } catch (fault) {
    return refuse(toSetUpFault(fault), nameMachine(env));
  }
  return createSandbox({ folder, env });
}

/** The folders with HOME and /tmp of what the sessions run for real. */
function createLiveFolders(own: string) {
  const known = new Map<string, string>();
  return {
    of(sessionId: string): string {
      markFolder(own);
      const folder = known.get(sessionId) ?? path.join(own, randomUUID());
      known.set(sessionId, folder);
      return folder;
    },
    remove(sessionId: string): void {
      const folder = known.get(sessionId);
      known.delete(sessionId);
      if (folder !== undefined) tryToRemove(folder);
    },
  };
}

/** Creates the folder of this host, with its mark. */
function markFolder(own: string): void {
  mkdirSync(own, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(own, HOST_FILE), processMark(), { mode: 0o600 });
}

/** Holds the mark of the host whose copies lie beside it. */
const HOST_FILE = 'host';
const PREFIX = 'host';

function removeLeft(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${PREFIX}_`)) continue;
    const left = path.join(folder, name);
    const host = readRegularText(path.join(left, HOST_FILE));
    if (host.state === 'read' && readMark(host.text) === 'ended') removeHost(left);
  }
}

/** Its mark goes last: without it, no later host would know that what is left may be removed. */
function removeHost(folder: string): void {
  const list = () => (existsSync(folder) ? readdirSync(folder) : []);
  for (const name of list()) if (name !== HOST_FILE) tryToRemove(path.join(folder, name));
  if (list().every((name) => name === HOST_FILE)) tryToRemove(folder);
}
