import { type Clock, systemClock } from '../../base/clock.ts';
import type { McpServer } from '../../base/tools/mcpServer.ts';
import type { SourceSession } from '../../tools/toolSource.ts';
import { McpConnection } from './connection.ts';
import type { TransportParts } from './openTransport.ts';

/** How long a turn waits for servers that start, unless `limits.serverStartMs` says otherwise. */
export const START_MS = 4000;

export interface ConnectionsOptions {
  readonly version: string;
  readonly clock?: Clock;
  transport(session: SourceSession): TransportParts;
  onChange(): void;
}

/** The running servers. Sessions with the same folders share those that are configured; a client's are its session's. */
export interface Connections {
  /** The servers' connections, started if they are not. Those that no session uses any more are ended. */
  open(session: SourceSession, servers: readonly McpServer[]): readonly McpConnection[];
  /** The server's connection, if it was started. */
  find(session: SourceSession, server: McpServer): McpConnection | undefined;
  /** Waits for first attempts; for each connection until `ms` after the first call, whoever waits. */
  settle(open: readonly McpConnection[], ms: number): Promise<void>;
  drop(sessionId: string): void;
  /** Ends a server, which is then started anew when a session next opens it. */
  end(session: SourceSession, server: McpServer): void;
  dispose(): Promise<void>;
}

export function createConnections(options: ConnectionsOptions): Connections {
  const running = new Map<string, McpConnection>();
  const uses = new Map<string, ReadonlySet<string>>();
  const waits = new WeakMap<McpConnection, Promise<void>>();
  const { clock = systemClock } = options;

  const endUnused = () => {
    const used = new Set([...uses.values()].flatMap((keys) => [...keys]));
    for (const [key, connection] of running) {
      if (used.has(key)) continue;
      running.delete(key);
      void connection.close();
    }
  };
  return {
    open(session, servers) {
      const keys = servers.map((server) => toKey(session, server));
      uses.set(session.id, new Set(keys));
      endUnused();
      return servers.map((server, at) => {
        const key = keys[at] ?? '';
        const connection = running.get(key) ?? start(session, server, options);
        connection.server = server;
        connection.hidden = session.hidden;
        running.set(key, connection);
        return connection;
      });
    },
    find: (session, server) => running.get(toKey(session, server)),
    async settle(open, ms) {
      await Promise.all(open.map((each) => wait(each, { waits, clock, ms })));
    },
    drop(sessionId) {
      uses.delete(sessionId);
      endUnused();
    },
    end(session, server) {
      const key = toKey(session, server);
      void running.get(key)?.close();
      running.delete(key);
    },
    dispose() {
      uses.clear();
      const all = [...running.values()];
      running.clear();
      return Promise.all(all.map((each) => each.close())).then(() => undefined);
    },
  };
}

function start(
  session: SourceSession,
  server: McpServer,
  { version, clock, transport, onChange }: ConnectionsOptions,
): McpConnection {
  const parts = { ...transport(session), version, roots: session.folders };
  const hidden = session.hidden && { hidden: session.hidden };
  const connection = new McpConnection(server, { ...parts, ...hidden, ...(clock && { clock }) });
  connection.onDidChange(onChange);
  return connection;
}

interface WaitParts {
  readonly waits: WeakMap<McpConnection, Promise<void>>;
  readonly clock: Clock;
  readonly ms: number;
}

/** Sessions that ask meanwhile wait too; later turns don't wait for a server that hangs. */
function wait(connection: McpConnection, { waits, clock, ms }: WaitParts): Promise<void> {
  const known = waits.get(connection);
  if (known !== undefined) return known;
  const over = Promise.withResolvers<void>();
  const timer = clock.after(ms, () => over.resolve());
  void connection.settled().then(() => {
    timer.dispose();
    over.resolve();
  });
  waits.set(connection, over.promise);
  return over.promise;
}

/** Sessions whose rules hide other files from programs don't share one; rules that change start it anew. */
function toKey(
  { id, folders, hidden }: SourceSession,
  { origin, name, file, how }: McpServer,
): string {
  const rules = how.type === 'stdio' && hidden?.id;
  return JSON.stringify([origin === 'session' ? id : folders, name, file, how, rules]);
}
