import type { SessionKey } from '../messages/messages.ts';
import type { Host } from '../state/host.ts';
import { captureScreen } from './captureScreen.ts';

/** Milliseconds from a change until the screen is kept. Others meanwhile are kept with it. */
const KEEPING = 3_000;

/**
 * Hands on what the page shows of a session: some time after it has changed, when the page has nothing else to do, and
 * at once when the page is hidden. Without a change there is no timer.
 */
export function keepScreens(host: Host, session: SessionKey | undefined): (() => void) | undefined {
  const root = document.getElementById('root');
  if (root === null || session === undefined) return undefined;
  let last: string | undefined;
  let stop: (() => void) | undefined;
  const capture = () => {
    stop = undefined;
    const captured = captureScreen(root);
    if (captured === 'later') return;
    const nodes = captured === 'nothing' ? undefined : captured;
    const text = JSON.stringify(nodes) ?? '';
    if (text === last) return;
    last = text;
    host.post({ type: 'screen', session, ...(nodes && { nodes }) });
  };
  const changed = () => {
    if (stop !== undefined) return;
    const timer = setTimeout(() => {
      stop = whenIdle(capture);
    }, KEEPING);
    stop = () => clearTimeout(timer);
  };
  const hidden = () => {
    if (document.visibilityState !== 'hidden' || stop === undefined) return;
    stop();
    capture();
  };
  const changes = new MutationObserver(changed);
  const attributeFilter = ['class', 'open', 'style', 'aria-disabled'];
  changes.observe(root, { subtree: true, childList: true, characterData: true, attributeFilter });
  root.addEventListener('scroll', changed, { capture: true, passive: true });
  document.addEventListener('visibilitychange', hidden);
  changed();
  return () => {
    stop?.();
    changes.disconnect();
    root.removeEventListener('scroll', changed, { capture: true });
    document.removeEventListener('visibilitychange', hidden);
  };
}

function whenIdle(work: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: 1000 });
  return () => cancelIdleCallback(handle);
}
