import { PassThrough, Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { type HostExtensions, toExtensions } from '../../../src/acp/gatehouse/capabilities.ts';
import { CLIENT_NOTIFICATIONS, HOST_REQUESTS } from '../../../src/acp/gatehouse/methods.ts';
import { toMeta } from '../../../src/acp/gatehouse/parse.ts';
import { readPromptMeta, type SessionLoadMeta } from '../../../src/acp/gatehouse/session.ts';
import type { HostLink } from '../../../src/extension/host/hostLink.ts';
import type { Memento } from '../../../src/extension/unsentMessages.ts';
import { createQueue, type Queue } from '../../../src/host/session/queue.ts';
import { createExtensionSide, emptyMemento } from './extensionSide.ts';

/** `take`: the turn takes what is queued, as a turn does that the user steers. */
export type Script = (
  client: acp.AgentContext,
  sessionId: string,
  take: () => void,
) => Promise<acp.StopReason>;
type Exit = Parameters<HostLink['hostExited']>[0];

/** What the agent says it can do, and where the turn of each session that it loads broke off. */
type HostFacts = HostExtensions & SessionLoadMeta;

/** The extension's side, connected over two byte streams to an agent in the same process. */
export function start(extensions: HostFacts = { queue: true }, memento: Memento = emptyMemento()) {
  const calls: [string, unknown][] = [];
  const script: Script[] = [];
  let ends: (() => void)[] = [];
  const launch = () => {
    const toHost = new PassThrough();
    const fromHost = new PassThrough();
    const input = Readable.toWeb(toHost) as ReadableStream<Uint8Array>;
    agentApp(calls, script, extensions).connect(acp.ndJsonStream(Writable.toWeb(fromHost), input));
    ends = [() => fromHost.end()];
    return { stdin: toHost, stdout: fromHost, pid: 1 };
  };
  const { running, start: restart, ...side } = createExtensionSide({ launch, memento });
  const die = (exit: Exit) => {
    running.host = false;
    for (const end of ends) end();
    side.link.hostExited(exit);
  };
  // The side bar shows a session from the start.
  const chat = side.chats.blank();
  chat.watch();
  return { ...side, chat, calls, script, die, restart };
}

interface Sent {
  readonly params: acp.PromptRequest;
  readonly client: acp.AgentContext;
}

/** A message that no host reads, and its answer. */
export const TOO_LARGE = {
  text: 'too large',
  error: new acp.RequestError(-32_600, 'The message is larger than 16 MB.', {
    ...{ kind: 'too-large', retryable: false },
  }),
};

/** The host's own queue, one for each session. */
function createPromptQueues(script: Script[]) {
  const queues = new Map<string, Queue<acp.PromptRequest, acp.PromptResponse>>();
  // Jobs are plain data.
  const askers = new WeakMap<acp.PromptRequest, acp.AgentContext>();
  const create = (sessionId: string, client: acp.AgentContext) =>
    createQueue<acp.PromptRequest, acp.PromptResponse>({
      run: async (params) => {
        const turn = script.shift();
        const asked = askers.get(params) ?? client;
        const queue = queues.get(sessionId);
        const take = () => queue?.take(queue.state.waiting.map(({ id }) => id));
        return { stopReason: (await turn?.(asked, params.sessionId, take)) ?? 'end_turn' };
      },
      onTaken: () => ({ stopReason: 'end_turn' }),
      onCancelled: () => ({ stopReason: 'cancelled' }),
      onFailed: () => new acp.RequestError(-32603, 'Not sent.', { kind: 'not-sent' }),
      onChanged: ({ running, waiting }) => {
        const entries = waiting.map(({ id, job, since }) => ({
          ...{ id, since, attachments: getAttachments(job).length },
          text: promptText(job),
        }));
        const { method } = CLIENT_NOTIFICATIONS.queueChanged;
        void client.notify(method, { sessionId, entries, running });
      },
    });
  return {
    get: (sessionId: string) => queues.get(sessionId),
    add(sent: Sent) {
      const { sessionId } = sent.params;
      askers.set(sent.params, sent.client);
      const queue = queues.get(sessionId) ?? create(sessionId, sent.client);
      queues.set(sessionId, queue);
      return queue.add(sent.params, readPromptMeta(sent.params).queueId);
    },
  };
}

/** More than any test needs. */
const MOST_MOVES = 20;

function agentApp(
  calls: [string, unknown][],
  script: Script[],
  { unfinished, ...extensions }: HostFacts,
) {
  const note = (method: string, params: unknown) => calls.push([method, params]);
  const queues = createPromptQueues(script);
  const { removeQueued, moveQueued, continue: toContinue } = HOST_REQUESTS;
  return acp
    .agent({ name: 'fake' })
    .onRequest('initialize', ({ params }) => {
      note('initialize', params);
      const capabilities = { loadSession: true, ...toExtensions(extensions) };
      return { protocolVersion: 1, agentCapabilities: capabilities };
    })
    .onRequest(
      '_gatehouse/configure',
      (params: unknown) => params,
      ({ params }) => {
        note('_gatehouse/configure', params);
        return { problems: [] };
      },
    )
    .onRequest('session/new', ({ params }) => {
      note('session/new', params);
      return { sessionId: `s${calls.length}` };
    })
    .onRequest('session/load', async ({ params, client }) => {
      note('session/load', params);
      if (params.sessionId === 'gone') throw acp.RequestError.resourceNotFound(params.sessionId);
      await client.notify('session/update', {
        sessionId: params.sessionId,
        update: {
          sessionUpdate: 'user_message_chunk',
          content: { type: 'text', text: 'one, as recorded' },
        },
      });
      return unfinished === undefined ? {} : toMeta({ unfinished });
    })
    .onRequest(toContinue.method, toContinue.params, async ({ params, client }) => {
      note(toContinue.method, params);
      return {
        stopReason:
          (await script.shift()?.(client, params.sessionId, () => undefined)) ?? 'end_turn',
      };
    })
    .onRequest('session/prompt', ({ params, client }) => {
      note('session/prompt', params);
      if (promptText(params) === TOO_LARGE.text) throw TOO_LARGE.error;
      return queues.add({ params, client });
    })
    .onRequest(removeQueued.method, removeQueued.params, ({ params }) => {
      note(removeQueued.method, params);
      const queue = queues.get(params.sessionId);
      const job = queue?.state.waiting.find(({ id }) => id === params.id)?.job;
      if (job === undefined || !queue?.remove(params.id)) return { changed: false };
      const attachments = params.withAttachments ? { attachments: getAttachments(job) } : {};
      return { changed: true, ...attachments };
    })
    .onRequest(moveQueued.method, moveQueued.params, ({ params }) => {
      note(moveQueued.method, params);
      const moves = calls.filter(([method]) => method === moveQueued.method).length;
      // Each move is published: a client that answers that with a move never lets a timer run.
      if (moves > MOST_MOVES) throw new Error(`The client moved messages ${moves} times.`);
      const { sessionId, id, before } = params;
      return { changed: queues.get(sessionId)?.move(id, before) === true };
    })
    .onNotification('session/cancel', ({ params }) => {
      note('session/cancel', params);
      queues.get(params.sessionId)?.cancel();
    });
}

export function say(client: acp.AgentContext, sessionId: string, text: string): Promise<void> {
  return client.notify('session/update', {
    sessionId,
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  });
}

export function permission(sessionId: string): acp.RequestPermissionRequest {
  return {
    sessionId,
    toolCall: { toolCallId: 'c', title: 'Run', kind: 'execute', rawInput: { command: 'rm -rf' } },
    options: [
      { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
    ],
    // The subject comes from the host; the model controls the arguments.
    _meta: { gatehouse: { askId: 'ask_1', command: 'npm test' } },
  };
}

function getAttachments({ prompt }: acp.PromptRequest): readonly acp.ContentBlock[] {
  return prompt.filter(({ type }) => type !== 'text');
}

export function promptText(params: unknown): string {
  const { prompt } = params as acp.PromptRequest;
  return prompt.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** Waits for the other ends of streams in this process; fails instead of hanging. */
export async function until<Value>(look: () => Value | undefined): Promise<Value> {
  const end = performance.now() + 120_000;
  while (performance.now() < end) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('It did not come to pass.');
}
