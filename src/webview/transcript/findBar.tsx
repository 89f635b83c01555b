import { useEffect, useRef, useState } from 'preact/hooks';
import type { OpenBar, OpenBarParts } from './openBar.tsx';
import { focusDrawn, focusInView } from './roving.ts';
import { isFindKey } from './rowKeys.ts';
import type { Row } from './rows.ts';

const MAC = /mac/i.test(navigator.platform);

export interface FindParts extends OpenBarParts {
  /** Undefined until it is loaded; one that is opened before shows then. */
  readonly OpenBar: typeof OpenBar | undefined;
}

/**
 * *Find in Chat* by Ctrl+F, or Cmd+F on macOS: it also finds rows that are not drawn. Closing it focuses the
 * row that was found last, else what had the focus before, and scrolls nothing.
 */
export function FindBar({ OpenBar, ...parts }: FindParts) {
  const [open, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const opener = useRef<Element | null>(null);
  const shown = useRef<string | undefined>(undefined);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isFindKey(event, MAC)) return;
      event.preventDefault();
      event.stopPropagation();
      if (input.current === null) opener.current = document.activeElement;
      setOpen(true);
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const close = () => {
    setOpen(false);
    const { current: box } = parts.box;
    const found = parts.rows.findIndex(({ key }) => key === shown.current);
    shown.current = undefined;
    if (box === null || focusDrawn(box, found)) return;
    const { current: before } = opener;
    const known = before instanceof HTMLElement && before !== document.body && before.isConnected;
    if (known) before.focus({ preventScroll: true });
    else focusInView(box);
  };
  const onShow = (row: Row | undefined) => {
    shown.current = row?.key;
  };
  return open && OpenBar ? (
    <OpenBar {...parts} input={input} onShow={onShow} close={close} />
  ) : null;
}
