import { useEffect, useRef } from 'preact/hooks';
import { rowKey } from './rowKeys.ts';
import type { List } from './virtualList.ts';

type Box = { readonly current: HTMLElement | null };

/** What takes part in the order of Tab by itself. */
const CONTROLS = 'a[href], button, summary, input, select, textarea, pre[tabindex]';
/** Pixels by which an arrow key scrolls in a row that is taller than the view. */
const STEP = 60;
/** Frames in which a row that was far away has to be drawn. */
const MOST_FRAMES = 30;

/**
 * Makes the transcript one stop of Tab. It has the row that the reader was at last, at first the last
 * one. Arrow keys, Home and End go to other rows, Enter or the right arrow to the controls of a row,
 * which Tab walks through, and Escape back to the row.
 */
export function useRoving(box: Box, list: List, keys: readonly string[]) {
  const at = useRef<string | undefined>(undefined);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    leaveControls(element);
    const observer = new MutationObserver(() => leaveControls(element));
    observer.observe(element, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  const index = () => {
    const known = at.current === undefined ? -1 : keys.indexOf(at.current);
    return known === -1 ? keys.length - 1 : known;
  };
  const go = (to: number) => {
    const next = Math.max(0, Math.min(keys.length - 1, to));
    at.current = keys[next];
    focusRow(box, list, next, MOST_FRAMES);
  };
  const onFocusIn = (event: FocusEvent) => {
    const row = findRow(event.target);
    if (row === undefined) {
      if (keys.length > 0) go(index());
      return;
    }
    at.current = keys[Number(row.dataset['index'])];
    // Its own stop would come before that of the row.
    if (box.current) box.current.tabIndex = -1;
    if (isControl(event.target)) enterControls(row);
  };
  const onFocusOut = ({ relatedTarget }: FocusEvent) => {
    const element = box.current;
    if (element === null) return;
    const next = findRow(relatedTarget);
    leaveControls(element, next);
    if (next === undefined) element.tabIndex = 0;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = findRow(event.target);
    if (row === undefined || box.current === null) return;
    const action = rowKey(event, isControl(event.target), getOverflow(row, box.current));
    if (action === undefined) return;
    event.preventDefault();
    if (action === 'enter') enter(row);
    else if (action === 'leave') getArticle(row)?.focus();
    else if (action === 'up' || action === 'down') {
      box.current.scrollTop += action === 'up' ? -STEP : STEP;
    } else go(action === 'first' ? 0 : action === 'last' ? keys.length - 1 : index() + action);
  };
  return { box: { tabIndex: 0, onFocusIn, onFocusOut, onKeyDown } };
}

function focusRow(box: Box, list: List, index: number, frames: number): void {
  const row = box.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
  const article = row && getArticle(row);
  if (article) {
    article.focus({ preventScroll: true });
    article.scrollIntoView({ block: 'nearest' });
  } else if (frames > 0) {
    list.scrollToIndex(index, { align: 'auto' });
    requestAnimationFrame(() => focusRow(box, list, index, frames - 1));
  }
}

function findRow(target: EventTarget | null): HTMLElement | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('.row-box') : null;
  return row ?? undefined;
}

/** Rows without an item have no article. */
function getArticle(row: HTMLElement): HTMLElement | null {
  return row.querySelector<HTMLElement>('article, [role="status"]');
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches(CONTROLS);
}

function enter(row: HTMLElement): void {
  enterControls(row);
  row.querySelector<HTMLElement>(CONTROLS)?.focus();
}

function enterControls(row: HTMLElement): void {
  for (const control of row.querySelectorAll<HTMLElement>(CONTROLS)) control.tabIndex = 0;
}

/** Takes the controls of all rows out of the order of Tab, but those of `except`. */
function leaveControls(box: HTMLElement, except?: HTMLElement): void {
  const entered = except ?? findRow(box.ownerDocument.activeElement);
  for (const control of box.querySelectorAll<HTMLElement>(CONTROLS)) {
    if (control.tabIndex !== -1 && !entered?.contains(control)) control.tabIndex = -1;
  }
}

/** Whether parts of the row are above or below the view. */
function getOverflow(row: HTMLElement, box: HTMLElement) {
  const own = row.getBoundingClientRect();
  const view = box.getBoundingClientRect();
  return { above: own.top < view.top - 1, below: own.bottom > view.bottom + 1 };
}
