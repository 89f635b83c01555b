import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { IconButton } from '../controls/icon.tsx';
import { useSurroundings } from '../state/context.ts';
import { findRanges, findRows } from './find.ts';
import type { Row } from './rows.ts';
import type { List } from './virtualList.ts';

type Box = { readonly current: HTMLElement | null };

export interface FindParts {
  readonly box: Box;
  readonly list: List;
  readonly rows: readonly Row[];
  /** Called before a row is shown, which may be far from the end. */
  onGo(): void;
}

/** *Find in Chat* by Ctrl+F: it also finds rows that are not drawn. */
export function FindBar(parts: FindParts) {
  const [open, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'f' || event.altKey || event.shiftKey) return;
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      setOpen(true);
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const close = () => {
    setOpen(false);
    parts.box.current?.focus();
  };
  return open ? <OpenBar {...parts} input={input} close={close} /> : null;
}

function OpenBar({
  box,
  list,
  rows,
  onGo,
  input,
  close,
}: FindParts & {
  readonly input: { readonly current: HTMLInputElement | null };
  readonly close: () => void;
}) {
  const { t } = useSurroundings();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const found = useMemo(() => findRows(rows, query), [rows, query]);
  useLayoutEffect(() => input.current?.focus(), []);
  useMarks(box, query);
  // From the end, where most readers are.
  useEffect(() => go(found.length - 1), [query]);
  const go = (to: number) => {
    const next = found.length === 0 ? 0 : (to + found.length) % found.length;
    const row = found[next];
    setAt(next);
    if (row === undefined) return;
    onGo();
    list.scrollToIndex(row, { align: 'center' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter') go(event.shiftKey ? at - 1 : at + 1);
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
      <IconButton name="arrow-up" label={t('findPrevious')} onClick={() => go(at - 1)} />
      <IconButton name="arrow-down" label={t('findNext')} onClick={() => go(at + 1)} />
      <IconButton name="close" label={t('findClose')} onClick={close} />
    </search>
  );
}

/** Marks the text in what is drawn, also in what is drawn later. */
function useMarks(box: Box, query: string): void {
  useEffect(() => {
    const { current } = box;
    if (current === null || !('highlights' in CSS)) return undefined;
    const mark = () => CSS.highlights.set('found', new Highlight(...findRanges(current, query)));
    mark();
    const observer = new MutationObserver(mark);
    observer.observe(current, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      CSS.highlights.delete('found');
    };
  }, [query]);
}
