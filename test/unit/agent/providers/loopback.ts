import { createServer, type IncomingMessage } from 'node:http';
import type { TestContext } from 'node:test';
import type { ChatModel, ModelCall, ModelPart } from '../../../../src/agent/model.ts';
import { toRecord } from '../../../../src/base/json.ts';

/** One request that a provider's server got. */
export interface Seen {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server on loopback that answers as a provider's documentation says. */
export async function serve(
  t: TestContext,
  answer: (seen: Seen) => Answer,
): Promise<{ readonly url: string; readonly seen: readonly Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const one = await toSeen(request);
    seen.push(one);
    const { status = 200, headers = {}, body } = answer(one);
    response.writeHead(status, headers);
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, seen };
}

async function toSeen(request: IncomingMessage): Promise<Seen> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  const text = Buffer.concat(pieces).toString('utf8');
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ),
    body: text === '' ? {} : toRecord(JSON.parse(text)),
  };
}

export function json(value: unknown, status = 200, headers = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  };
}

/** Server-sent events; `named`: each has the name of its `type`. */
export function events(list: readonly object[], { named = false, done = false } = {}): Answer {
  const rows = list.map((event) => {
    const name = named ? `event: ${String(toRecord(event)['type'])}\n` : '';
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return {
    headers: { 'content-type': 'text/event-stream' },
    body: rows.join('') + (done ? 'data: [DONE]\n\n' : ''),
  };
}

export function lines(list: readonly object[]): Answer {
  return {
    headers: { 'content-type': 'application/x-ndjson' },
    body: list.map((each) => `${JSON.stringify(each)}\n`).join(''),
  };
}

/** A conversation with all that a request may hold: an image, reasoning, two calls and their results. */
export const CALL: ModelCall = {
  prompt: [
    { role: 'system', content: 'You are a test.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look.' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I read both.' },
        { type: 'tool-call', toolCallId: 'call_a', toolName: 'read', input: { path: 'a' } },
        { type: 'tool-call', toolCallId: 'call_b', toolName: 'read', input: { path: 'b' } },
      ],
    },
    {
      role: 'tool',
      content: ['a', 'b'].map((name) => ({
        type: 'tool-result' as const,
        ...{ toolCallId: `call_${name}`, toolName: 'read' },
        output: { type: 'text' as const, value: `content of ${name}` },
      })),
    },
  ],
  tools: [
    {
      type: 'function',
      name: 'read',
      description: 'Reads a file.',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    },
  ],
  toolChoice: { type: 'auto' },
};

export async function play(model: ChatModel, call: ModelCall = CALL): Promise<ModelPart[]> {
  const { stream } = await model.doStream(call);
  const parts: ModelPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

/** What an answer said, called and used, without how it was cut. */
export function summarize(parts: readonly ModelPart[]) {
  const join = (type: ModelPart['type']) =>
    parts.flatMap((part) => (part.type === type && 'delta' in part ? [part.delta] : [])).join('');
  const finish = parts.find((part) => part.type === 'finish');
  return {
    text: join('text-delta'),
    reasoning: join('reasoning-delta'),
    calls: parts.flatMap((part) =>
      part.type === 'tool-call' ? [`${part.toolName} ${part.input}`] : [],
    ),
    reason: finish?.finishReason.unified,
    input: finish?.usage.inputTokens.total,
    cached: finish?.usage.inputTokens.cacheRead,
    output: finish?.usage.outputTokens.total,
  };
}
