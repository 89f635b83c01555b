import { useEffect, useRef, useState } from 'preact/hooks';
import { useSurroundings } from '../state/context.ts';
import { ESCAPE_AGAIN } from './composerKeys.ts';

export interface EscapeWatch {
  /** Whether the user is told that a second Escape stops the turn. */
  readonly warned: boolean;
  isSecond(timeStamp: number): boolean;
  warn(timeStamp: number): void;
}

/** Remembers a first Escape for a moment, and says so on the screen and to screen readers. */
export function useEscape(running: boolean, focus: EventTarget): EscapeWatch {
  const { t } = useSurroundings();
  const [warned, setWarned] = useState(false);
  const first = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    if (!warned) return undefined;
    if (!running) {
      setWarned(false);
      return undefined;
    }
    const timer = setTimeout(() => setWarned(false), ESCAPE_AGAIN);
    return () => clearTimeout(timer);
  }, [warned, running]);
  return {
    warned,
    isSecond: (timeStamp) => timeStamp - first.current <= ESCAPE_AGAIN,
    warn(timeStamp) {
      first.current = timeStamp;
      setWarned(true);
      const detail = { text: t('escapeAgain') };
      focus.dispatchEvent(new CustomEvent('announce', { detail }));
    },
  };
}
