import { isRecord } from '../../../base/json.ts';
import { runWorker } from '../../../runtime/workers/runWorker.ts';
import type { Page } from './renderHere.ts';
import { measureMarkup, stripMarkup } from './stripMarkup.ts';

export interface RenderLimits {
  readonly signal: AbortSignal;
  /** Milliseconds for a page that needs a thread; 10 s when absent. */
  readonly timeoutMs?: number;
}

/**
 * HTML as Markdown or text. A large or deep page is taken apart in a thread of its own, which is
 * ended after a while: no page may hold up the host, its other sessions and the Stop button. What
 * cannot be taken apart comes as its bare text.
 */
export async function renderPage(
  html: string,
  url: string,
  format: 'markdown' | 'text',
  { signal, timeoutMs = RENDER_MS }: RenderLimits,
): Promise<Page> {
  const { tags, depth } = measureMarkup(html);
  if (depth > MAX_DEPTH) return { content: stripMarkup(html) };
  if (tags <= SMALL_TAGS && depth <= SMALL_DEPTH) {
    const { renderHere } = await import('./renderHere.ts');
    return renderHere(html, url, format);
  }
  const page = await renderApart({ html, url, format }, { signal, timeoutMs });
  return page ?? { content: stripMarkup(html) };
}

/** A page of this size takes some tens of milliseconds. */
const SMALL_TAGS = 3000;
const SMALL_DEPTH = 50;
/** Deeper than any page that was written for people; the parser's stack ends a little further down. */
const MAX_DEPTH = 1000;
const RENDER_MS = 10_000;

/** Undefined when it took too long, too much memory or too deep a stack. */
async function renderApart(
  data: object,
  { signal, timeoutMs }: Required<RenderLimits>,
): Promise<Page | undefined> {
  // In the bundle the thread's program lies beside the host's.
  const program = import.meta.url.endsWith('.ts') ? './pageWorker.ts' : './pageWorker.mjs';
  const result = await runWorker({
    program: new URL(program, import.meta.url),
    data,
    timeoutMs,
    signal,
    resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 8 },
  });
  return result.ok && isPage(result.message) ? result.message : undefined;
}

function isPage(message: unknown): message is Page {
  return isRecord(message) && typeof message['content'] === 'string';
}
