import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { getMessage } from '../../../base/faults.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import type { Chunk } from '../../../base/stream/chunk.ts';
import type { TaskRequest, TaskResult } from '../../../runtime/sessionServices.ts';
import type { HostServices } from '../../services/hostServices.ts';
import { toChildServices } from './childClient.ts';
import { createChildTranscript, createReporter } from './childTranscript.ts';
import { toSynthetic } from './completion.ts';

/** What the tasks of a session use of the session that starts them. */
export interface StartingSession {
  readonly id: string;
  /** The session's subagents may start others down to this depth; 0: the user started the session. */
  readonly depth: number;
  /** Fails with the agents that can be started. */
  findSubagent(
    name: string,
  ): Promise<Outcome<{ readonly name: string; readonly inspectable?: true }>>;
  startChild(agent: string, services: HostServices, task: StoredTask): Promise<ChildSession>;
  /** Resolves when no turn of the session runs. */
  idle(): Promise<void>;
}

/** Stored with the session of a subagent. */
export interface StoredTask {
  /** The call that started it. */
  readonly toolCallId: string;
  /** Set while it runs in the background, so that a restart finds it. */
  readonly background?: true;
  /** It has a row of its own among the sessions (spec CS-31). */
  readonly inspectable?: true;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface ChildSession {
  readonly id: string;
  ask(text: string): Promise<Outcome<string>>;
  cancel(): void;
  close(): Promise<void>;
}

/** A call of `task`. */
export interface TaskCall {
  readonly toolCallId: string;
  /** The signal of the call, which is that of the turn. */
  readonly signal: AbortSignal;
  emit(chunk: Chunk): void;
}

/** How deep subagents may start others (spec CS-27). */
const TASK_DEPTH = 5;

const ABORTED = 'aborted by parent';

/** The subagents that a session has started (spec CS-22 … CS-27). */
export class SessionTasks {
  readonly #services: HostServices;
  readonly #session: StartingSession;
  readonly #running = new Set<{
    readonly stop: AbortController;
    readonly ended: Promise<unknown>;
  }>();
  /** Those in the background, until their end is stored. */
  readonly #background = new Set<Promise<void>>();
  #isLeft = false;

  constructor(services: HostServices, session: StartingSession) {
    this.#services = services;
    this.#session = session;
  }

  async run(request: TaskRequest, call: TaskCall): Promise<Outcome<TaskResult>> {
    const { depth, id } = this.#session;
    if (depth >= TASK_DEPTH) {
      return failure(
        `Subagents can start others ${TASK_DEPTH} levels deep, and this one is that deep. Do the work yourself.`,
      );
    }
    const agent = await this.#session.findSubagent(request.subagent_type);
    if (!agent.ok) return agent;
    const { background = false, metadata } = request;
    const { inspectable } = agent.data;
    const transcript = createChildTranscript();
    let isOpen = true;
    const reporter = createReporter(() => this.#show(call, transcript.text, isOpen));
    const onUpdate = (update: SessionUpdate) => {
      // The card of a call of its own may show more than the line of it here.
      if (transcript.apply(update) || isCall(update)) reporter.note();
    };
    const ids = { child: '', parent: id };
    const services = toChildServices(this.#services, ids, onUpdate);
    const child = await this.#session.startChild(agent.data.name, services, {
      toolCallId: call.toolCallId,
      ...(background && { background }),
      ...(inspectable && { inspectable }),
      ...(metadata && { metadata }),
    });
    ids.child = child.id;
    call.emit({
      ...{ type: 'tool-progress', toolCallId: call.toolCallId },
      display: { subagent: child.id },
    });
    const ended = this.#follow(child, request.prompt, call.signal).finally(reporter.end);
    if (!background) return toResult(await ended, inspectable && child.id);
    isOpen = false;
    const told = ended.then((outcome) => this.#complete(child.id, agent.data.name, outcome));
    this.#background.add(told);
    void told.finally(() => this.#background.delete(told));
    return success({ session_id: child.id });
  }

  /** The host ends. What still runs is told as lost when the session is opened again. */
  leave(): void {
    this.#isLeft = true;
  }

  /** Resolves when the end of every subagent in the background is stored. */
  async settled(): Promise<void> {
    while (this.#background.size > 0) await Promise.allSettled(this.#background);
  }

  /** Aborts every subagent that still runs, and resolves when they have ended. */
  async abort(): Promise<void> {
    const running = [...this.#running];
    for (const { stop } of running) stop.abort();
    await Promise.allSettled(running.map(({ ended }) => ended));
  }

  async #follow(
    child: ChildSession,
    prompt: string,
    signal: AbortSignal,
  ): Promise<Outcome<string>> {
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const onAbort = () => child.cancel();
    either.addEventListener('abort', onAbort, { once: true });
    const ended = child.ask(prompt).finally(() => child.close());
    const entry = { stop, ended };
    this.#running.add(entry);
    if (either.aborted) onAbort();
    try {
      const outcome = await ended;
      return either.aborted ? failure(ABORTED) : outcome;
    } catch (error) {
      return failure(either.aborted ? ABORTED : getMessage(error));
    } finally {
      either.removeEventListener('abort', onAbort);
      this.#running.delete(entry);
    }
  }

  /** The card of a call that has ended only gets an update; what happened is stored with the subagent's session. */
  #show({ toolCallId, emit }: TaskCall, text: string, isOpen: boolean): void {
    const { client, warn } = this.#services;
    if (isOpen) {
      emit({ type: 'tool-progress', toolCallId, display: { content: [{ type: 'text', text }] } });
      return;
    }
    const content = [{ type: 'content' as const, content: { type: 'text' as const, text } }];
    client
      .update(this.#session.id, { sessionUpdate: 'tool_call_update', toolCallId, content })
      .catch((error) => warn(getMessage(error)));
  }

  /** The completion is a message of its own, once the session's turn has ended (spec CS-24). */
  async #complete(childId: string, agent: string, outcome: Outcome<string>): Promise<void> {
    const { client, recorder, warn } = this.#services;
    if (this.#isLeft) return;
    try {
      await this.#session.idle();
      await recorder.free();
      await this.#session.idle();
      const text = toSynthetic(agent, outcome);
      const message = recorder.addSynthetic(this.#session.id, text, { task: childId });
      recorder.endBackground(childId);
      // Not waited for: a client that reads nothing must not keep the session from being closed.
      client
        .update(this.#session.id, {
          sessionUpdate: 'agent_message_chunk',
          messageId: message.parts[0]?.id ?? message.id,
          content: { type: 'text', text },
        })
        .catch((error) => warn(getMessage(error)));
    } catch (error) {
      warn(`The end of a background task was not stored: ${getMessage(error)}`);
    }
  }
}

function isCall({ sessionUpdate }: SessionUpdate): boolean {
  return sessionUpdate === 'tool_call' || sessionUpdate === 'tool_call_update';
}

function toResult(outcome: Outcome<string>, shown: string | undefined): Outcome<TaskResult> {
  if (!outcome.ok) return outcome;
  return success({ output: outcome.data, ...(shown !== undefined && { session_id: shown }) });
}
