import { Worker } from 'node:worker_threads';
import type { Page } from './renderHere.ts';
import { measureMarkup, stripMarkup } from './stripMarkup.ts';

/**
 * HTML as Markdown or text. A large or deep page is taken apart in a thread of its own, which is
 * ended after a while: no page may hold up the host, its other sessions and the Stop button. What
 * cannot be taken apart comes as its bare text.
 */
export async function renderPage(
  html: string,
  url: string,
  format: 'markdown' | 'text',
  ms = RENDER_MS,
): Promise<Page> {
  const { tags, depth } = measureMarkup(html);
  if (depth > MAX_DEPTH) return { content: stripMarkup(html) };
  if (tags <= SMALL_TAGS && depth <= SMALL_DEPTH) {
    const { renderHere } = await import('./renderHere.ts');
    return renderHere(html, url, format);
  }
  return (await renderApart({ html, url, format }, ms)) ?? { content: stripMarkup(html) };
}

/** A page of this size takes some tens of milliseconds. */
const SMALL_TAGS = 3000;
const SMALL_DEPTH = 50;
/** Deeper than any page that was written for people; the parser's stack ends a little further down. */
const MAX_DEPTH = 1000;
const RENDER_MS = 10_000;

/** Undefined when it took too long, too much memory or too deep a stack. */
function renderApart(workerData: object, ms: number): Promise<Page | undefined> {
  // In the bundle the thread's program lies beside the host's.
  const program = import.meta.url.endsWith('.ts') ? './pageWorker.ts' : './pageWorker.mjs';
  const worker = new Worker(new URL(program, import.meta.url), {
    workerData,
    // Standard output carries the protocol alone.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 8 },
  });
  return new Promise((resolve) => {
    const end = (page: Page | undefined) => {
      clearTimeout(timer);
      resolve(page);
      void worker.terminate();
    };
    const timer = setTimeout(() => end(undefined), ms);
    worker.once('message', end);
    worker.once('error', () => end(undefined));
    worker.once('exit', () => end(undefined));
  });
}
