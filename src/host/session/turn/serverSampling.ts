import type { ChatModel, ModelMessage } from '../../../agent/model.ts';
import type { Price } from '../../../agent/models/price.ts';
import { askForText } from '../../../agent/summarise.ts';
import { systemClock } from '../../../base/clock.ts';
import { getMessage } from '../../../base/faults.ts';
import { shorten, showHidden } from '../../../base/hidden.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import type { Usage } from '../../../base/stream/stored.ts';
import { SAMPLING } from '../../../base/tools/mcpServer.ts';
import type { Operation } from '../../../gate/operation.ts';
import { passGate } from '../../../gate/passGate.ts';
import type { Policy } from '../../../permissions/rules/policy.ts';
import type { Subject } from '../../../permissions/rules/subject.ts';
import type { ModelAnswer, ModelAsk } from '../../../runtime/sessionServices.ts';
import { knownSecrets } from '../../client/secrets.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { AskModel } from '../tools/callContext.ts';
import type { TurnSession } from './driver.ts';
import { chooseModel, getModel, isFault } from './modelChoice.ts';
import { openCosts } from './openCosts.ts';
import { openSmall } from './smallModel.ts';

/** What is sent, as the user is shown it and may edit it. */
type Sent = Pick<ModelAsk, 'server' | 'system' | 'messages' | 'maxTokens'>;

/**
 * Asks the session's model for an MCP server once the user, or a rule about just that, has allowed it. The
 * request counts in the session and the day as those of turns do, and their limits hold for it.
 */
export function createServerSampling(services: HostServices, session: TurnSession): AskModel {
  return async (request, { toolCallId, context, signal }) => {
    try {
      const opened = await openModel(services, session, request.small);
      if (opened === undefined) return failure('The session has no model that could be asked.');
      const limits = () => session.configuration().settings.limits;
      const { price } = opened;
      const costs = openCosts(services, { sessionId: session.id, price, limits });
      try {
        if (costs.findStop() !== undefined) return failure(TOO_DEAR);
        const { server, system, messages, maxTokens } = request;
        const operation = toOperation(request);
        const policy = () => withoutWideAllows(context.policy());
        const call = { toolCallId, operation, context: { ...context, policy }, signal };
        const passage = await passGate(call, { server, system, messages, maxTokens });
        if (passage.type === 'stopped') return failure(REFUSED);
        // Other requests of the session may have been made while the user was asked.
        if (costs.findStop() !== undefined) return failure(TOO_DEAR);
        const sent = passage.admitted.input as Sent;
        return await send(services, session, { ...opened, costs, sent, signal });
      } finally {
        costs.dispose();
      }
    } catch (error) {
      if (signal.aborted) return failure('The call has ended.');
      services.warn(`The request of an MCP server to the model failed: ${getMessage(error)}`);
      return failure('The model could not be asked.');
    }
  };
}

/** For the server, which learns nothing about rules and costs. */
const REFUSED = 'Neither the user nor a rule allows this request to the model.';
const TOO_DEAR = 'A cost limit of the user is reached, so that the model is not asked.';

interface OpenedModel {
  readonly model: ChatModel;
  /** Undefined: unknown. */
  readonly price: Price | undefined;
}

async function openModel(
  services: HostServices,
  session: TurnSession,
  small: boolean,
): Promise<OpenedModel | undefined> {
  const { model: settings } = session.configuration().settings;
  const found = small ? await openSmall(services, settings, settings.small) : undefined;
  if (found !== undefined) return found;
  const choice = await chooseModel(services, settings, session.modelRef);
  if (isFault(choice)) return undefined;
  const { contextTokens = 0, price } = choice.info;
  const model = await getModel(services, choice, settings.contextTokens || contextTokens);
  return { model, price };
}

/** Characters of the answer, whatever the provider makes of the limit in tokens. */
const LONGEST = 64_000;

interface Sending extends OpenedModel {
  readonly costs: ReturnType<typeof openCosts>;
  readonly sent: Sent;
  readonly signal: AbortSignal;
}

async function send(
  { client, recorder }: HostServices,
  session: TurnSession,
  { model, costs, sent, signal }: Sending,
): Promise<Outcome<ModelAnswer>> {
  const { limits } = session.configuration().settings;
  const usages: Usage[] = [];
  let isCut = false;
  const { system, maxTokens } = sent;
  const request = {
    ...{ system, maxTokens, words: sent.messages.map(toMessage), longest: LONGEST },
    onUsage: (usage: Usage) => void usages.push(usage),
    onCut: () => {
      isCut = true;
    },
  };
  const asked = { model, limits, secrets: () => knownSecrets(client), signal };
  try {
    const answer = await askForText(asked, request, systemClock);
    if (!answer.ok) return failure('The model did not answer.');
    return success({ text: answer.data, model: model.modelId, isCut });
  } finally {
    const paid = usages.map((usage) => ({ usage, cost: costs.addAside(usage) }));
    await recorder.free();
    for (const { usage, cost } of paid) recorder.addUsage(session.id, usage, cost);
  }
}

function toMessage({ role, text }: ModelAsk['messages'][number]): ModelMessage {
  return { role, content: [{ type: 'text', text }] };
}

/** Characters of a title; the arguments have all of it. */
const SHOWN = 500;

function toOperation({ server, written, identity }: ModelAsk): Operation<Sent> {
  const name = (of: string) => `mcp:${of}:${SAMPLING}`;
  return {
    id: SAMPLING,
    kind: 'other',
    isAside: true,
    ...(identity !== undefined && { identity }),
    parameters: toParameters(server),
    subjects: (sent) => {
      const own: Subject = { permission: name(server), target: toText(sent), match: 'text' };
      // A rule for the name as written still denies where two servers share it (spec CA-31).
      const other: Subject = { ...own, permission: name(written), tightensOnly: true };
      return written === server ? [own] : [own, other];
    },
    title: (sent) =>
      `The MCP server "${showHidden(written)}" asks the model: ${shorten(showHidden(toText(sent)), SHOWN)}`,
  };
}

function toText({ system, messages }: Sent): string {
  return [system, ...messages.map(({ text }) => text)].filter((each) => each !== '').join('\n');
}

/** The user may edit what is sent, but not who asks. */
function toParameters(server: string): object {
  const message = {
    type: 'object',
    properties: { role: { enum: ['user', 'assistant'] }, text: { type: 'string' } },
    required: ['role', 'text'],
    additionalProperties: false,
  };
  return {
    type: 'object',
    properties: {
      server: { enum: [server] },
      system: { type: 'string' },
      messages: { type: 'array', items: message, minItems: 1 },
      maxTokens: { type: 'integer', minimum: 1, maximum: 4096 },
    },
    required: ['server', 'system', 'messages', 'maxTokens'],
    additionalProperties: false,
  };
}

/** A rule for all tools of a server says nothing about the user's model; those that ask or deny hold. */
function withoutWideAllows(policy: Policy): Policy {
  const rules = policy.rules.filter(
    ({ action, permission }) => action !== 'allow' || permission.endsWith(`:${SAMPLING}`),
  );
  return { ...policy, rules };
}
