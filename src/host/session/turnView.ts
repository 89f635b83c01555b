import { createHash } from 'node:crypto';
import type { ChatModel } from '../../agent/model.ts';
import type { Turn } from '../../agent/runTurn.ts';
import type { Chunk } from '../../base/stream/chunk.ts';
import type { StoredMessage } from '../../base/stream/stored.ts';
import type { CallContext } from '../../tools/call.ts';
import { createAsk } from '../asks/asks.ts';
import type { HostServices, LoadedLoop } from '../hostServices.ts';
import { createCallSession } from './callSession.ts';
import { sessionTools } from './declaredTools.ts';
import type { ModelChoice } from './modelChoice.ts';
import type { Session } from './session.ts';

/** What the loop is given for one turn, all but the way back. */
export interface PreparedTurn {
  /** SHA-256 of the assembled system prompt, for the message's metadata. */
  readonly digest: string;
  toView(turn: {
    readonly messages: readonly StoredMessage[];
    readonly signal: AbortSignal;
    /** Stores a chunk before the stream brings it; throws when it cannot be stored. */
    storeNow(chunk: Chunk): void;
  }): Turn;
}

export function prepareTurn(
  services: HostServices,
  session: Session,
  loaded: LoadedLoop,
  choice: ModelChoice,
): PreparedTurn {
  const { registry } = sessionTools(services, session, loaded.registry);
  const tools = registry.list();
  const context = toCallContext(services, { ...loaded, registry }, session);
  const { text, digest } = loaded.systemPrompt({
    manifest: loaded.BUILT_IN_PROMPT,
    environment: {
      platform: process.platform,
      root: session.cwd,
      additionalRoots: session.additionalDirectories,
      now: Date.now(),
      model: choice.id,
    },
    tools,
  });
  return {
    digest,
    toView: ({ messages, signal, storeNow }) => ({
      model: modelOf(loaded, choice),
      system: text,
      messages,
      tools,
      call: (request, emit) => {
        let runs = false;
        const passOn = (chunk: Chunk) => {
          if (!runs && isUrgent(chunk) && !signal.aborted) storeNow(chunk);
          runs ||= chunk.type === 'tool-progress';
          noteError(session, request.tool, chunk);
          emit(chunk);
        };
        return loaded.callTool(request, context, passOn, signal);
      },
      limits: session.configuration().settings.limits,
      signal,
    }),
  };
}

const models = new WeakMap<LoadedLoop, { readonly digest: string; readonly model: ChatModel }>();

/**
 * The model of the last turn while the choice is the same: making one compiles the schemas of its
 * answers. It is found by a digest, so that the key stays where the model itself keeps it.
 */
function modelOf(loaded: LoadedLoop, choice: ModelChoice): ChatModel {
  const { baseUrl, id, apiKey } = choice;
  const words = JSON.stringify([baseUrl, id, apiKey ?? null]);
  const digest = createHash('sha256').update(words).digest('hex');
  const known = models.get(loaded);
  if (known?.digest === digest) return known.model;
  const model = loaded.createModel(choice);
  models.set(loaded, { digest, model });
  return model;
}

/** What the tool's last call failed with, for the user's overview of tools. */
function noteError({ lastErrors }: Session, tool: string, chunk: Chunk): void {
  if (chunk.type === 'tool-output-error') lastErrors.set(tool, chunk.errorText);
  if (chunk.type === 'tool-output-available') lastErrors.delete(tool);
}

/**
 * A call is on record as running before it runs, so that a host that dies leaves it to be closed
 * and not to be asked again (CS-80); and it is stored as waiting before its question is asked. What it
 * says while it runs comes with the stream.
 */
function isUrgent(chunk: Chunk): boolean {
  return chunk.type === 'tool-progress' || chunk.type === 'tool-approval-request';
}

/** What a call of this session works with. */
export function toCallContext(
  { client, pending, rules }: HostServices,
  { registry, runtimes }: LoadedLoop,
  session: Session,
): CallContext {
  return {
    sessionId: session.id,
    registry,
    policy: () => session.policy(),
    watchdog: (request, signal) => session.watchdog(request, signal),
    ask: createAsk({
      sessionId: session.id,
      client,
      pending,
      registry,
      destinations: () => rules.destinations(),
      remember: ({ destination, rules: added }) => rules.remember(session, destination, added),
    }),
    runtime: (toolCallId, signal, emit, gate) => {
      const { webSearch } = session.configuration().settings;
      const runtime = runtimes.of(session).runtime(toolCallId, signal, emit, gate);
      const services = createCallSession({ session, toolCallId, client, pending, webSearch, emit });
      return { ...runtime, session: services };
    },
  };
}
