import { highlight } from './markdown/highlight.ts';
import type { ColoringAnswer, ColoringJob } from './state/coloringWorker.ts';

/**
 * Runs in a worker. A regular expression of a grammar can take minutes for a short text that was made
 * for it, and only a worker can be ended meanwhile.
 */
self.onmessage = ({ data: { text, language } }: MessageEvent<ColoringJob>) => {
  answer('begun');
  answer({ html: highlight(text, language) });
};

function answer(message: ColoringAnswer): void {
  self.postMessage(message);
}
