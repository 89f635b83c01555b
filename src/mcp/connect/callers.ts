import type { Disposable } from '../../base/disposable.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { UserWaiting } from '../../runtime/waiting.ts';
import type { HiddenFiles } from '../../tools/toolSource.ts';
import type { ServerSampler } from './answerSampling.ts';
import type { ServerAsk } from './answerServer.ts';

/** A call of a server, and what the server may ask meanwhile. */
export interface Caller {
  readonly signal: AbortSignal;
  readonly asker?: ServerAsk | undefined;
  readonly sampler?: ServerSampler | undefined;
  readonly sessionId?: string;
  /** What the rules of the call's session hide from the server. */
  readonly hidden?: HiddenFiles | undefined;
}

/** Requests to the model within one call. A server that goes on for ever would cost without end. */
const MOST_SAMPLES = 20;
/** Forms within one call. A user who is asked without end stops reading. */
const MOST_FORMS = 20;

/** The calls of one server that run now. Sessions share servers. */
export class Callers {
  readonly #running: Omit<Caller, 'signal' | 'hidden'>[] = [];

  /** Adds a call until it is disposed. What the server asks does not count in the call's time limit. */
  begin({ signal, asker, sampler, sessionId }: Caller, waiting: UserWaiting): Disposable {
    const over = new AbortController();
    const ended = AbortSignal.any([signal, over.signal]);
    let samples = 0;
    let forms = 0;
    const sample: ServerSampler | undefined =
      sampler &&
      (async (asked, stopped) => {
        samples += 1;
        if (samples > MOST_SAMPLES) return failure(`A call may ask ${MOST_SAMPLES} times.`);
        return waiting.during(() => sampler(asked, AbortSignal.any([stopped, ended])));
      });
    const ask: ServerAsk | undefined =
      asker &&
      (async (questions, stopped) => {
        forms += 1;
        if (forms > MOST_FORMS) return failure(`A call may ask the user ${MOST_FORMS} times.`);
        return waiting.during(() => asker(questions, AbortSignal.any([stopped, ended])));
      });
    const caller = {
      asker: ask,
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

  /** Fails when the user is not asked: a question must reach nobody whose call it does not belong to. */
  readonly asker = (): Outcome<ServerAsk | undefined> => {
    const only = this.#findOnly('The user is asked', 'the user is not asked');
    return only.ok ? success(only.data.asker) : only;
  };

  /** Nobody else than the session whose call runs pays. */
  readonly sampler = (): Outcome<ServerSampler> => {
    const only = this.#findOnly('The model is asked', 'the model is not asked');
    if (!only.ok) return only;
    const { sampler } = only.data;
    return sampler ? success(sampler) : failure('The call runs where no model can be asked.');
  };

  /** The newest call. What a server asks does not say for which call: with several sessions, nobody knows. */
  #findOnly(what: string, not: string): Outcome<Omit<Caller, 'signal'>> {
    const last = this.#running.at(-1);
    if (last === undefined) {
      return failure(`${what} only while a call of this server runs in a session.`);
    }
    return this.#running.every(({ sessionId }) => sessionId === last.sessionId)
      ? success(last)
      : failure(`Calls of several sessions run at this server, so ${not}.`);
  }
}
