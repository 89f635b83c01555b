import type { Highlight } from './state/coloring.ts';

declare const gatehouseHighlight: Highlight;

/**
 * What loads the script that colors code, from beside the page's own and with its nonce. Call it while
 * the page's script runs: later the browser does not tell which one that is.
 */
export function highlighterLoader(): () => Promise<Highlight> {
  const { currentScript } = document;
  return () =>
    new Promise((resolve, reject) => {
      if (!(currentScript instanceof HTMLScriptElement)) {
        reject(new Error('The script of the page is unknown.'));
        return;
      }
      const script = document.createElement('script');
      script.src = new URL('highlighter.js', currentScript.src).href;
      script.nonce = currentScript.nonce;
      script.onload = () => resolve(gatehouseHighlight);
      script.onerror = () => reject(new Error('The script that colors code did not load.'));
      document.head.append(script);
    });
}

/** Runs work when the page is idle. Returns what cancels it. */
export function whenIdle(work: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, 50);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: 1000 });
  return () => cancelIdleCallback(handle);
}
