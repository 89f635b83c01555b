import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import { useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks';

/** Pixels. What a row is taken for until it was drawn. */
const ESTIMATE = 90;
/** Rows that are drawn above and below what is in view. */
const OVERSCAN = 12;
/** Pixels above the first row and below the last. */
const EDGE = 8;

export type List = Virtualizer<HTMLElement, HTMLElement>;

/** Where a list begins: at a row, with so many of its pixels above the view. */
export interface ListStart {
  readonly index: number;
  readonly above: number;
}

export interface ListParts {
  readonly keys: readonly string[];
  readonly box: { readonly current: HTMLElement | null };
  /** Undefined for the end. */
  readonly start: ListStart | undefined;
  /** Whether the list's owner keeps the end in view, so that the list itself must not scroll. */
  follows(): boolean;
  /** Called when scrolling ended. */
  onRest(): void;
}

/** Draws only the rows near the view. The box scrolls, and its rows carry `data-index`. */
export function useVirtualList(parts: ListParts): List {
  const [, draw] = useReducer<number, void>((count) => count + 1, 0);
  const ref = useRef<List | undefined>(undefined);
  const stale = useRef(new Set<VirtualItem['key']>());
  const latest = useRef(parts);
  latest.current = parts;
  const { keys } = parts;
  // With another function, the list measures all of its rows.
  const getItemKey = useMemo(() => (index: number) => keys[index] ?? index, [keys]);
  const options = toOptions({ ...parts, getItemKey }, (list) => {
    draw();
    if (list.isScrolling) return;
    for (const { key } of list.getVirtualItems()) stale.current.delete(key);
    latest.current.onRest();
  });
  ref.current ??= new Virtualizer(options);
  const list = ref.current;
  list.shouldAdjustScrollPositionOnItemSizeChange = (item) =>
    !latest.current.follows() && isAbove(list, item, stale.current.delete(item.key));
  list.setOptions(options);
  useLayoutEffect(() => list._didMount(), [list]);
  useLayoutEffect(() => list._willUpdate());
  useStaleSizes(list, stale.current);
  useKeptPosition(list, parts);
  return list;
}

/** Keeps what is in view where it is when rows are put before the first one, as older messages arrive. */
function useKeptPosition(list: List, { keys, box, follows }: ListParts): void {
  const before = useRef<Measured>({ keys, rows: [] });
  const moved = useRef(0);
  // Measures the rows. The offset is set before they are chosen, so that those in view stay drawn.
  list.getTotalSize();
  const rows = list.measurementsCache;
  const pixels = follows() ? 0 : findShift(before.current, { keys, rows });
  before.current = { keys, rows };
  if (pixels > 0) list.scrollOffset = (list.scrollOffset ?? 0) + pixels;
  moved.current += pixels;
  useLayoutEffect(() => {
    if (moved.current === 0 || box.current === null) return;
    box.current.scrollTop += moved.current;
    moved.current = 0;
  });
}

interface Measured {
  readonly keys: readonly string[];
  readonly rows: readonly VirtualItem[];
}

/** By how many pixels the rows were moved down by others before the first. */
function findShift(before: Measured, { keys, rows }: Measured): number {
  const [first] = before.keys;
  if (first === undefined || first === keys[0]) return 0;
  // The first rows may have become a part of another one.
  const was = before.keys.findIndex((key) => keys.includes(key));
  const from = before.rows[was];
  const to = rows[keys.indexOf(before.keys[was] ?? '')];
  return from === undefined || to === undefined ? 0 : Math.max(0, to.start - from.start);
}

/** Notes all rows when their width changes: the heights of those that are not drawn are old. */
function useStaleSizes(list: List, stale: Set<VirtualItem['key']>): void {
  useLayoutEffect(() => {
    let width = window.innerWidth;
    const onWidth = () => {
      if (window.innerWidth === width) return;
      width = window.innerWidth;
      for (const key of list.itemSizeCache.keys()) stale.add(key);
    };
    window.addEventListener('resize', onWidth);
    return () => window.removeEventListener('resize', onWidth);
  }, [list, stale]);
}

function toOptions(
  {
    keys,
    box,
    start,
    getItemKey,
  }: ListParts & { readonly getItemKey: (index: number) => string | number },
  onChange: (list: List) => void,
): VirtualizerOptions<HTMLElement, HTMLElement> {
  return {
    count: keys.length,
    getScrollElement: () => box.current,
    getItemKey,
    estimateSize: () => ESTIMATE,
    overscan: OVERSCAN,
    // A list that is not drawn yet is as long as it is taken for.
    initialOffset: (start?.index ?? keys.length) * ESTIMATE + (start?.above ?? 0),
    paddingStart: EDGE,
    paddingEnd: EDGE,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange,
  };
}

/**
 * Whether what is in view would move with the row's new height. That of a row that is drawn for the
 * first time, or for the first time in a new width (`stale`), was a guess. While scrolling up, rows above
 * may still change.
 */
function isAbove(list: List, { key, start, end }: VirtualItem, stale: boolean): boolean {
  const offset = list.scrollOffset ?? 0;
  if (stale || !list.itemSizeCache.has(key)) return start < offset;
  return end <= offset && list.scrollDirection !== 'backward';
}
