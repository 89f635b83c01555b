import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { isRecord, toRecord } from '../../base/json.ts';
import { hashText } from '../config/parseServer.ts';

/** The editor's secret storage. */
export interface SecretStore {
  get(id: string): Promise<string | undefined>;
  /** Undefined removes it. */
  set(id: string, value: string | undefined): Promise<void>;
  /** Keeps the watchdog informed: calls whose arguments contain the value are rejected. */
  note(value: string): void;
}

/** What a sign-in left: who the server knows this client as, and the tokens. */
export interface Credentials {
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
}

export interface CredentialStore {
  read(): Promise<Credentials>;
  write(credentials: Credentials): Promise<void>;
}

/** The credentials for one URL. They are read each time, because another window may have renewed them. */
export function openCredentials(secrets: SecretStore, url: string): CredentialStore {
  const id = `mcp/oauth/${hashText(url)}`;
  return {
    async read() {
      const found = parse(await secrets.get(id));
      note(secrets, found);
      return found;
    },
    async write(credentials) {
      note(secrets, credentials);
      const isEmpty = credentials.client === undefined && credentials.tokens === undefined;
      await secrets.set(id, isEmpty ? undefined : JSON.stringify(credentials));
    },
  };
}

function note(secrets: SecretStore, { tokens, client }: Credentials): void {
  const values = [tokens?.access_token, tokens?.refresh_token, toRecord(client)['client_secret']];
  for (const each of values) {
    if (typeof each === 'string' && each !== '') secrets.note(each);
  }
}

/** Anything else than what `write` stored counts as nothing. */
function parse(text: string | undefined): Credentials {
  try {
    const { client, tokens } = toRecord(JSON.parse(text ?? '{}'));
    return {
      ...(isClient(client) && { client }),
      ...(isTokens(tokens) && { tokens }),
    };
  } catch {
    return {};
  }
}

function isClient(value: unknown): value is StoredOAuthClientInformation {
  return isRecord(value) && typeof value['client_id'] === 'string';
}

function isTokens(value: unknown): value is StoredOAuthTokens {
  if (!isRecord(value) || typeof value['token_type'] !== 'string') return false;
  const refresh = value['refresh_token'];
  return (
    typeof value['access_token'] === 'string' &&
    (refresh === undefined || typeof refresh === 'string')
  );
}
