import type { AgentDefinition } from '../../../agentDefinitions/definition.ts';
import { type Outcome, success } from '../../../base/outcome.ts';
import type { Chunk } from '../../../base/stream/chunk.ts';
import type { CollectedIn, GateContext } from '../../../gate/gateContext.ts';
import type { ExactArguments } from '../../../permissions/rules/exactCall.ts';
import type { Policy } from '../../../permissions/rules/policy.ts';
import type { Rule } from '../../../permissions/rules/rule.ts';
import type {
  InputPrice,
  ModelAnswer,
  ModelAsk,
  SessionServices,
} from '../../../runtime/sessionServices.ts';
import type { CallContext, UnreviewedWrites } from '../../../tools/call.ts';
import type { SessionTools } from '../../../tools/composeTools.ts';
import { type AskingSession, createAsk } from '../../asks/asks.ts';
import { createUnsavedText } from '../../client/documents.ts';
import { toRoots } from '../../services/confinement.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { RuntimeReview, RuntimeSession, Runtimes } from '../../services/runtimes.ts';
import type { SessionCopies } from '../../services/sessionCopies.ts';
import type { Approval } from '../policy/approval.ts';
import { runsInCopy } from '../policy/autopilot.ts';
import type { RequiringTool } from '../policy/capabilities.ts';
import type { SessionWatchdog } from '../policy/watchdog.ts';
import { createCallSession, type SessionState } from './callSession.ts';
import { whyMissing } from './missingTool.ts';
import { withOffer } from './offerCopies.ts';
import type { OfferedTools } from './offeredTools.ts';
import { requireSandbox } from './requireSandbox.ts';

/** The part of a session that its calls use. */
export interface ToolSession extends SessionState, RuntimeSession, AskingSession {
  /** Computed for each call, because rules and folders may have changed since the last one. */
  policy(tools: readonly RequiringTool[]): Policy;
  readonly watchdog: SessionWatchdog;
  readonly definition: AgentDefinition;
  readonly approval: Approval;
  /** The review of changes that wait. */
  readonly review: CallReview;
  addRules(rules: readonly Rule[]): void;
  exactRule(tool: string, given: ExactArguments): Rule | undefined;
  readonly exactRules: readonly Rule[];
}

/** What calls use of the session's review. */
export interface CallReview extends RuntimeReview {
  collects(): CollectedIn | undefined;
  noteWrites(toolCallId: string): UnreviewedWrites;
  beforeCommand(signal: AbortSignal): Promise<readonly string[]>;
}

export interface CallServices {
  readonly tools: SessionTools;
  /** The tools that the turn offers. Absent: all. */
  readonly offered?: OfferedTools | undefined;
  readonly runtimes: Runtimes;
  /** Where commands that no rule decides run. Absent: they ask. */
  readonly copies?: SessionCopies | undefined;
  /** The price of the turn's model. Absent: no model reads the results. */
  readonly inputPrice?: InputPrice;
  /** Asks the session's model for MCP servers. Absent: there is none. */
  readonly askModel?: AskModel;
}

/** Asks a model once the gate has let the request pass, as a part of a call. */
export type AskModel = (
  request: ModelAsk,
  call: {
    readonly toolCallId: string;
    readonly context: GateContext;
    readonly signal: AbortSignal;
  },
) => Promise<Outcome<ModelAnswer>>;

/** The copies of the workspace, if the settings let commands run in them and the sandbox is proven. */
export async function openCopies(
  { copies }: HostServices,
  session: Parameters<typeof runsInCopy>[0],
): Promise<SessionCopies | undefined> {
  if (!runsInCopy(session)) return undefined;
  const opened = await copies();
  return opened.state.proven ? opened : undefined;
}

/** The context of a call in this session. */
export function toCallContext(
  services: HostServices,
  { tools: found, ...called }: CallServices,
  session: ToolSession,
): CallContext {
  const { compiler, confinement, recorder, decisions, warn } = services;
  const { offered, runtimes, copies, inputPrice } = called;
  const unsavedText = createUnsavedText(services.client, session.id);
  const { registry } = offered ?? found;
  // One list object, so that the capabilities are computed once.
  const tools = registry.list();
  const context: CallContext = {
    sessionId: session.id,
    registry,
    whyMissing: (tool) => offered?.whyHidden(tool) ?? whyMissing(tool, found, session, recorder),
    policy: () => session.policy(tools),
    compiler,
    onDecision: decisions.record,
    ...(unsavedText && { unsavedText }),
    warn,
    watchdog: (request, signal) =>
      session.watchdog({ ...request, manifest: session.definition }, signal),
    exactRule: (tool, given) => session.exactRule(tool, given),
    exactRules: () => session.exactRules,
    collects: () => session.review.collects(),
    noteWrites: (toolCallId) => session.review.noteWrites(toolCallId),
    beforeCommand: (signal) => session.review.beforeCommand(signal),
    ...(session.canAsk && {
      ask: createOfferingAsk(services, session, registry, () => context),
    }),
    async findIsolation() {
      const isolation = requiresSandbox(session) ? await confinement.findIsolation() : undefined;
      return isolation?.ok ? isolation.data : 'unconfined';
    },
    async confine(toolCallId, signal) {
      if (!requiresSandbox(session)) return success('unconfined');
      return requireSandbox(confinement, context, toolCallId, signal);
    },
    runtime: createCallRuntime(services, { ...called, context: () => context }, session),
  };
  return copies === undefined
    ? context
    : withCopies(context, copies, { services, runtimes, inputPrice }, session);
}

