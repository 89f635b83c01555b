import { isRecord } from '../../../base/json.ts';
import { runWorker } from '../../../runtime/workers/runWorker.ts';
import type { Page } from './renderHere.ts';
import { measureMarkup, stripMarkup } from './stripMarkup.ts';

export interface RenderLimits {
  readonly signal: AbortSignal;
  /** Time limit in milliseconds for a page that needs a thread; default 10,000. */
  readonly timeoutMs?: number;
}

/**
 * Converts HTML to Markdown or text. A large or deep page is parsed in a worker thread with a time
 * limit, so that no page can block the host, its other sessions or the Stop button. A page that cannot
 * be parsed is returned as its bare text.
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

/** Parsing a page of this size takes some tens of milliseconds. */
const SMALL_TAGS = 3000;
const SMALL_DEPTH = 50;
/** Deeper than any real page; the parser overflows its stack a little beyond this. */
const MAX_DEPTH = 1000;
const RENDER_MS = 10_000;

/** Undefined when the page exceeded the limit of time, memory or stack. */
async function renderApart(
  data: object,
  { signal, timeoutMs }: Required<RenderLimits>,
): Promise<Page | undefined> {
  // In the bundle, the worker's program is next to the host's.
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
