import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useSurroundings } from '../state/context.ts';
import type { ReadingPosition } from '../state/host.ts';
import { findRow, type Row } from './rows.ts';
import { type List, type ListStart, useVirtualList } from './virtualList.ts';

type Box = { readonly current: HTMLElement | null };

/** Pixels from the end that still count as the end. */
const NEAR = 32;
/** Frames in which the rows around a kept position get their height. */
const RESTORING = 6;

export interface Reading {
  readonly list: List;
  /** Whether new content is followed. */
  readonly follows: boolean;
  /** Goes to the end. */
  jump(): void;
  /** Stops following, because another position will be shown. */
  leave(): void;
  onScroll(): void;
}

export interface ReadingParts {
  readonly rows: readonly Row[];
  /** Of the rows, and of what is drawn below them. */
  readonly keys: readonly string[];
  /** The id of the last item, if the user sent it: it is shown wherever the reader was. */
  readonly sent: string | undefined;
}

/**
 * Where the reader is in the transcript. New content is followed only at the end. A session opens at
 * its end, or where the reader left it.
 *
 */
export function useReading(box: Box, content: Box, { rows, keys, sent }: ReadingParts): Reading {
  const { host } = useSurroundings();
  const start = useRef(findStart(keys, rows, host.left().position));
  const end = useEnd(box, content, start.current === undefined);
  const restoring = useRef(start.current !== undefined);
  const keep = () => {
    if (restoring.current) return;
    host.keepPosition(end.follows.current ? undefined : findPosition(box, keys));
  };
  const list = useVirtualList({
    ...{ keys, box, start: start.current, onRest: keep },
    follows: () => end.follows.current,
  });
  useWidthAnchor(box, content, { list, keys, follows: () => end.follows.current });
  const latest = useRef(keep);
  latest.current = keep;
  // Another session may be shown before scrolling came to rest.
  useLayoutEffect(() => () => latest.current(), []);
  useEffect(() => {
    if (start.current === undefined) return;
    restore(box, start.current, RESTORING, () => {
      restoring.current = false;
    });
  }, []);
  const known = useRef(sent);
  useLayoutEffect(() => {
    if (known.current !== sent && sent !== undefined) end.jump();
    known.current = sent;
  }, [sent]);
  const { shown, jump, leave, onScroll } = end;
  return { list, follows: shown, jump, leave, onScroll };
}

/** Keeps the end in view, until the reader scrolls up or opens something. */
function useEnd(box: Box, content: Box, atEnd: boolean) {
  const follows = useRef(atEnd);
  const [shown, setShown] = useState(atEnd);
  const top = useRef(0);
  const follow = (value: boolean) => {
    follows.current = value;
    setShown(value);
  };
  const toEnd = () => {
    if (!box.current) return;
    box.current.scrollTop = box.current.scrollHeight;
    top.current = box.current.scrollTop;
  };
  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    // Only scrolling up leaves the end. The distance can also grow because the box shrank.
    if (isNearEnd(element)) follow(true);
    else if (element.scrollTop < top.current) follow(false);
    top.current = element.scrollTop;
  };
  useEffect(() => {
    // A request card shrinks the box, and content that is drawn late grows it.
    const observer = new ResizeObserver(() => follows.current && toEnd());
    for (const { current } of [box, content]) if (current) observer.observe(current);
    // What the reader opens stays where it was clicked.
    const opened = () =>
      requestAnimationFrame(() => {
        if (box.current && !isNearEnd(box.current)) follow(false);
      });
    box.current?.addEventListener('click', opened);
    return () => {
      observer.disconnect();
      box.current?.removeEventListener('click', opened);
    };
  }, []);
  const jump = () => {
    follow(true);
    toEnd();
  };
  const leave = () => {
    // Where all is in view, there is no other position.
    const { scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    follow(scrollHeight - clientHeight < NEAR);
  };
  return { follows, shown, jump, leave, onScroll };
}

interface AnchorParts {
  readonly list: List;
  readonly keys: readonly string[];
  follows(): boolean;
}

