import { useEffect, useState } from 'preact/hooks';
import type { ToolItem } from '../../messages/chatState.ts';

/** Milliseconds between two looks at the clock. */
const TICK = 1_000;

/** How long a call has run, or ran. Only a running card has a timer. */
export function useElapsed({ status, startedAt, ranMs }: ToolItem): number | undefined {
  const runs = status === 'in_progress' && startedAt !== undefined;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!runs) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK);
    return () => clearInterval(timer);
  }, [runs]);
  // The clock of a remote host may be ahead.
  return runs ? Math.max(0, now - startedAt) : ranMs;
}
