import type { AvailableCommand } from '@agentclientprotocol/sdk';
import { COMMANDS } from '../../acp/commands.ts';
import { atMostEvery, type Clock, systemClock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { getMessage } from '../../base/faults.ts';
import type { OpenHost } from '../session/openHost.ts';
import { listCommands } from '../session/tools/serverCommands.ts';

export interface CommandPublisher extends Disposable {
  /** Publishes the commands of the session, and later their changes. */
  opened(sessionId: string): void;
}

/** How often the commands are looked at, in milliseconds: a server may change its lists all the time. */
const PACE_MS = 200;

/**
 * Tells the client which commands a session has. Our own editor lists the prompts of MCP servers itself, and
 * shows what they give before it is sent.
 */
export function publishCommands(
  { services, sessions }: OpenHost,
  clock: Clock = systemClock,
): CommandPublisher {
  const { client, warn } = services;
  const store = new DisposableStore();
  /** What each session was sent last, as JSON, and the newest look at its commands. */
  const sent = new Map<string, { text: string; look: symbol }>();
  const note = (error: unknown) => warn(`The commands were not published: ${getMessage(error)}`);

  async function send(sessionId: string, commands: readonly AvailableCommand[]): Promise<void> {
    const text = JSON.stringify(commands);
    const last = sent.get(sessionId);
    if (last?.text === text) return;
    sent.set(sessionId, { look: Symbol(), ...last, text });
    await client.update(sessionId, {
      sessionUpdate: 'available_commands_update',
      availableCommands: [...commands],
    });
  }
  async function publish(sessionId: string): Promise<void> {
    const session = sessions.find(sessionId);
    if (session === undefined) return void sent.delete(sessionId);
    const look = Symbol();
    sent.set(sessionId, { text: '', ...sent.get(sessionId), look });
    const commands = await listCommands(services, session);
    // A newer look, or another client, has published them meanwhile.
    if (sent.get(sessionId)?.look === look) await send(sessionId, commands);
  }
  const follow = once(async () => {
    const catalog = await services.tools();
    const publishAll = () => {
      for (const id of sent.keys()) publish(id).catch(note);
    };
    const paced = store.add(atMostEvery(clock, PACE_MS, publishAll));
    store.add(catalog.onDidChange(paced.call));
  });
  return {
    opened(sessionId) {
      // A client that opens the session again does not have them any more.
      sent.delete(sessionId);
      send(sessionId, COMMANDS).catch(note);
      if (client.facts.gatehouse) return;
      follow().catch(note);
      publish(sessionId).catch(note);
    },
    dispose() {
      sent.clear();
      store.dispose();
    },
  };
}

function once(run: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => {
    result ??= run();
    return result;
  };
}
