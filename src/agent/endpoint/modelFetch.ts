import { boundAnswers } from './boundedFetch.ts';
import { expectEvents } from './expectEvents.ts';

/** How an endpoint separates the parts of a streamed answer. */
export type Framing = 'events' | 'lines';

/**
 * The fetch that every request to a model goes through, whoever the provider is: it follows no redirect,
 * reads no more of an answer than the bounds allow, and rejects documents where a stream is due.
 */
export function createModelFetch(
  fetch: typeof globalThis.fetch = globalThis.fetch,
  framing: Framing = 'events',
): typeof globalThis.fetch {
  const bounded = boundAnswers(stayOnHost(fetch), framing);
  return framing === 'events' ? expectEvents(bounded) : bounded;
}

/** Rejects redirects, which would send the conversation to a host the user never configured. */
export function stayOnHost(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => fetch(input, { ...init, redirect: 'manual' });
}
