import type { Clock } from '../../base/clock.ts';
import type { Translate } from './translate.ts';

/** The part of a tree view that is used here. */
interface Messaged {
  message?: string | undefined;
}

/** In which VS Code takes the rows that it was given. Milliseconds. */
const TAKEN = 100;

/**
 * Says that a view loads until its first rows are there. VS Code shows the welcome text of an empty view
 * that says nothing, and the focus that a command gave to it is lost when the rows take its place. Returns
 * what sets the message from then on.
 */
export function sayLoading(view: Messaged, clock: Clock, t: Translate): (text: string) => void {
  view.message = t('Loading…');
  let loading = true;
  let next: string | undefined;
  return (text) => {
    const waits = next !== undefined;
    next = text;
    if (!loading || text !== '') {
      loading = false;
      view.message = text;
    } else if (!waits) {
      clock.after(TAKEN, () => {
        loading = false;
        view.message = next;
      });
    }
  };
}
