import {
  type ModelRequest,
  type ModelServer,
  type Reply,
  type Script,
  startModelServer,
} from '../tour/server.ts';
import { createTour } from '../tour/tour.ts';

/** A model on loopback that says what a test tells it to, call by call. */
export interface ScriptedModel {
  /** Base URL for `gatehouse.model.baseUrl`. */
  readonly url: string;
  /** Every call that came since the last `script`, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** Replaces what is left of the script. Beyond its end the model says "Done.". */
  script(...replies: readonly Reply[]): void;
  /** Answers by what is asked, for conversations that go on at the same time. */
  answer(by: (request: ModelRequest) => Reply): void;
  /** Plays what `npm start` plays. */
  tour(): void;
  /** Refuses connections, as an endpoint that is down does, until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

const DONE: Reply = { text: 'Done.' };

export async function startScriptedModel(): Promise<ScriptedModel> {
  let next: (request: ModelRequest) => Reply = () => DONE;
  let requests: ModelRequest[] = [];
  const script = (request: ModelRequest): Reply => {
    requests.push(request);
    return next(request);
  };
  let server = await startOnPortOfItsOwn(script);
  const { url } = server;
  return {
    url,
    get requests() {
      return requests;
    },
    script: (...given) => {
      const replies = [...given];
      next = () => replies.shift() ?? DONE;
      requests = [];
    },
    answer: (by) => {
      next = by;
      requests = [];
    },
    tour: () => {
      const tour = createTour();
      next = (request) => (typeof tour === 'function' ? tour(request) : DONE);
      requests = [];
    },
    down: () => server.stop(),
    up: async () => {
      server = await startModelServer({ script, port: Number(new URL(url).port) });
    },
    stop: () => server.stop(),
  };
}

/**
 * A port that nobody else is given by the system, whose ports for connections begin at 32768: it is
 * still free when the server comes up again after it was down.
 */
async function startOnPortOfItsOwn(script: Script): Promise<ModelServer> {
  for (let port = 20_000 + (process.pid % 10_000); ; port += 1) {
    try {
      return await startModelServer({ script, port });
    } catch (error) {
      if (!String(error).includes('EADDRINUSE') || port > 32_000) throw error;
    }
  }
}

/** An answer that streams for about `seconds`, a word every 50 ms. */
export function longAnswer(seconds: number): Reply {
  const words = Array.from({ length: seconds * 20 }, (_, index) => `word${index}`);
  return { text: words.join(' '), chunkSize: 8, delayMs: 50 };
}
