import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Conversation, toConversation } from './conversation.ts';

/** One request the model server got, as a script and a test see it. */
export interface ModelRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly conversation: Conversation;
  /** `performance.now()` when its head was here. */
  readonly receivedAt: number;
  /** `performance.now()` when its answer was written; undefined until then. */
  readonly endedAt?: number;
}

/** What the scripted model answers to one request. */
export interface Reply {
  readonly reasoning?: string;
  readonly text?: string;
  /** The text is said again and again until this resolves. */
  readonly until?: Promise<unknown>;
  readonly calls?: readonly ScriptedCall[];
  /** Characters of text in one chunk; 20 unless said. */
  readonly chunkSize?: number;
  /** Milliseconds between chunks; 0 unless said. */
  readonly delayMs?: number;
  readonly finishReason?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly fault?: ScriptedFault;
}

export interface ScriptedCall {
  readonly tool: string;
  /** A string is sent as it is: so arguments that are not JSON are made. */
  readonly input: unknown;
  /** Made by the server unless given. */
  readonly id?: string;
}

export type ScriptedFault =
  /** Answers with a status and an error body, and no stream. */
  | {
      readonly at: 'head';
      readonly status: number;
      readonly message?: string;
      /** Instead of the error body. */
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Never sends a byte: silent, or the connection is closed on the caller. */
  | { readonly at: 'before-first'; readonly how: 'stall' | 'reset' }
  /** After the reply's text and calls: silence, a line that is not JSON, an error object, a lost connection, or an end without a finish. */
  | {
      readonly at: 'mid-stream';
      readonly how: 'stall' | 'broken-line' | 'error' | 'reset' | 'no-finish';
    };

/** A list is played in order, its last reply for ever; a function answers by the conversation. */
export type Script = readonly Reply[] | ((request: ModelRequest) => Reply);

export interface ModelServer {
  /** The base URL, with `/v1`. */
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** Drops the requests so far, of a test with very many. */
  dropRequests(): void;
  stop(): Promise<void>;
}

export const MODEL_ID = 'scripted-tour';

/** What `web_fetch` finds at `/tour/page`. */
const PAGE = `<!doctype html><title>A page of the tour</title>
<article><h1>A page of the tour</h1><p>It comes from the same loopback server as the model.</p></article>`;

/** A model server on loopback that speaks OpenAI's streaming wire and plays a script. */
export async function startModelServer(options: {
  readonly script: Script;
  readonly port?: number;
}): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  // On a busy machine, a client may use a connection just as the server closes it for being idle.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    answer(request, response, options.script, requests).catch((error: unknown) => {
      // A script that throws is a fault of the test: say it where the client shows it.
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: { message: `script: ${String(error)}` } });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests,
    dropRequests: () => void requests.splice(0),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  script: Script,
  requests: ModelRequest[],
): Promise<void> {
  const receivedAt = performance.now();
  const raw = await readBody(request);
  if (request.method === 'GET' && request.url === '/v1/models') {
    const data = [{ id: MODEL_ID, object: 'model', created: 0, owned_by: 'gatehouse' }];
    return sendJson(response, 200, { object: 'list', data });
  }
  if (request.method === 'GET' && request.url === '/tour/page') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(PAGE);
    return;
  }
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    return sendJson(response, 404, { error: { message: `no route ${request.url}` } });
  }
  const body = parseBody(raw);
  if (body === undefined) return sendJson(response, 400, { error: { message: 'not JSON' } });
  const seen: Omit<ModelRequest, 'endedAt'> & { endedAt?: number } = {
    receivedAt,
    headers: toHeaders(request),
    body,
    conversation: toConversation(body),
  };
  requests.push(seen);
  await play(response, pick(script, seen, requests.length), String(body['model']), requests.length);
  seen.endedAt = performance.now();
}

function pick(script: Script, request: ModelRequest, count: number): Reply {
  if (typeof script === 'function') return script(request);
  const reply = script[Math.min(count, script.length) - 1];
  if (reply === undefined) throw new Error('the script is empty');
  return reply;
}

