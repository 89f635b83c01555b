import { useEffect, useRef } from 'preact/hooks';
import { rowKey } from './rowKeys.ts';
import type { List } from './virtualList.ts';

type Box = { readonly current: HTMLElement | null };

/** What takes part in the order of Tab by itself. */
const CONTROLS =
  'a[href], button, summary, input, select, textarea, pre[tabindex], .table[tabindex]';
/** Pixels by which an arrow key scrolls in a row that is taller than the view. */
const STEP = 60;
const ENDS = ['pointerup', 'pointercancel', 'blur'];
const NO_OVERFLOW = { above: false, below: false };
/** Frames in which a row that was far away has to be drawn. */
const MOST_FRAMES = 30;

/**
 * Makes the transcript one stop of Tab. It has the row that the reader was at last, at first the last
 * one. Arrow keys, Home and End go to other rows, Enter or the right arrow to the controls of a row,
 * which Tab walks through, and Escape back to the row. When the row that has the focus is no longer drawn,
 * a row in view gets it. A click beside the rows moves nothing. `go` focuses a row.
 */
export function useRoving(box: Box, list: List, keys: readonly string[]) {
  const at = useRef<string | undefined>(undefined);
  const pressed = usePressed(box);
  const last = useLastFocus(box);
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
    const back = last.enter(event);
    if (row === undefined) {
      const inside =
        event.relatedTarget instanceof Node && box.current?.contains(event.relatedTarget);
      if (keys.length > 0 && !pressed.current && !inside && !back) go(index());
      return;
    }
    at.current = keys[Number(row.dataset['index'])];
    // Its own stop would come before that of the row.
    if (box.current) box.current.tabIndex = -1;
    if (isControl(event.target)) enterControls(row);
  };
  const onFocusOut = ({ target, relatedTarget }: FocusEvent) => {
    last.leave(target);
    const element = box.current;
    if (element === null) return;
    const next = findRow(relatedTarget);
    leaveControls(element, next);
    if (next === undefined) element.tabIndex = 0;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (box.current !== null) pressKey(event, box.current, { go, index, last: keys.length - 1 });
  };
  return { go, box: { tabIndex: 0, onFocusIn, onFocusOut, onKeyDown } };
}

interface Position {
  go(to: number): void;
  index(): number;
  readonly last: number;
}

function pressKey(event: KeyboardEvent, box: HTMLElement, { go, index, last }: Position): void {
  const row = findRow(event.target);
  // The box itself has the focus after a click beside the rows.
  if (row === undefined && event.target !== box) return;
  const overflow = row === undefined ? NO_OVERFLOW : getOverflow(row, box);
  const action = rowKey(event, isControl(event.target), overflow);
  if (action === undefined) return;
  event.preventDefault();
  if (action === 'first' || action === 'last') go(action === 'first' ? 0 : last);
  else if (row === undefined) focusInView(box);
  else if (action === 'enter') enter(row);
  else if (action === 'leave') getArticle(row)?.focus();
  else if (action === 'up' || action === 'down') box.scrollTop += action === 'up' ? -STEP : STEP;
  else go(index() + action);
}

/** What of the box had the focus last. If it is removed, a row in view gets the focus. */
function useLastFocus(box: Box) {
  const last = useRef<EventTarget | null>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    leaveControls(element);
    const observer = new MutationObserver((changes) => {
      leaveAdded(element, changes);
      if (wasRemoved(last.current)) restoreFocus(element);
    });
    observer.observe(element, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  return {
    /** Whether the window got the focus back, which it had lost here. */
    enter({ target }: FocusEvent): boolean {
      const back = last.current === target;
      last.current = target;
      return back;
    },
    /** What was removed is gone by the microtask, and what the window left is still active. */
    leave(target: EventTarget | null): void {
      queueMicrotask(() => {
        const left =
          target instanceof Node && target.isConnected && document.activeElement !== target;
        if (left && last.current === target) last.current = null;
      });
    },
  };
}

/** Whether a button of the mouse, a finger or a pen is down, which moves the focus too. */
function usePressed(box: Box): { readonly current: boolean } {
  const pressed = useRef(false);
  useEffect(() => {
    const element = box.current;
    const set = ({ type, target }: Event) => {
      // What had the focus loses it by the click itself.
      if (type !== 'blur' || target === window) pressed.current = type === 'pointerdown';
    };
    element?.addEventListener('pointerdown', set, true);
    for (const type of ENDS) window.addEventListener(type, set, true);
    return () => {
      element?.removeEventListener('pointerdown', set, true);
      for (const type of ENDS) window.removeEventListener(type, set, true);
    };
  }, []);
  return pressed;
}

function wasRemoved(focused: EventTarget | null): boolean {
  const { activeElement, body } = document;
  return (
    focused instanceof Node &&
    !focused.isConnected &&
    (activeElement === null || activeElement === body)
  );
}

/** A page that does not have the focus must not take it from the editor. */
function restoreFocus(box: HTMLElement): void {
  box.tabIndex = 0;
  if (document.hasFocus()) focusInView(box);
}

/** Focuses the last row in view, without scrolling. */
export function focusInView(box: HTMLElement): void {
  const view = box.getBoundingClientRect();
  const rows = [...box.querySelectorAll<HTMLElement>('.row-box')];
  const row = rows.findLast((each) => {
    const { top, bottom } = each.getBoundingClientRect();
    return top < view.bottom && bottom > view.top && getArticle(each) !== null;
  });
  const article = row && getArticle(row);
  if (article) article.focus({ preventScroll: true });
}

/** Focuses a row if it is drawn, wherever it is. */
export function focusDrawn(box: HTMLElement, index: number): boolean {
  const row = box.querySelector<HTMLElement>(`[data-index="${index}"]`);
  const article = row && getArticle(row);
  article?.focus({ preventScroll: true });
  return article != null;
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
  leaveAll(box.querySelectorAll<HTMLElement>(CONTROLS), except ?? findRow(document.activeElement));
}

/** The same for what was added: a long answer that grows has hundreds of others. */
function leaveAdded(box: HTMLElement, changes: readonly MutationRecord[]): void {
  const entered = findRow(box.ownerDocument.activeElement);
  for (const { addedNodes } of changes) {
    for (const added of addedNodes) {
      if (!(added instanceof HTMLElement)) continue;
      if (added.matches(CONTROLS)) leaveAll([added], entered);
      leaveAll(added.querySelectorAll<HTMLElement>(CONTROLS), entered);
    }
  }
}

/** What an empty chat offers is in no row, and stays in the order of Tab: nothing else leads to it. */
function leaveAll(controls: Iterable<HTMLElement>, entered: HTMLElement | undefined): void {
  for (const control of controls) {
    const row = findRow(control);
    if (control.tabIndex !== -1 && row !== undefined && row !== entered) control.tabIndex = -1;
  }
}

/** Whether parts of the row are above or below the view. */
function getOverflow(row: HTMLElement, box: HTMLElement) {
  const own = row.getBoundingClientRect();
  const view = box.getBoundingClientRect();
  return { above: own.top < view.top - 1, below: own.bottom > view.bottom + 1 };
}
