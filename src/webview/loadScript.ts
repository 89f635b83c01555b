import type { Highlight } from './state/coloring.ts';
import type { StyleOutput } from './state/outputStyles.ts';

declare const gatehouseHighlight: Highlight;
declare const gatehouseStyleOutput: StyleOutput;

/** What loads the scripts that only some conversations need, each when it is called. */
export interface ScriptLoaders {
  highlighter(): Promise<Highlight>;
  outputStyler(): Promise<StyleOutput>;
}

/**
 * Loads scripts from beside the page's own and with its nonce. Call it while the page's script runs:
 * later the browser does not tell which one that is.
 */
export function scriptLoaders(): ScriptLoaders {
  const { currentScript } = document;
  const load = <Loaded>(name: string, read: () => Loaded) =>
    new Promise<Loaded>((resolve, reject) => {
      if (!(currentScript instanceof HTMLScriptElement)) {
        reject(new Error('The script of the page is unknown.'));
        return;
      }
      const script = document.createElement('script');
      script.src = new URL(name, currentScript.src).href;
      script.nonce = currentScript.nonce;
      script.onload = () => resolve(read());
      script.onerror = () => reject(new Error(`The script ${name} did not load.`));
      document.head.append(script);
    });
  return {
    highlighter: () => load('highlighter.js', () => gatehouseHighlight),
    outputStyler: () => load('outputStyler.js', () => gatehouseStyleOutput),
  };
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
