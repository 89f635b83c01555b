import type { Outcome } from '../../../base/outcome.ts';
import type { Chunk } from '../../../base/stream/chunk.ts';
import type {
  InputPrice,
  SearchProvider,
  SessionServices,
  TaskRequest,
  TaskResult,
} from '../../../runtime/sessionServices.ts';
import type { AskingSession, PendingAsks } from '../../asks/asks.ts';
import { askQuestions } from '../../asks/questions.ts';
import type { Client } from '../../client/client.ts';
import { requestClient } from '../../client/requestClient.ts';
import { fetchSecret } from '../../client/secrets.ts';
import type { WebSearchSettings } from '../../config/settings.ts';
import type { SessionGuidance } from '../prompt/sessionGuidance.ts';
import { askAtLimit } from './askAtLimit.ts';
import type { OfferedTools } from './offeredTools.ts';

/** Runs the subagents of a session. */
export interface TaskRunner {
  run(
    request: TaskRequest,
    call: { readonly toolCallId: string; readonly signal: AbortSignal; emit(chunk: Chunk): void },
  ): Promise<Outcome<TaskResult>>;
}

/** State that outlives one call, and the host: the session's counters are stored (spec VC-67). */
export interface SessionState {
  readonly id: string;
  /** Adds one to a counter of the session and returns the sum. */
  count(name: string): number;
  /** Whether a user can answer a question. */
  readonly canAsk: boolean;
  readonly guidance: Pick<SessionGuidance, 'loadSkill'>;
  readonly tasks: TaskRunner;
  readonly plan: {
    readonly file: string;
    approve(toolCallId: string, signal: AbortSignal): Promise<void>;
  };
}

/** The session services of one call. Their effects go through the turn's stream, so they are recorded. */
export function createCallSession(options: {
  readonly session: SessionState & AskingSession;
  readonly toolCallId: string;
  readonly client: Client;
  readonly pending: PendingAsks;
  readonly webSearch: WebSearchSettings;
  readonly offered?: Pick<OfferedTools, 'search'>;
  /** The call's programs run in a copy, and end with the call. */
  readonly inCopy?: boolean;
  readonly inputPrice?: InputPrice | undefined;
  readonly askModel?: SessionServices['askModel'];
  emit(chunk: Chunk): void;
}): SessionServices {
  const { session, toolCallId, client, pending, webSearch, emit, offered } = options;
  const { inCopy, inputPrice, askModel } = options;
  const tell = (text: string) =>
    emit({ type: 'tool-progress', toolCallId, display: { content: [{ type: 'text', text }] } });
  const context = { session, toolCallId, client, pending, tell };
  return {
    id: session.id,
    setTodo: (items) => emit({ type: 'data-plan', id: 'plan', data: { items } }),
    ...(session.canAsk && {
      askQuestions: (questions, signal) => askQuestions(context, questions, signal),
    }),
    // Other clients show questions in forms of their own, which may not go away when the command ends.
    ...(session.canAsk &&
      client.facts.gatehouse && {
        askAtLimit: (command, signal) =>
          askAtLimit(context, { ...command, ...(inCopy && { endsWithCall: true }) }, signal),
      }),
    ...(client.facts.language && {
      askLanguage: (query, signal) => requestClient(client, 'language', query, signal),
    }),
    runTask: (request, signal) => session.tasks.run(request, { toolCallId, signal, emit }),
    ...(session.parent === undefined && {
      plan: {
        file: session.plan.file,
        approve: (signal: AbortSignal) => session.plan.approve(toolCallId, signal),
      },
    }),
    loadSkill: (name) => session.guidance.loadSkill(name),
    progress: (display) => emit({ type: 'tool-progress', toolCallId, display }),
    count: (name) => session.count(name),
    ...(offered && { searchTools: offered.search ?? (async () => []) }),
    ...(inputPrice && { inputPrice }),
    ...(askModel && { askModel }),
    searchProviders: () => findProviders(webSearch, client),
  };
}

const SEARCH_HOSTS = {
  brave: 'https://api.search.brave.com',
  tavily: 'https://api.tavily.com',
} as const;

/** The hosts that `web_search` needs with these settings (spec decision 24). */
export function searchHosts({ providers, searxngUrl }: WebSearchSettings): readonly string[] {
  const urls = providers.map((id) => (id === 'searxng' ? searxngUrl : SEARCH_HOSTS[id]));
  return urls.flatMap((url) => (url === undefined ? [] : [new URL(url).host]));
}

/** The configured providers that are usable: SearXNG with a URL, the others with a stored key. */
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
