import { failure, type Outcome } from '../../base/outcome.ts';
import type { Chunk } from '../../base/stream/chunk.ts';
import type { TerminalInput } from '../../base/terminalInput.ts';
import { resolvePath } from '../../permissions/patterns/paths.ts';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
import { createClientShell } from '../commands/clientShell.ts';
import { createProcesses } from '../commands/processes.ts';
import { createLocalShell } from '../commands/shell.ts';
import { createJournal } from '../files/journal.ts';
import { createLocalFiles } from '../files/localFiles.ts';
import type { Limits } from '../limits.ts';
import { createNet, type NetHooks } from '../net/net.ts';
import { createProtectedFiles } from '../protectedFiles.ts';
import type {
  ClientFiles,
  ClientTerminals,
  Gate,
  Runtime,
  SessionServices,
  Shell,
  TerminalView,
} from '../runtime.ts';
import { createSearch } from '../search/search.ts';
import { createSidecars, type SidecarFolder } from '../sidecars.ts';

export interface RuntimeOptions {
  /** Called for each call, because folders change while the editor runs. */
  folders(): PolicyFolders;
  limits(): Limits;
  readonly shell: 'bash' | 'pwsh' | 'cmd';
  /** The host's own environment; `childEnvironment` reduces it for commands. */
  readonly env: NodeJS.ProcessEnv;
  /** The session's services except `progress`, which goes through the call's chunks. */
  readonly session: Omit<SessionServices, 'progress'>;
  /** The client's open documents. */
  readonly client?: ClientFiles;
  /** Another client's terminals; used only without a `view`. */
  readonly terminals?: ClientTerminals;
  /** Displays the host's commands in the editor's pane. */
  readonly view?: TerminalView;
  /** Path of the editor's ripgrep. */
  readonly rgPath?: () => string | undefined;
  /** The editor's `files.encoding` for a path. */
  readonly getEncoding?: (path: string) => string | undefined;
  /** Replaces name lookup and connecting in tests. */
  readonly net?: NetHooks;
}

/** The local machine, for one session. */
export interface SessionRuntime {
  /** Creates the runtime of one call; has the signature of `CallContext.runtime`. */
  runtime(
    toolCallId: string,
    signal: AbortSignal,
    emit: (chunk: Chunk) => void,
    gate: Gate,
  ): Runtime;
  /** Applies what the user did in a command's pane. */
  terminalInput(input: TerminalInput): Promise<Outcome<void>>;
  /** Kills what commands left running and removes the sidecars (spec C-47). */
  close(): Promise<void>;
}

/** Creates the runtime of a session on the local machine. */
export function createRuntime(options: RuntimeOptions): SessionRuntime {
  const processes = createProcesses();
  // The sidecar folder stays the same for the session's lifetime (spec CA-13).
  const sidecars = createSidecars(options.folders().sidecars);
  const journal = createJournal(options.folders().state);
  const protectedFiles = createProtectedFiles(() => options.folders().workspace);

  return {
    runtime(toolCallId, signal, emit, gate) {
      const folders = options.folders();
      const progress: SessionServices['progress'] = (display) =>
        emit({ type: 'tool-progress', toolCallId, display });
      const onStart = (terminalId: string) =>
        progress({ content: [{ type: 'terminal', terminalId }] });
      const { client, getEncoding } = options;
      const rgPath = options.rgPath?.();
      const access = { folders, gate, signal, ...(client && { client }) };
      return {
        folders,
        limits: options.limits(),
        signal,
        sidecars,
        protectedFiles,
        session: { ...options.session, progress },
        fs: {
          ...createLocalFiles({ ...access, journal, ...(getEncoding && { getEncoding }) }),
          ...createSearch({ ...access, ...(rgPath !== undefined && { rgPath }) }),
        },
        shell: withRealFolder(createShell(options, { processes, sidecars, signal, onStart })),
        net: createNet(gate, signal, options.net),
      };
    },
    terminalInput: (input) => processes.input(input),
    async close() {
      await processes.endAll();
      await sidecars.remove();
    },
  };
}

interface ShellParts {
  readonly processes: ReturnType<typeof createProcesses>;
  readonly sidecars: SidecarFolder;
  readonly signal: AbortSignal;
  readonly onStart: (terminalId: string) => void;
}

function createShell(options: RuntimeOptions, parts: ShellParts): Shell {
  const { view, terminals, env, shell } = options;
  if (terminals && !view) {
    return createClientShell({ terminals, shell, signal: parts.signal, onStart: parts.onStart });
  }
  const { onStart, ...rest } = parts;
  return createLocalShell({ env, shell, ...rest, ...(view && { view, onStart }) });
}

/**
 * Refuses a folder that leads elsewhere by now: the command was evaluated and approved for the real path
 * it is given, and a link may have taken the folder's place while the user was asked.
 */
function withRealFolder(shell: Shell): Shell {
  return {
    async run(request) {
      const { cwd } = request;
      const now = resolvePath(cwd, { cwd, platform: process.platform });
      if (!now.ok) return failure(`${now.error}.`);
      if (now.path === cwd) return shell.run(request);
      return failure(`${cwd} leads elsewhere than when the call was evaluated. Nothing was run.`);
    },
  };
}
