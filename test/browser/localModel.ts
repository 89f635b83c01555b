import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** Ollama's usual port, at which Gatehouse looks for it. */
const PORT = 11_434;
const MODEL = 'qwen3:8b';

export interface LocalModel {
  /** User settings without which it isn't found: another program has the usual port. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The paths of all requests, in order. */
  readonly asked: readonly string[];
  stop(): void;
}

/** What answers as a fresh Ollama with one model does; each answer says `text`. */
export async function startLocalModel(text: string): Promise<LocalModel> {
  const asked: string[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    asked.push(request.url ?? '');
    await readAll(request);
    answer(request.url ?? '', response, text);
  });
  const port = await listen(server, PORT).catch(() => listen(server, 0));
  const address = `http://127.0.0.1:${port}`;
  return {
    asked,
    settings:
      port === PORT
        ? {}
        : { 'gatehouse.model.provider': 'ollama', 'gatehouse.model.baseUrl': address },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

async function readAll(request: IncomingMessage): Promise<void> {
  for await (const _ of request);
}

function answer(url: string, response: ServerResponse, text: string): void {
  const reply = REPLIES[url];
  if (reply === undefined) response.writeHead(404).end('{"error":"no such route"}');
  else if (url !== '/api/chat') response.end(JSON.stringify(reply));
  else {
    const row = (content: string) => ({ model: MODEL, message: { role: 'assistant', content } });
    const words = text.split(/(?<= )/).map((word) => ({ ...row(word), done: false }));
    const last = { ...row(''), done: true, done_reason: 'stop', prompt_eval_count: 9 };
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    for (const each of [...words, last]) response.write(`${JSON.stringify(each)}\n`);
    response.end();
  }
}

const REPLIES: Readonly<Record<string, object>> = {
  '/api/tags': { models: [{ name: MODEL, model: MODEL }] },
  '/api/show': {
    capabilities: ['completion', 'tools'],
    model_info: { 'qwen3.context_length': 40_960 },
  },
  '/api/chat': {},
};
