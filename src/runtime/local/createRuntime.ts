import { failure, type Outcome } from '../../base/outcome.ts';
import type { Chunk } from '../../base/stream/chunk.ts';
import type { TerminalInput } from '../../base/terminalInput.ts';
import { resolvePath } from '../../permissions/patterns/paths.ts';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
import { type CloneLimits, createRepositories } from '../clone/cloneRepository.ts';
import { createClientShell } from '../commands/clientShell.ts';
import { createProcesses } from '../commands/processes.ts';
import { createLocalShell } from '../commands/shell.ts';
import type { ConfinedStart } from '../confined.ts';
import { createJournal, type Journal } from '../files/journal.ts';
import { createLocalFiles } from '../files/localFiles.ts';
import { createOverlayFiles } from '../files/overlayFiles.ts';
import type { Limits } from '../limits.ts';
import { createNet, type NetHooks } from '../net/net.ts';
import type { ChangeLog, Overlay } from '../overlay.ts';
import { createProtectedFiles } from '../protectedFiles.ts';
import type {
  ClientFiles,
  ClientTerminals,
  Gate,
  Runtime,
  Shell,
  TerminalView,
} from '../runtime.ts';
import { createSearch } from '../search/search.ts';
import type { SessionServices } from '../sessionServices.ts';
import { createSidecars, type SidecarFolder } from '../sidecars.ts';
import { UserWaiting } from '../waiting.ts';
import { createEntries } from './entries.ts';
import { createRecordedFiles, createRecordedProtectedFiles } from './recordedFiles.ts';

export interface RuntimeOptions {
  /** Called for each call, because folders change while the editor runs. */
  folders(): PolicyFolders;
  limits(): Limits;
  readonly shell: 'bash' | 'pwsh' | 'cmd';
  /** The host's own environment; `childEnvironment` reduces it for commands. */
  readonly env: NodeJS.ProcessEnv;
  /** The variables that the user passes to commands, as of each call. */
  readonly passes?: () => readonly string[];
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
  /**
   * The session's proposed changes, as of each call: its file tools see and change these instead of
   * the files. Undefined: they change the files.
   */
  readonly overlay?: () => Overlay | undefined;
  /** Keeps what calls change in files. */
  readonly changes?: ChangeLog;
  /** Replaces name lookup and connecting in tests. */
  readonly net?: NetHooks;
  /** Replaced by tests. */
  readonly clone?: CloneLimits;
}

/** The local machine, for one session. */
export interface SessionRuntime {
  /** Creates the runtime of one call. */
  runtime(
    toolCallId: string,
    signal: AbortSignal,
    emit: (chunk: Chunk) => void,
    gate: Gate,
    /** Runs its commands in the sandbox, even for a client that has terminals of its own. */
    confined?: ConfinedStart,
  ): Runtime;
  /** The same for the host's own operations, which reach the files whatever the overlay has. */
  diskRuntime: SessionRuntime['runtime'];
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

  const parts = { options, processes, sidecars, journal, protectedFiles };
  return {
    runtime: (...call) => toCallRuntime(parts, options.overlay?.())(...call),
    diskRuntime: toCallRuntime(parts, undefined),
    terminalInput: (input) => processes.input(input),
    async close() {
      await processes.endAll();
      await sidecars.remove();
    },
  };
}

interface RuntimeParts {
  readonly options: RuntimeOptions;
  readonly processes: ReturnType<typeof createProcesses>;
  readonly sidecars: SidecarFolder;
  readonly journal: Journal;
  readonly protectedFiles: ReturnType<typeof createProtectedFiles>;
}

function toCallRuntime(
  { options, processes, sidecars, journal, protectedFiles }: RuntimeParts,
  overlay: Overlay | undefined,
): SessionRuntime['runtime'] {
  return (toolCallId, signal, emit, gate, confined) => {
    const folders = options.folders();
    const progress: SessionServices['progress'] = (display) =>
      emit({ type: 'tool-progress', toolCallId, display });
    const onStart = (terminalId: string) =>
      progress({ content: [{ type: 'terminal', terminalId }] });
    const { client, getEncoding } = options;
    const rgPath = options.rgPath?.();
    const access = { folders, gate, signal, ...(client && { client }) };
    const local = createLocalFiles({ ...access, journal, ...(getEncoding && { getEncoding }) });
    const { changes } = options;
    const files = changes ? createRecordedFiles(local, changes, toolCallId) : local;
    let collected = false;
    const onChange = () => {
      collected = true;
    };
    const seen = overlay && createOverlayFiles({ files, overlay, gate, toolCallId, onChange });
    const search = { ...access, ...(overlay && { overlay }), ...(rgPath && { rgPath }) };
    return {
      folders,
      limits: options.limits(),
      signal,
      waiting: new UserWaiting(),
      sidecars,
      protectedFiles: changes
        ? createRecordedProtectedFiles(protectedFiles, changes, toolCallId)
        : protectedFiles,
      session: { ...options.session, progress },
      fs: { ...(seen ?? files), ...createSearch(search) },
      entries: createEntries({
        ...{ gate, journal, signal },
        ...(changes && { note: (change) => changes.noteEntry(toolCallId, change) }),
      }),
      shell: withRealFolder(
        createShell(options, { processes, sidecars, signal, onStart, confined }),
      ),
      net: createNet(gate, signal, options.net),
      repositories: createRepositories({
        ...{ gate, journal, folders, signal, env: options.env, hooks: options.net ?? {} },
        ...(options.clone && { limits: options.clone }),
      }),
      ...(confined && { confined }),
      ...(overlay && { hasCollected: () => collected }),
    };
  };
}

interface ShellParts {
  readonly processes: ReturnType<typeof createProcesses>;
  readonly sidecars: SidecarFolder;
  readonly signal: AbortSignal;
  readonly onStart: (terminalId: string) => void;
  readonly confined: ConfinedStart | undefined;
}

function createShell(options: RuntimeOptions, parts: ShellParts): Shell {
  const { view, terminals, env, shell } = options;
  if (terminals && !view && !parts.confined) {
    return createClientShell({ terminals, shell, signal: parts.signal, onStart: parts.onStart });
  }
  const { onStart, confined, ...rest } = parts;
  const own = { ...(view && { view, onStart }), ...(confined && { confined }) };
  const passes = options.passes?.() ?? [];
  return createLocalShell({ env, passes, shell, ...rest, ...own });
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
