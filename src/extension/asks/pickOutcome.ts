import type { AskAnswer } from '../../webview/messages/asks.ts';

/** How a quick pick for a request ended. Only an answer settles the request. */
export type PickOutcome =
  | { readonly kind: 'answered'; readonly answer: AskAnswer }
  /** The user wants to see the diff or the card. */
  | { readonly kind: 'details' }
  /** Text that was typed into a quick pick that opened by itself, meant for the composer. */
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'hidden' };

/** No answer means that the user hid the quick pick. */
export function toOutcome(answer: AskAnswer | undefined): PickOutcome {
  return answer === undefined ? { kind: 'hidden' } : { kind: 'answered', answer };
}

/** A title with the request's position in the queue, its agent and session. */
export function joinTitle(title: string, position: string): string {
  return position === '' ? title : `${title} (${position})`;
}
