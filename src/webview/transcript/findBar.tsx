import { useEffect, useRef, useState } from 'preact/hooks';
import type { OpenBar, OpenBarParts } from './openBar.tsx';
import { isFindKey } from './rowKeys.ts';

const MAC = /mac/i.test(navigator.platform);

export interface FindParts extends Omit<OpenBarParts, 'input' | 'opener' | 'onClose'> {
  /** Undefined until it is loaded; one that is opened before shows then. */
  readonly OpenBar: typeof OpenBar | undefined;
}

/** *Find in Chat* by Ctrl+F, or Cmd+F on macOS: it also finds rows that are not drawn. */
export function FindBar({ OpenBar, ...parts }: FindParts) {
  const [open, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const opener = useRef<Element | null>(null);
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
  return open && OpenBar ? (
    <OpenBar {...parts} input={input} opener={opener} onClose={() => setOpen(false)} />
  ) : null;
}
