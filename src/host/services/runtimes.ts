import { failure, type Outcome } from '../../base/outcome.ts';
import type { TerminalInput } from '../../base/terminalInput.ts';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
import { createRuntime, type SessionRuntime } from '../../runtime/local/createRuntime.ts';
import type { ChangeLog, Overlay } from '../../runtime/overlay.ts';
import type { TerminalView } from '../../runtime/runtime.ts';
import type { Client } from '../client/client.ts';
import { createClientTerminals } from '../client/clientTerminals.ts';
import { createClientFiles } from '../client/documents.ts';
import type { HostConfiguration } from '../config/configuration.ts';

/** The session whose calls a runtime serves. */
export interface RuntimeSession {
  readonly id: string;
  folders(): PolicyFolders;
  configuration(): HostConfiguration;
  readonly review: RuntimeReview;
}

export interface RuntimeReview {
  /** The proposed changes that calls see and make at the moment; undefined: they change the files. */
  overlay(): Overlay | undefined;
  /** Keeps what calls change in files. */
  readonly changes: ChangeLog;
}

/** The runtimes of the open sessions. */
export interface Runtimes {
  of(session: RuntimeSession): SessionRuntime;
  /** Forwards user input in a pane to the session whose command it shows. */
  input(input: TerminalInput): Promise<Outcome<void>>;
  /** Kills the processes that the session's commands left running, and removes its sidecars. */
  endSession(sessionId: string): Promise<void>;
  dispose(): Promise<void>;
}

export interface RuntimesOptions {
  readonly client: Client;
  readonly env: NodeJS.ProcessEnv;
  /** The editor's terminal panes. */
  readonly view: TerminalView;
}

export function createRuntimes({ client, env, view }: RuntimesOptions): Runtimes {
  const open = new Map<string, SessionRuntime>();
  const owners = new Map<string, string>();

  function create(session: RuntimeSession): SessionRuntime {
    const files = createClientFiles(client, session.id);
    const { terminalView, clientTerminals } = client.facts;
    return createRuntime({
      folders: () => session.folders(),
      limits: () => session.configuration().settings.limits,
      shell: process.platform === 'win32' ? 'pwsh' : 'bash',
      env,
      passes: () => session.configuration().settings.passedVariables,
      // Each call has its own services; these are used outside of calls.
      session: { id: session.id, setTodo: () => undefined, count: () => 0 },
      rgPath: () => session.configuration().rgPath,
      overlay: () => session.review.overlay(),
      changes: session.review.changes,
      ...(files === undefined ? {} : { client: files }),
      ...(terminalView ? { view: owned(view, session.id, owners) } : {}),
      ...(clientTerminals && !terminalView
        ? { terminals: createClientTerminals(client, session.id) }
        : {}),
    });
  }

  async function endSession(sessionId: string): Promise<void> {
    const runtime = open.get(sessionId);
    open.delete(sessionId);
    for (const [terminalId, owner] of owners) {
      if (owner === sessionId) owners.delete(terminalId);
    }
    await runtime?.close();
  }

  return {
    of(session) {
      const known = open.get(session.id) ?? create(session);
      open.set(session.id, known);
      return known;
    },
    async input(input) {
      const runtime = open.get(owners.get(input.terminalId) ?? '');
      if (runtime === undefined) return failure('There is no such terminal.');
      return runtime.terminalInput(input);
    },
    endSession,
    async dispose() {
      await Promise.all([...open.keys()].map(endSession));
    },
  };
}

/** Records the session of each terminal, so that user input reaches it. */
function owned(view: TerminalView, sessionId: string, owners: Map<string, string>): TerminalView {
  return {
    ...view,
    opened(terminal) {
      owners.set(terminal.terminalId, sessionId);
      view.opened(terminal);
    },
  };
}
