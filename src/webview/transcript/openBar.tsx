import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { IconButton } from '../controls/icon.tsx';
import type { SubagentStates } from '../messages/subagents.ts';
import { useSurroundings } from '../state/context.ts';
import { findRanges, findRows } from './find.ts';
import { focusDrawn, focusInView } from './roving.ts';
import type { Row } from './rows.ts';
import { showMatch, showNextMatch } from './showMatch.ts';
import type { List } from './virtualList.ts';

type Box = { readonly current: HTMLElement | null };

export interface OpenBarParts {
  readonly box: Box;
  readonly list: List;
  readonly rows: readonly Row[];
  /** What the cards of tasks show. */
  readonly subagents: SubagentStates | undefined;
  readonly input: { readonly current: HTMLInputElement | null };
  /** What had the focus before. */
  readonly opener: { readonly current: Element | null };
  /** Called before a row is shown, which may be far from the end. */
  onGo(): void;
  onClose(): void;
}

/**
 * The open find bar, whose input takes the focus. Closing it focuses the row that was found last, else what
 * had the focus before, and scrolls nothing.
 */
export function OpenBar(parts: OpenBarParts) {
  const { box, rows, input, opener, onClose } = parts;
  const { t } = useSurroundings();
  const [query, setQuery] = useState('');
  const shown = useRef<string | undefined>(undefined);
  const { at, found, step } = useSteps(parts, shown, query);
  useLayoutEffect(() => input.current?.focus(), []);
  useRoom(box);
  useMarks(box, query);
  const close = () => {
    onClose();
    if (box.current === null) return;
    const row = rows.findIndex(({ key }) => key === shown.current);
    if (focusDrawn(box.current, row)) return;
    const { current: before } = opener;
    const known = before instanceof HTMLElement && before !== document.body && before.isConnected;
    if (known) before.focus({ preventScroll: true });
    else focusInView(box.current);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const count =
    query === ''
      ? ''
      : found.length === 0
        ? t('findNothing')
        : t('position', Math.min(at, found.length - 1) + 1, found.length);
  return (
    <search class="find" onKeyDown={onKeyDown}>
      <input
        ref={input}
        type="text"
        aria-label={t('find')}
        placeholder={t('find')}
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
      />
      <span class="find-count" role="status">
        {count}
      </span>
      <IconButton name="arrow-up" label={t('findPrevious')} onClick={() => step(-1)} />
      <IconButton name="arrow-down" label={t('findNext')} onClick={() => step(1)} />
      <IconButton name="close" label={t('findClose')} onClick={close} />
    </search>
  );
}

/** The rows that hold a text, and the way through them: a long row has places out of view, which come first. */
function useSteps(
  { box, list, rows, subagents, onGo }: OpenBarParts,
  shown: { current: string | undefined },
  query: string,
) {
  const [at, setAt] = useState(0);
  const found = useMemo(() => findRows(rows, query, subagents), [rows, query, subagents]);
  /** Set while the first place of a row comes into view: until then, the others may move. */
  const cancel = useRef<(() => void) | undefined>(undefined);
  const go = (to: number, which: 'first' | 'last') => {
    cancel.current?.();
    const next = found.length === 0 ? 0 : (to + found.length) % found.length;
    const row = found[next];
    setAt(next);
    if (row === undefined) return;
    onGo();
    shown.current = rows[row]?.key;
    list.scrollToIndex(row, { align: 'center' });
    cancel.current = showMatch({ box, list, query }, row, which, () => {
      cancel.current = undefined;
    });
  };
  // From the end, where most readers are.
  useEffect(() => go(found.length - 1, 'last'), [query]);
  useEffect(() => () => cancel.current?.(), []);
  const step = (by: 1 | -1) => {
    const row = found[at];
    const waits = cancel.current !== undefined || row === undefined;
    if (!waits && showNextMatch({ box, list, query }, row, by)) return;
    go(at + by, by === 1 ? 'first' : 'last');
  };
  return { at, found, step };
}

/**
 * The style gives the first rows room below the bar, which would cover them. What is further down stays where
 * it is.
 */
function useRoom({ current }: Box): void {
  useLayoutEffect(() => {
    if (current === null) return undefined;
    const room = Number.parseFloat(getComputedStyle(current).paddingTop);
    if (current.scrollTop > 0) current.scrollTop += room;
    return () => {
      current.scrollTop -= room;
    };
  }, []);
}

/** Marks the text in what is drawn, also in what is drawn later. */
function useMarks(box: Box, query: string): void {
  useEffect(() => {
    const { current } = box;
    if (current === null || !('highlights' in CSS)) return undefined;
    const mark = () => {
      const marks = new Highlight();
      for (const range of findRanges(current, query)) marks.add(range);
      CSS.highlights.set('found', marks);
    };
    mark();
    const observer = new MutationObserver(mark);
    observer.observe(current, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      CSS.highlights.delete('found');
    };
  }, [query]);
}
