import type { ChatItem } from '../messages/chatState.ts';

/** A walk through the user's earlier messages. */
export interface Recall {
  /** How many messages back; 0 is what was written before. */
  readonly back: number;
  readonly text: string;
}

/** The message before or after the shown one. Undefined at either end. */
export function walk(
  items: readonly ChatItem[],
  shown: Recall | undefined,
  step: 1 | -1,
): Recall | undefined {
  const texts = items.flatMap((item) => (item.kind === 'user' ? [item.text.trimEnd()] : []));
  const back = (shown?.back ?? 0) + step;
  if (back === 0) return { back, text: '' };
  const text = back < 0 ? undefined : texts.at(-back);
  return text === undefined || back > texts.length ? undefined : { back, text };
}