/**
 * Keeps the first row that begins in view where it is when another width changes the heights of all
 * rows, unless the end is followed.
 */
function useWidthAnchor(box: Box, content: Box, parts: AnchorParts): void {
  const latest = useRef(parts);
  latest.current = parts;
  useEffect(() => {
    const element = box.current;
    if (element === null || content.current === null) return undefined;
    let width = element.clientWidth;
    let anchor = findAnchor(element, latest.current.keys);
    let runs = 0;
    const note = () => {
      // The end needs no anchor, and looking for one at each growth of an answer is dear.
      if (latest.current.follows()) anchor = undefined;
      else if (runs === 0) anchor = findAnchor(element, latest.current.keys);
    };
    const observer = new ResizeObserver(() => {
      const { list, keys, follows } = latest.current;
      const changed = element.clientWidth !== width;
      width = element.clientWidth;
      const index = anchor === undefined ? -1 : keys.indexOf(anchor.row);
      if (!changed || follows() || anchor === undefined || index === -1) return note();
      runs += 1;
      hold(box, list, { index, above: anchor.above }, RESTORING, () => {
        runs -= 1;
        note();
      });
    });
    observer.observe(element);
    observer.observe(content.current);
    element.addEventListener('scroll', note);
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', note);
    };
  }, []);
}

/** Like `restore`, for a row that may be no longer drawn. */
function hold(box: Box, list: List, at: ListStart, frames: number, done: () => void): void {
  if (box.current?.querySelector(`[data-index="${at.index}"]`)) restore(box, at, frames, done);
  else if (frames === 0) done();
  else {
    list.scrollToIndex(at.index, { align: 'start' });
    requestAnimationFrame(() => hold(box, list, at, frames - 1, done));
  }
}

/** The first row that begins in view, else the one that is in view. */
function findAnchor(element: HTMLElement, keys: readonly string[]): ReadingPosition | undefined {
  const { top, bottom } = element.getBoundingClientRect();
  const rows = [...element.querySelectorAll<HTMLElement>('.row-box')];
  const begins = rows.find((row) => row.getBoundingClientRect().top >= top);
  const spans = rows.find((row) => row.getBoundingClientRect().bottom > top);
  const inView = begins !== undefined && begins.getBoundingClientRect().top < bottom;
  const row = inView ? begins : spans;
  const key = keys[Number(row?.dataset['index'])];
  if (row === undefined || key === undefined) return undefined;
  return { row: key, above: top - row.getBoundingClientRect().top };
}

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < NEAR;
}

/** Puts a row where it was. The rows above it get their height while they are drawn. */
function restore(box: Box, at: ListStart, frames: number, done: () => void): void {
  const { current } = box;
  const row = current?.querySelector(`[data-index="${at.index}"]`);
  if (current && row) {
    const above = current.getBoundingClientRect().top - row.getBoundingClientRect().top;
    if (Math.abs(at.above - above) >= 1) current.scrollTop += at.above - above;
  }
  if (frames === 0) done();
  else requestAnimationFrame(() => restore(box, at, frames - 1, done));
}

/** Undefined if the row is gone. It may have been folded, or be out of its fold, since. */
function findStart(
  keys: readonly string[],
  rows: readonly Row[],
  position: ReadingPosition | undefined,
): ListStart | undefined {
  if (position === undefined) return undefined;
  const same = keys.indexOf(position.row);
  if (same !== -1) return { index: same, above: position.above };
  const index = findRow(rows, position.row);
  return index === -1 ? undefined : { index, above: 0 };
}

/** From the page, because the list rounds the heights of its rows. */
function findPosition({ current }: Box, keys: readonly string[]): ReadingPosition | undefined {
  if (current === null) return undefined;
  const { top } = current.getBoundingClientRect();
  const rows = [...current.querySelectorAll<HTMLElement>('.row-box')];
  const first = rows.find((row) => row.getBoundingClientRect().bottom > top);
  const key = keys[Number(first?.dataset['index'])];
  if (first === undefined || key === undefined) return undefined;
  return { row: key, above: Math.round(10 * (top - first.getBoundingClientRect().top)) / 10 };
}
