import type * as Later from './later.ts';
import type { Highlight } from './state/coloring.ts';
import { type ColoringWorker, colorInWorker } from './state/coloringWorker.ts';
import type { StyleOutput } from './state/outputStyles.ts';

/** All of the script that colors code, as one function. */
declare const gatehouseHighlighter: () => void;
declare const gatehouseStyleOutput: StyleOutput;
/** Undefined if the script threw. */
declare const gatehouseLater: typeof Later | undefined;

export type LaterParts = typeof Later;

/** What loads the scripts that the first drawing does not need, each when it is called. */
export interface ScriptLoaders {
  /** Loads it once, and again after it failed. */
  later(): Promise<LaterParts>;
  highlighter(): Promise<Highlight>;
  outputStyler(): Promise<StyleOutput>;
}

/**
 * Loads scripts from the folder of the page's own and with its nonce. Call it while the page's script runs:
 * later the browser does not tell which one that is.
 */
export function scriptLoaders(): ScriptLoaders {
  const { currentScript } = document;
  const folder = currentScript?.dataset['folder'];
  const load = <Loaded>(name: string, read: () => Loaded | undefined) =>
    new Promise<Loaded>((resolve, reject) => {
      if (currentScript === null || folder === undefined) {
        reject(new Error('The script of the page is unknown.'));
        return;
      }
      const script = document.createElement('script');
      script.src = folder + name;
      script.nonce = currentScript.nonce;
      // A script that was cut off or that threw has loaded, too; what it defines is missing then.
      script.onload = () => {
        try {
          const loaded = read();
          if (loaded !== undefined) return resolve(loaded);
        } catch {}
        return reject(new Error(`The script ${name} failed while it ran.`));
      };
      script.onerror = () => reject(new Error(`The script ${name} did not load.`));
      document.head.append(script);
    });
  let later: Promise<LaterParts> | undefined;
  return {
    later() {
      later ??= load('later.js', () => gatehouseLater);
      later.catch(() => {
        later = undefined;
      });
      return later;
    },
    highlighter: () => load('highlighter.js', () => colorInWorker(workerStarter())),
    outputStyler: () => load('outputStyler.js', () => gatehouseStyleOutput),
  };
}

/**
 * A worker can neither be started from the extension's files, which have another origin than the page,
 * nor load them under the page's policy. So it is started from the text of what the page has loaded.
 */
function workerStarter(): () => ColoringWorker {
  const source = new Blob([`(${gatehouseHighlighter})()`], { type: 'text/javascript' });
  const url = URL.createObjectURL(source);
  return () => {
    const worker = new Worker(url);
    return {
      post: (job, answer, fail) => {
        worker.onmessage = ({ data }) => answer(data);
        worker.onerror = fail;
        worker.postMessage(job);
      },
      terminate: () => worker.terminate(),
    };
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
