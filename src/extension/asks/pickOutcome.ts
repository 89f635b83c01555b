import type { AskAnswer } from '../../webview/messages/asks.ts';
import type { Translate } from '../text/translate.ts';
import type { LiveTitle, OpenedBy } from './safePick.ts';

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

/** A title that keeps up with the request's position in the queue. */
export function withPosition(title: string, { get, onDidChange }: LiveTitle): LiveTitle {
  const join = () => {
    const position = get();
    return position === '' ? title : `${title} (${position})`;
  };
  return { get: join, onDidChange };
}

/** Enter accepts nothing in a quick pick that opened by itself, so it names the key for one that does. */
export function keyboardHint(openedBy: OpenedBy, t: Translate): { readonly hint?: string } {
  if (openedBy === 'user') return {};
  const key = process.platform === 'darwin' ? '⌥⌘P' : 'Ctrl+Alt+P';
  return { hint: t('Press {0} to answer with the keyboard', key) };
}