async function play(
  response: ServerResponse,
  reply: Reply,
  model: string,
  count: number,
): Promise<void> {
  const { fault } = reply;
  if (fault?.at === 'before-first') {
    if (fault.how === 'reset') response.socket?.resetAndDestroy();
    return;
  }
  if (fault?.at === 'head' && fault.body !== undefined) {
    response.writeHead(fault.status, { ...fault.headers, 'content-type': 'text/plain' });
    response.end(fault.body);
    return;
  }
  if (fault?.at === 'head') {
    const error = { message: fault.message ?? `scripted ${fault.status}`, type: 'scripted' };
    return sendJson(response, fault.status, { error }, fault.headers);
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
  const wire = createWire(response, reply, model, count);
  await wire.send({ role: 'assistant', content: '' });
  for (const piece of cut(reply.reasoning ?? '', reply.chunkSize ?? 20)) {
    await wire.send({ reasoning_content: piece });
  }
  let over = reply.until === undefined;
  void reply.until?.then(() => {
    over = true;
  });
  do {
    for (const piece of cut(reply.text ?? '', reply.chunkSize ?? 20)) {
      await wire.send({ content: piece });
    }
  } while (!over && !response.destroyed);
  await sendCalls(wire, reply.calls ?? [], count);
  if (fault) return breakOff(response, fault.how);
  await wire.finish(reply.finishReason ?? (reply.calls?.length ? 'tool_calls' : 'stop'));
}

interface Wire {
  send(delta: object): Promise<void>;
  finish(reason: string): Promise<void>;
}

function createWire(response: ServerResponse, reply: Reply, model: string, count: number): Wire {
  const base = { id: `chatcmpl-${count}`, object: 'chat.completion.chunk', created: 0, model };
  const write = async (value: object) => {
    if (response.destroyed) return;
    const full = !response.write(`data: ${JSON.stringify({ ...base, ...value })}\n\n`);
    if (full) await drained(response);
    if (reply.delayMs) await pause(response, reply.delayMs);
  };
  return {
    send: (delta) => write({ choices: [{ index: 0, delta, finish_reason: null }] }),
    finish: async (reason) => {
      await write({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
      await write({ choices: [], usage: reply.usage ?? USAGE });
      response.end('data: [DONE]\n\n');
    },
  };
}

const USAGE = { prompt_tokens: 120, completion_tokens: 15, total_tokens: 135 };

/** Arguments come in pieces, as from a real model, the calls one after the other. */
async function sendCalls(wire: Wire, calls: readonly ScriptedCall[], count: number): Promise<void> {
  for (const [index, call] of calls.entries()) {
    const id = call.id ?? `call_${count}_${index}`;
    const text = typeof call.input === 'string' ? call.input : JSON.stringify(call.input);
    const [first = '', ...rest] = cut(text, 400);
    const head = { index, id, type: 'function', function: { name: call.tool, arguments: first } };
    await wire.send({ tool_calls: [head] });
    for (const piece of rest) {
      await wire.send({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
}

function breakOff(
  response: ServerResponse,
  how: Extract<ScriptedFault, { at: 'mid-stream' }>['how'],
): void {
  switch (how) {
    case 'stall':
      return;
    case 'broken-line':
      response.end('data: {"id": broken\n\ndata: [DONE]\n\n');
      return;
    case 'error': {
      const error = { message: 'The engine is overloaded', type: 'server_error', code: 503 };
      response.end(`data: ${JSON.stringify({ error })}\n\n`);
      return;
    }
    case 'reset':
      // After what was written has left; a reset would throw away what the client has not read yet.
      response.socket?.destroySoon();
      return;
    case 'no-finish':
      response.end();
  }
}

/** By code point, so that no character is torn in two. */
function cut(text: string, size: number): string[] {
  const points = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0; at < points.length; at += size) {
    pieces.push(points.slice(at, at + size).join(''));
  }
  return pieces;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

function pause(response: ServerResponse, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      response.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    response.on('close', done);
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString('utf8');
}

function parseBody(raw: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value))
      : undefined;
  } catch {
    return undefined;
  }
}

function toHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
}

function sendJson(
  response: ServerResponse,
  status: number,
  value: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}
