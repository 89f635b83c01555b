import { randomBytes } from 'node:crypto';
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { SignInNeeded } from '../connect/signInNeeded.ts';
import type { CredentialStore } from './credentials.ts';

/** Uses the tokens of an earlier sign-in and renews them. It opens no browser and registers nothing. */
export function createQuietProvider(credentials: CredentialStore): OAuthClientProvider {
  /** The tokens that a refresh runs with. */
  let used: StoredOAuthTokens | undefined;
  return {
    redirectUrl: NOWHERE,
    clientMetadata: toMetadata(NOWHERE),
    async clientInformation() {
      const { client } = await credentials.read();
      if (client === undefined) throw new SignInNeeded();
      return client;
    },
    async saveClientInformation(client) {
      await credentials.write({ ...(await credentials.read()), client });
    },
    async tokens(context) {
      const { tokens } = await credentials.read();
      if (context !== undefined) used = tokens;
      return tokens;
    },
    async saveTokens(tokens) {
      await credentials.write({ ...(await credentials.read()), tokens });
    },
    async redirectToAuthorization() {
      const { tokens } = await credentials.read();
      // A refusal removes them. Without one, the next request may succeed.
      if (tokens?.refresh_token !== undefined) throw new Error(NOT_RENEWED);
      throw new SignInNeeded();
    },
    saveCodeVerifier: () => undefined,
    codeVerifier: () => '',
    async invalidateCredentials(scope) {
      const { client, tokens } = await credentials.read();
      // Another window, or another request, may have renewed them meanwhile.
      if (tokens?.refresh_token !== used?.refresh_token) return;
      if (scope === 'tokens') await credentials.write({ ...(client && { client }) });
      else if (scope === 'client' || scope === 'all') await credentials.write({});
    },
  };
}

const NOT_RENEWED =
  'The sign-in could not be renewed now. If that goes on, choose "Sign Out" and then "Sign In".';

/** Where the browser never goes: only the interactive provider sends it anywhere. */
const NOWHERE = 'http://127.0.0.1/callback';

export interface SignInProvider extends OAuthClientProvider {
  /** What the browser has to bring back. */
  readonly expected: string;
}

/** Signs in anew, whatever is stored. `open` shows a page in the user's browser. */
export function createSignInProvider(
  credentials: CredentialStore,
  redirectUrl: string,
  open: (url: URL) => Promise<void>,
  clientId?: string,
): SignInProvider {
  const expected = randomBytes(32).toString('base64url');
  let verifier = '';
  let client: StoredOAuthClientInformation | undefined =
    clientId === undefined ? undefined : { client_id: clientId };
  let discovery: OAuthDiscoveryState | undefined;
  return {
    ...{ expected, redirectUrl, clientMetadata: toMetadata(redirectUrl) },
    state: () => expected,
    clientInformation: () => client,
    saveClientInformation: (registered) => {
      client = registered;
    },
    tokens: () => undefined,
    saveTokens: (tokens) => credentials.write({ ...(client && { client }), tokens }),
    redirectToAuthorization: open,
    saveCodeVerifier: (made) => {
      verifier = made;
    },
    codeVerifier: () => verifier,
    discoveryState: () => discovery,
    saveDiscoveryState: (found) => {
      discovery = found;
    },
  };
}

function toMetadata(redirectUrl: string): OAuthClientProvider['clientMetadata'] {
  return {
    client_name: 'Gatehouse',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}
