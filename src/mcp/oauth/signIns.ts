import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { type Clock, systemClock } from '../../base/clock.ts';
import { getMessage } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { HttpServer, McpServer } from '../../base/tools/mcpServer.ts';
import { createGuardedFetch, type FetchHooks, type GuardedFetch } from '../connect/guardedFetch.ts';
import { type Callback, listenForAnswer } from './callback.ts';
import { openCredentials, type SecretStore } from './credentials.ts';
import { createQuietProvider, createSignInProvider } from './providers.ts';

/** The user's browser, and where it reaches this machine. */
export interface Browser {
  /** Where the browser finds a port of this machine: the editor may run on another one. */
  externalUri(url: string): Promise<string>;
  /** False: the user did not want it. */
  open(server: string, url: string): Promise<boolean>;
}

export interface SignInOptions {
  readonly secrets: SecretStore;
  readonly browser: Browser;
  readonly clock?: Clock;
  readonly fetch?: FetchHooks;
}

/** The sign-ins at servers that are reached by HTTP (spec CS-58). */
export interface SignIns {
  /** Undefined for a server whose entry has an `Authorization` header, and for a program. */
  provider(server: McpServer): OAuthClientProvider | undefined;
  isSignedIn(server: McpServer): Promise<boolean>;
  /** Opens the user's browser and waits for the answer. A second one for the same URL ends the first. */
  signIn(server: McpServer): Promise<Outcome<void>>;
  signOut(server: McpServer): Promise<Outcome<void>>;
  dispose(): void;
}

/** A user who went away, in milliseconds. */
const LONGEST_MS = 5 * 60_000;

export function createSignIns(options: SignInOptions): SignIns {
  const running = new Map<string, AbortController>();
  const open = (how: HttpServer) => openCredentials(options.secrets, how.url);
  return {
    provider(server) {
      const how = toHow(server);
      return how && createQuietProvider(open(how));
    },
    async isSignedIn(server) {
      const how = toHow(server);
      return how !== undefined && (await open(how).read()).tokens !== undefined;
    },
    async signIn(server) {
      const how = toHow(server);
      if (how === undefined) return failure(describeUseless(server));
      running.get(how.url)?.abort(new Error('It was started again.'));
      const ended = new AbortController();
      running.set(how.url, ended);
      const late = () => ended.abort(new Error('There was no answer within 5 minutes.'));
      const timer = (options.clock ?? systemClock).after(LONGEST_MS, late);
      try {
        await run(options, { name: server.name, how }, ended.signal);
        return success(undefined);
      } catch (fault) {
        const what = `You are not signed in to the MCP server "${server.name}".`;
        return failure(
          `${what} ${getMessage(fault)} Nothing was changed; choose "Sign In" to try again.`,
        );
      } finally {
        timer.dispose();
        if (running.get(how.url) === ended) running.delete(how.url);
      }
    },
    async signOut(server) {
      const how = toHow(server);
      if (how === undefined) return failure(describeUseless(server));
      await open(how).write({});
      return success(undefined);
    },
    dispose() {
      for (const each of running.values()) each.abort(new Error('The host has ended.'));
    },
  };
}

function toHow({ how }: McpServer): HttpServer | undefined {
  if (how.type === 'stdio') return undefined;
  const isFixed = Object.keys(how.headers).some((name) => /^authorization$/i.test(name));
  return isFixed ? undefined : how;
}

function describeUseless({ name, how }: McpServer): string {
  return how.type === 'stdio'
    ? `The MCP server "${name}" is a program, and nobody signs in to it.`
    : `The entry of the MCP server "${name}" has an Authorization header. Remove it to sign in.`;
}

/** The library takes no signal, and neither the editor nor the server has to answer. */
function endsWith(signal: AbortSignal, fetch: GuardedFetch): GuardedFetch {
  return (input, init) => {
    const signals = [signal, ...(init?.signal ? [init.signal] : [])];
    return fetch(input, { ...init, signal: AbortSignal.any(signals) });
  };
}

function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
  if (signal.aborted) aborted.reject(signal.reason);
  return Promise.race([work, aborted.promise]);
}

interface SignInTarget {
  readonly name: string;
  readonly how: HttpServer;
}

async function run(options: SignInOptions, target: SignInTarget, signal: AbortSignal) {
  const callback = await listenForAnswer();
  try {
    await unlessAborted(authorize(options, target, { callback, signal }), signal);
  } finally {
    callback.close();
  }
}

async function authorize(
  { secrets, browser, fetch: hooks }: SignInOptions,
  { name, how: { url, clientId } }: SignInTarget,
  { callback, signal }: { readonly callback: Callback; readonly signal: AbortSignal },
): Promise<void> {
  const { auth, extractWWWAuthenticateParams } = await import('../connect/sdk.ts');
  const fetchFn = endsWith(signal, createGuardedFetch(url, hooks));
  const redirectUrl = await browser.externalUri(callback.url);
  const provider = createSignInProvider(
    openCredentials(secrets, url),
    redirectUrl,
    async (page) => {
      if (!(await browser.open(name, page.href))) throw new Error('The browser was not opened.');
    },
    clientId,
  );
  // The server says where its users sign in when it is asked without a token.
  const asked = await fetchFn(url, { headers: { accept: 'text/event-stream' } });
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(asked);
  await asked.body?.cancel();
  const target = {
    ...{ serverUrl: url, fetchFn },
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
    ...(scope !== undefined && { scope }),
  };
  const waiting = callback.wait(provider.expected, signal);
  if ((await auth(provider, target)) === 'AUTHORIZED') return;
  const { code, issuer } = await waiting;
  const iss = issuer === undefined ? {} : { iss: issuer };
  await auth(provider, { ...target, ...iss, authorizationCode: code });
}
