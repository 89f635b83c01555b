import { type Clock, systemClock } from '../../base/clock.ts';
import type { McpServer } from '../../base/tools/mcpServer.ts';
import type { SourceSession } from '../../tools/toolSource.ts';
import { McpConnection } from './connection.ts';
import type { TransportParts } from './openTransport.ts';

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
  /** Waits for first attempts, once for each connection. */
  settle(open: readonly McpConnection[], ms: number): Promise<void>;
  drop(sessionId: string): void;
  /** Ends a server, which is then started anew when a session next opens it. */
  end(session: SourceSession, server: McpServer): void;
  dispose(): Promise<void>;
}

export function createConnections(options: ConnectionsOptions): Connections {
  const running = new Map<string, McpConnection>();
  const uses = new Map<string, ReadonlySet<string>>();
  const waited = new WeakSet<McpConnection>();
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
        running.set(key, connection);
        return connection;
      });
    },
    settle: (open, ms) =>
      settle(
        open.filter((each) => isFirst(each, waited)),
        clock,
        ms,
      ),
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
  const connection = new McpConnection(server, { ...parts, ...(clock && { clock }) });
  connection.onDidChange(onChange);
  return connection;
}

/** Marks it, so that later turns don't wait for a server that hangs. */
function isFirst(connection: McpConnection, waited: WeakSet<McpConnection>): boolean {
  if (waited.has(connection)) return false;
  waited.add(connection);
  return true;
}

async function settle(fresh: readonly McpConnection[], clock: Clock, ms: number): Promise<void> {
  if (fresh.length === 0) return;
  const late = Promise.withResolvers<void>();
  const timer = clock.after(ms, () => late.resolve());
  await Promise.race([Promise.all(fresh.map((each) => each.settled())), late.promise]);
  timer.dispose();
}

function toKey({ id, folders }: SourceSession, { origin, name, file, how }: McpServer): string {
  return JSON.stringify([origin === 'session' ? id : folders, name, file, how]);
}
