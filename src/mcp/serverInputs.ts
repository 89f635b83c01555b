import { getMessage } from '../base/faults.ts';
import type { AskInput, McpServer, ServerInput } from '../base/tools/mcpServer.ts';
import { hashText } from './config/parseServer.ts';

/** The values that entries leave to the user, for the life of the process. */
export interface ServerInputs {
  get(file: string, id: string, hash: string): string | undefined;
  /** Asks for what these accepted servers miss, each once. Resolves with the last answer. */
  request(servers: readonly McpServer[]): Promise<void>;
  /** Why the server has not been started. */
  describe(server: McpServer): string;
  /** Asks again for the values of this server when they are next needed. */
  drop(server: McpServer): void;
}

interface Slot {
  readonly hash: string;
  readonly state: 'asking' | 'given' | 'refused' | 'again';
  readonly value?: string;
  /** Why asking failed. */
  readonly fault?: string;
}

/** Without `ask`, the client can't ask, and no server that needs a value starts. */
export function createServerInputs(ask: AskInput | undefined, onChange: () => void): ServerInputs {
  const slots = new Map<string, Slot>();
  // One question after the other, however many servers start.
  let last: Promise<void> = Promise.resolve();

  const askFor = async ({ name, file, hash }: McpServer, input: ServerInput) => {
    const key = toKey(file, hash, input.id);
    const known = slots.get(key)?.state;
    if (ask === undefined || (known !== undefined && known !== 'again')) return;
    slots.set(key, { hash, state: 'asking' });
    const again = known === 'again';
    const turn = last.then(async () => {
      const slot = await answer(ask, { server: name, input, key, again });
      slots.set(key, { hash, ...slot });
      onChange();
    });
    last = turn;
    await turn;
  };
  return {
    get: (file, id, hash) => slots.get(toKey(file, hash, id))?.value,
    async request(servers) {
      const all = servers.flatMap((server) =>
        (server.missing ?? []).map((input) => askFor(server, input)),
      );
      await Promise.all(all);
    },
    describe(server) {
      const missing = server.missing ?? [];
      const getSlot = ({ id }: ServerInput) => slots.get(toKey(server.file, server.hash, id));
      const first = missing.find((input) => getSlot(input)?.state === 'refused') ?? missing[0];
      const slot = first && getSlot(first);
      const what = `The MCP server "${server.name}" needs a value for its input "${first?.id}"`;
      if (ask === undefined) return `${what}, and this client can't ask for it. ${USE_ENV}`;
      if (slot?.state !== 'refused') return `${what}. You are asked for it.`;
      return `${what}. ${slot.fault ?? 'You gave none.'} Choose "Restart Server" to give it.`;
    },
    drop({ hash }) {
      for (const [key, slot] of slots) {
        if (slot.hash === hash && slot.state !== 'asking') slots.set(key, { hash, state: 'again' });
      }
    },
  };
}

const USE_ENV =
  'Set an environment variable, and name it in the entry instead of the input, as $' +
  '{env:NAME}.';

async function answer(ask: AskInput, asked: Parameters<AskInput>[0]): Promise<Omit<Slot, 'hash'>> {
  try {
    const value = await ask(asked);
    return value === undefined ? { state: 'refused' } : { state: 'given', value };
  } catch (fault) {
    return { state: 'refused', fault: getMessage(fault) };
  }
}

function toKey(file: string, hash: string, id: string): string {
  return hashText(JSON.stringify([file, hash, id]));
}
