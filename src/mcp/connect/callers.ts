import type { Disposable } from '../../base/disposable.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { UserWaiting } from '../../runtime/waiting.ts';
import type { ServerSampler } from './answerSampling.ts';
import type { ServerAsk } from './answerServer.ts';

/** A call of a server, and what the server may ask meanwhile. */
export interface Caller {
  readonly signal: AbortSignal;
  readonly asker?: ServerAsk | undefined;
  readonly sampler?: ServerSampler | undefined;
  readonly sessionId?: string;
}

/** Requests to the model within one call. A server that goes on for ever would cost without end. */
const MOST_SAMPLES = 20;

/** The calls of one server that run now. Sessions share servers. */
export class Callers {
  readonly #running: Omit<Caller, 'signal'>[] = [];

  /** Adds a call until it is disposed. What the server asks does not count in the call's time limit. */
  begin({ signal, asker, sampler, sessionId }: Caller, waiting: UserWaiting): Disposable {
    const over = new AbortController();
    const ended = AbortSignal.any([signal, over.signal]);
    let samples = 0;
    const sample: ServerSampler | undefined =
      sampler &&
      (async (asked, stopped) => {
        samples += 1;
        if (samples > MOST_SAMPLES) return failure(`A call may ask ${MOST_SAMPLES} times.`);
        return waiting.during(() => sampler(asked, AbortSignal.any([stopped, ended])));
      });
    const caller = {
      asker: asker && ((...asked: Parameters<ServerAsk>) => waiting.during(() => asker(...asked))),
      sampler: sample,
      ...(sessionId !== undefined && { sessionId }),
    };
    this.#running.push(caller);
    return {
      dispose: () => {
        over.abort();
        const at = this.#running.indexOf(caller);
        if (at >= 0) this.#running.splice(at, 1);
      },
    };
  }

  readonly asker = (): ServerAsk | undefined =>
    this.#running.findLast(({ asker }) => asker !== undefined)?.asker;

  /** What a server asks does not say for which call: with calls of several sessions, nobody is known to pay. */
  readonly sampler = (): Outcome<ServerSampler> => {
    const last = this.#running.at(-1);
    if (last?.sampler === undefined) {
      return failure('The model is asked only while a call of this server runs in a session.');
    }
    return this.#running.every(({ sessionId }) => sessionId === last.sessionId)
      ? success(last.sampler)
      : failure('Calls of several sessions run at this server, so the model is not asked.');
  };
}
