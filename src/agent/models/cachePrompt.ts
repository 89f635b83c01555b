import type { ModelCall, ModelMessage } from '../model.ts';

const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;

/** How many of the last messages end a part that is cached; with the prompt, at most four parts are. */
const TAIL = 2;

/**
 * Caches the tools with the prompt, and the conversation so far: the next request of the turn reads it, and
 * adds what is new.
 */
export function cachePrompt(call: ModelCall): ModelCall {
  const from = call.prompt.length - TAIL;
  const prompt = call.prompt.map((message, at): ModelMessage => {
    const cached = message.role === 'system' || at >= from;
    return cached
      ? { ...message, providerOptions: { ...message.providerOptions, ...CACHED } }
      : message;
  });
  return { ...call, prompt };
}
