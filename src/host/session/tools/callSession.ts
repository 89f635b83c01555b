import type { Chunk } from '../../../base/stream/chunk.ts';
import type { SearchProvider, SessionServices } from '../../../runtime/runtime.ts';
import type { PendingAsks } from '../../asks/asks.ts';
import { askQuestions } from '../../asks/questions.ts';
import type { Client } from '../../client/client.ts';
import { fetchSecret } from '../../client/secrets.ts';
import type { WebSearchSettings } from '../../config/settings.ts';

/** What outlives one call: the session's counters. */
export interface SessionState {
  readonly id: string;
  readonly counters: Map<string, number>;
  /** Whether someone can answer a question. */
  readonly canAsk: boolean;
}

/** What one call gets of its session. What it changes joins the turn's stream, so it is recorded. */
export function createCallSession(options: {
  readonly session: SessionState;
  readonly toolCallId: string;
  readonly client: Client;
  readonly pending: PendingAsks;
  readonly webSearch: WebSearchSettings;
  emit(chunk: Chunk): void;
}): SessionServices {
  const { session, toolCallId, client, pending, webSearch, emit } = options;
  return {
    id: session.id,
    setTodo: (items) => emit({ type: 'data-plan', id: 'plan', data: { items } }),
    ...(session.canAsk && {
      askQuestions: (questions, signal) =>
        askQuestions({ sessionId: session.id, toolCallId, client, pending }, questions, signal),
    }),
    progress: (display) => emit({ type: 'tool-progress', toolCallId, display }),
    count(name) {
      const next = (session.counters.get(name) ?? 0) + 1;
      session.counters.set(name, next);
      return next;
    },
    searchProviders: () => findProviders(webSearch, client),
  };
}

const SEARCH_HOSTS = {
  brave: 'https://api.search.brave.com',
  tavily: 'https://api.tavily.com',
} as const;

/** The hosts `web_search` needs under these settings (spec decision 24). */
export function searchHosts({ providers, searxngUrl }: WebSearchSettings): readonly string[] {
  const urls = providers.map((id) => (id === 'searxng' ? searxngUrl : SEARCH_HOSTS[id]));
  return urls.flatMap((url) => (url === undefined ? [] : [new URL(url).host]));
}

/** The providers the user named that are complete: a URL for SearXNG, a stored key for the others. */
async function findProviders(
  { providers, searxngUrl }: WebSearchSettings,
  client: Client,
): Promise<readonly SearchProvider[]> {
  const found = await Promise.all(
    providers.map(async (id): Promise<SearchProvider[]> => {
      if (id === 'searxng') return searxngUrl === undefined ? [] : [{ id, baseUrl: searxngUrl }];
      if (!client.facts.secret) return [];
      const apiKey = await fetchSecret(client, `search/${id}`);
      return apiKey === undefined ? [] : [{ id, baseUrl: SEARCH_HOSTS[id], apiKey }];
    }),
  );
  return found.flat();
}
