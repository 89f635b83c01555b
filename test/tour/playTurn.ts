import type { TestContext } from 'node:test';
import { createModel } from '../../src/agent/model.ts';
import { runTurn } from '../../src/agent/runTurn.ts';
import type { Turn } from '../../src/agent/turn.ts';
import { COMPACTION_AGENT } from '../../src/agentDefinitions/builtIn.ts';
import type { Chunk } from '../../src/base/stream/chunk.ts';
import type { Envelope } from '../../src/base/stream/envelope.ts';
import type { StoredMessage } from '../../src/base/stream/stored.ts';
import { DEFAULT_LIMITS } from '../../src/runtime/limits.ts';
import { MODEL_ID, type ModelServer, type Script, startModelServer } from './server.ts';

/** A view on a scripted model over real HTTP; the server stops with the test. */
export async function createView(
  context: TestContext,
  script: Script,
  options: Partial<Turn> = {},
): Promise<{ readonly view: Turn; readonly server: ModelServer }> {
  const server = await startModelServer({ script });
  context.after(() => server.stop());
  const view: Turn = {
    model: createModel({ baseUrl: server.url, id: MODEL_ID, apiKey: 'secret' }),
    system: 'You are a test.',
    messages: [userMessage('hello')],
    tools: [READ],
    images: true,
    call: async () => output('done'),
    summarizer: async () => ({ prompt: COMPACTION_AGENT.prompt }),
    limits: DEFAULT_LIMITS,
    signal: new AbortController().signal,
    ...options,
  };
  return { view, server };
}

export const READ = {
  id: 'read',
  kind: 'read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
} as const;

export function userMessage(text: string): StoredMessage {
  const parts = [{ id: 'prt_user', type: 'text' as const, text }];
  return { id: 'msg_user', sessionId: 'ses_test', role: 'user', metadata: {}, parts, createdAt: 0 };
}

export function output(data: unknown): Envelope {
  return { type: 'output', data, metadata: { duration_ms: 1 } };
}

/** The whole turn, `seen` called with each chunk before the next is asked for. */
export async function playTurn(view: Turn, seen?: (chunk: Chunk) => unknown): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of runTurn(view)) {
    chunks.push(chunk);
    await seen?.(chunk);
  }
  return withPlainIds(chunks);
}

/** Part ids are new each time: in what a test compares they are `#1`, `#2`, … */
function withPlainIds(chunks: readonly Chunk[]): Chunk[] {
  const known = new Map<string, string>();
  return chunks.map((chunk) => {
    if (!('id' in chunk) || chunk.id === undefined) return chunk;
    const id = known.get(chunk.id) ?? `#${known.size + 1}`;
    known.set(chunk.id, id);
    return { ...chunk, id };
  });
}
