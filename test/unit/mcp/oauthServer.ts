import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** What an OAuth server does with the user. */
export type Mode = 'agrees' | 'refuses';

/** An MCP server on 127.0.0.1 that wants a token, and the OAuth server that gives it (code, PKCE, refresh). */
export async function startOAuthServer(t: TestContext) {
  const grants = createGrants();
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', base);
    seen.push(`${request.method} ${url.pathname}`);
    const body = await readBody(request);
    const answer = url.pathname === '/mcp' ? toMcp(request, body) : grants.answer(base, url, body);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
  });
  const toMcp = (request: IncomingMessage, body: string): Answer => {
    if (grants.isValid(request.headers.authorization)) return answerMcp(request, body);
    const metadata = `${base}/.well-known/oauth-protected-resource/mcp`;
    return {
      status: 401,
      headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` },
    };
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `${base}/mcp`, seen, ...grants };
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Code {
  readonly challenge: string;
  readonly redirect: string;
  readonly client: string;
}

function createGrants() {
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, Code>();
  const state = {
    mode: 'agrees' as Mode,
    access: '',
    refresh: '',
    canRefresh: true,
    isBroken: false,
  };
  const issue = (): Answer => {
    state.access = `access-${randomUUID()}`;
    state.refresh = `refresh-${randomUUID()}`;
    const tokens = { access_token: state.access, refresh_token: state.refresh };
    return { status: 200, body: { ...tokens, token_type: 'Bearer', expires_in: 3600 } };
  };
  const invalid: Answer = { status: 400, body: { error: 'invalid_grant' } };

  const register = (body: string): Answer => {
    const client_id = randomUUID();
    const wanted = JSON.parse(body);
    clients.set(client_id, wanted.redirect_uris);
    return { status: 201, body: { ...wanted, client_id } };
  };
  const authorize = (base: string, query: URLSearchParams): Answer => {
    const redirect = query.get('redirect_uri') ?? '';
    const client = query.get('client_id') ?? '';
    if (!clients.get(client)?.includes(redirect)) return { status: 400 };
    if (query.get('code_challenge_method') !== 'S256') return { status: 400 };
    const back = new URL(redirect);
    back.searchParams.set('state', query.get('state') ?? '');
    if (state.mode === 'refuses') back.searchParams.set('error', 'access_denied');
    else {
      const code = randomUUID();
      codes.set(code, { challenge: query.get('code_challenge') ?? '', redirect, client });
      back.searchParams.set('code', code);
      back.searchParams.set('iss', base);
    }
    return { status: 302, headers: { location: back.href } };
  };
  const token = (given: URLSearchParams): Answer => {
    if (state.isBroken) return { status: 503 };
    if (given.get('grant_type') === 'refresh_token') {
      return state.canRefresh && given.get('refresh_token') === state.refresh ? issue() : invalid;
    }
    const code = codes.get(given.get('code') ?? '');
    codes.delete(given.get('code') ?? '');
    const verifier = given.get('code_verifier') ?? '';
    const proof = createHash('sha256').update(verifier).digest('base64url');
    if (code?.challenge !== proof || code.redirect !== given.get('redirect_uri')) return invalid;
    return code.client === given.get('client_id') ? issue() : invalid;
  };
  return {
    state,
    /** As after an hour: the access token is no longer valid. */
    expire: () => {
      state.access = '';
    },
    isValid: (header: string | undefined) =>
      state.access !== '' && header === `Bearer ${state.access}`,
    answer(base: string, { pathname, searchParams }: URL, body: string): Answer {
      if (pathname.startsWith('/.well-known/oauth-protected-resource')) {
        return { status: 200, body: { resource: `${base}/mcp`, authorization_servers: [base] } };
      }
      if (pathname === '/.well-known/oauth-authorization-server') return describe(base);
      if (pathname === '/register') return register(body);
      if (pathname === '/authorize') return authorize(base, searchParams);
      return pathname === '/token' ? token(new URLSearchParams(body)) : { status: 404 };
    },
  };
}

function describe(base: string): Answer {
  const body = {
    ...{ issuer: base, authorization_endpoint: `${base}/authorize` },
    ...{ token_endpoint: `${base}/token`, registration_endpoint: `${base}/register` },
    ...{ response_types_supported: ['code'], code_challenge_methods_supported: ['S256'] },
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  };
  return { status: 200, body };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function answerMcp({ method }: IncomingMessage, body: string): Answer {
  if (method !== 'POST') return { status: 405 };
  const { id, method: name, params } = JSON.parse(body);
  if (id === undefined) return { status: 202 };
  const tool = { name: 'whoami', description: 'Says who.', inputSchema: { type: 'object' } };
  const results: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'signed', version: '1' },
    },
    'tools/list': { tools: [tool] },
    'tools/call': { content: [{ type: 'text', text: 'It is you.' }] },
  };
  const result = results[name];
  const error = { code: -32_601, message: 'No such method.' };
  return { status: 200, body: { jsonrpc: '2.0', id, ...(result ? { result } : { error }) } };
}