interface CallReach extends Pick<CallServices, 'offered' | 'runtimes'> {
  readonly inputPrice?: InputPrice | undefined;
}

interface RuntimeParts extends CallReach, Pick<CallServices, 'askModel'> {
  context(): GateContext;
}

function createCallRuntime(
  services: HostServices,
  { offered, runtimes, inputPrice, askModel: ask, context }: RuntimeParts,
  session: ToolSession,
): CallContext['runtime'] {
  const { confinement } = services;
  return (toolCallId, signal, emit, gate, outside = false) => {
    const confined =
      requiresSandbox(session) && !outside
        ? confinement.start(session.id, toRoots(session.folders()), gate)
        : undefined;
    const runtime = runtimes.of(session).runtime(toolCallId, signal, emit, gate, confined);
    const askModel: SessionServices['askModel'] =
      ask && ((request, over) => ask(request, { toolCallId, context: context(), signal: over }));
    const call = { toolCallId, emit, offered, inputPrice, ...(askModel && { askModel }) };
    const own = openCallSession(services, session, call);
    return { ...runtime, session: own };
  };
}

function openCallSession(
  { client, pending }: HostServices,
  session: ToolSession,
  {
    offered,
    ...call
  }: Pick<CallReach, 'offered' | 'inputPrice'> & {
    readonly toolCallId: string;
    readonly inCopy?: boolean;
    readonly askModel?: NonNullable<SessionServices['askModel']>;
    emit(chunk: Chunk): void;
  },
): SessionServices {
  const { webSearch } = session.configuration().settings;
  const own = { ...call, session, client, pending, webSearch };
  return createCallSession({ ...own, ...(offered && { offered }) });
}

/** Asks the user, and notices requests that a copy would have saved. */
function createOfferingAsk(
  { client, pending, rules, sandbox, warn }: HostServices,
  session: ToolSession,
  registry: SessionTools['registry'],
  context: () => CallContext,
): NonNullable<CallContext['ask']> {
  const ask = createAsk({
    ...{ session, client, pending },
    destinations: () => rules.destinations(),
    remember: ({ destination, rules: added }, identity) =>
      rules.remember(session, destination, added, identity),
  });
  const { wantsOffer: wanted, offer } = sandbox;
  return withOffer(ask, { registry, warn, context, wanted, offer });
}

function requiresSandbox(session: Pick<RuntimeSession, 'configuration'>): boolean {
  return session.configuration().settings.sandboxMode === 'require';
}

function withCopies(
  context: CallContext,
  copies: SessionCopies,
  { services, runtimes, inputPrice }: CallReach & { readonly services: HostServices },
  session: ToolSession,
): CallContext {
  const { policy } = context;
  const { recorder } = services;
  return {
    ...context,
    copies: () => runsInCopy(session),
    async openCopy(toolCallId, admitted, emit, signal) {
      const { openCallCopy } = await import('../copy/openCallCopy.ts');
      const copy = copies.find(session.id, policy().folders.workspace);
      const own = openCallSession(services, session, {
        toolCallId,
        emit,
        inputPrice,
        inCopy: true,
      });
      const runtime = withCallSession(runtimes.of(session), own);
      const contentRoom = () => recorder.contentRoom(session.id, toolCallId);
      const parts = { toolCallId, admitted, emit, signal, copy, runtime, context };
      const { review } = session;
      return openCallCopy({
        ...{ ...parts, contentRoom },
        ...(review.collects() === 'disk' && { noteWrites: () => review.noteWrites(toolCallId) }),
      });
    },
  };
}

/** A command in the copy has the question at its time limit too. */
function withCallSession(
  runtime: ReturnType<Runtimes['of']>,
  session: SessionServices,
): ReturnType<Runtimes['of']> {
  return { ...runtime, runtime: (...call) => ({ ...runtime.runtime(...call), session }) };
}
