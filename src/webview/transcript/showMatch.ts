import { findRanges } from './find.ts';
import type { List } from './virtualList.ts';

type Box = { readonly current: HTMLElement | null };

/** Frames in which a row that was far away is drawn and gets its height. */
const MOST_FRAMES = 30;
/** Frames in which the match has to stay in view, because rows around it still get theirs. */
const CALM_FRAMES = 3;

/**
 * Goes on from a row to a match in it, which may be far below its begin. Calls back when the match is
 * in view, or the row is drawn and shows none. Returns what cancels it.
 */
export function showMatch(
  { box, list, query }: { readonly box: Box; readonly list: List; readonly query: string },
  row: number,
  which: 'first' | 'last',
  done: () => void,
): () => void {
  let frame = 0;
  const look = (frames: number, calm: number) => {
    const found = findMatches(box, row, query);
    const match = which === 'first' ? found?.matches.at(0) : found?.matches.at(-1);
    if (frames === 0 || calm === CALM_FRAMES) return done();
    const inView = found !== undefined && (match === undefined || isIn(found.view, match));
    if (found !== undefined && match !== undefined && !inView) center(box, list, found.view, match);
    frame = requestAnimationFrame(() => look(frames - 1, inView ? calm + 1 : 0));
  };
  look(MOST_FRAMES, 0);
  return () => cancelAnimationFrame(frame);
}

/** Shows the next match of a row that is out of view. Returns whether there is one. */
export function showNextMatch(
  { box, list, query }: { readonly box: Box; readonly list: List; readonly query: string },
  row: number,
  step: 1 | -1,
): boolean {
  const { view, matches = [] } = findMatches(box, row, query) ?? {};
  if (view === undefined) return false;
  const next =
    step === 1
      ? matches.find(({ bottom }) => bottom > view.bottom)
      : matches.findLast(({ top }) => top < view.top);
  if (next !== undefined) center(box, list, view, next);
  return next !== undefined;
}

/** Where the matches are, if the row is drawn: what only screen readers get has no place. */
function findMatches({ current }: Box, row: number, query: string) {
  const drawn = current?.querySelector(`[data-index="${row}"]`);
  if (!current || !drawn) return undefined;
  const seen = findRanges(drawn, query).filter(
    ({ startContainer }) => startContainer.parentElement?.closest('.hidden') == null,
  );
  const matches = seen.map((range) => range.getBoundingClientRect());
  return { view: current.getBoundingClientRect(), matches: matches.filter((r) => r.height > 0) };
}

function isIn(view: DOMRect, { top, bottom }: DOMRect): boolean {
  return top >= view.top && bottom <= view.bottom;
}

function center({ current }: Box, list: List, view: DOMRect, { top, height }: DOMRect): void {
  if (current === null) return;
  // By the list, which would go on to its row otherwise.
  list.scrollToOffset(current.scrollTop + top - view.top - (view.height - height) / 2);
}
