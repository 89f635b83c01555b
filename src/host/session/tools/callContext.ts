import type { Policy } from '../../../permissions/rules/policy.ts';
import type { Rule } from '../../../permissions/rules/rule.ts';
import type { CallContext } from '../../../tools/call.ts';
import type { Registry } from '../../../tools/registry.ts';
import { type AskingSession, createAsk } from '../../asks/asks.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { RuntimeReview, RuntimeSession, Runtimes } from '../../services/runtimes.ts';
import type { RequiringTool } from '../policy/capabilities.ts';
import type { SessionWatchdog } from '../policy/watchdog.ts';
import { createCallSession, type SessionState } from './callSession.ts';

/** The part of a session that its calls use. */
export interface ToolSession extends SessionState, RuntimeSession, AskingSession {
  /** Computed for each call, because rules and folders may have changed since the last one. */
  policy(tools: readonly RequiringTool[]): Policy;
  readonly watchdog: SessionWatchdog;
  /** The review of changes that wait. */
  readonly review: CallReview;
  addRules(rules: readonly Rule[]): void;
}

/** What calls use of the session's review. */
export interface CallReview extends RuntimeReview {
  collects(): boolean;
  beforeCommand(signal: AbortSignal): Promise<readonly string[]>;
}

/** The context of a call in this session. */
export function toCallContext(
  { client, compiler, pending, rules, onDecision, warn }: HostServices,
  { registry, runtimes }: { readonly registry: Registry; readonly runtimes: Runtimes },
  session: ToolSession,
): CallContext {
  // One list object, so that the capabilities are computed once.
  const tools = registry.list();
  return {
    sessionId: session.id,
    registry,
    policy: () => session.policy(tools),
    compiler,
    onDecision,
    warn,
    watchdog: (request, signal) => session.watchdog(request, signal),
    collects: () => session.review.collects(),
    beforeCommand: (signal) => session.review.beforeCommand(signal),
    ...(session.canAsk && {
      ask: createAsk({
        session,
        client,
        pending,
        destinations: () => rules.destinations(),
        remember: ({ destination, rules: added }) => rules.remember(session, destination, added),
      }),
    }),
    runtime: (toolCallId, signal, emit, gate) => {
      const { webSearch } = session.configuration().settings;
      const runtime = runtimes.of(session).runtime(toolCallId, signal, emit, gate);
      const services = createCallSession({ session, toolCallId, client, pending, webSearch, emit });
      return { ...runtime, session: services };
    },
  };
}
