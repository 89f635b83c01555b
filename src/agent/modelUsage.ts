import type { Usage } from '../base/stream/stored.ts';
import type { ModelPart } from './model.ts';

/** `input` excludes cached tokens, both read and written (spec CS-89). */
export function toUsage({
  inputTokens,
  outputTokens,
}: Extract<ModelPart, { type: 'finish' }>['usage']): Usage | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined;
  const cache_read = inputTokens.cacheRead ?? 0;
  const cache_write = inputTokens.cacheWrite ?? 0;
  return {
    input: Math.max(0, (inputTokens.total ?? 0) - cache_read - cache_write),
    output: outputTokens.total ?? 0,
    reasoning: outputTokens.reasoning ?? 0,
    cache_read,
    cache_write,
  };
}
