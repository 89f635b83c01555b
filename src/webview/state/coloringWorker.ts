import type { Highlight } from './coloring.ts';

export interface ColoringJob {
  readonly text: string;
  readonly language: string;
}

/** Each job is answered twice: when it begins, and with the HTML, if there is any. */
export type ColoringAnswer = 'begun' | { readonly html: string | undefined };

/** A worker that does one job at a time. */
export interface ColoringWorker {
  post(job: ColoringJob, answer: (answer: ColoringAnswer) => void, fail: () => void): void;
  terminate(): void;
}

/** Milliseconds that a job may take once it began. */
const LONGEST_JOB = 2_000;

/**
 * Colors code in a worker, one text at a time. If a text takes too long, it stays plain, its worker is
 * ended, and the next text gets a new one.
 */
export function colorInWorker(start: () => ColoringWorker): Highlight {
  let worker: ColoringWorker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const run = (job: ColoringJob) =>
    new Promise<string | undefined>((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      worker ??= start();
      const giveUp = () => {
        clearTimeout(timer);
        worker?.terminate();
        worker = undefined;
        resolve(undefined);
      };
      const answer = (answer: ColoringAnswer) => {
        if (answer === 'begun') {
          timer = setTimeout(giveUp, LONGEST_JOB);
          return;
        }
        clearTimeout(timer);
        resolve(answer.html);
      };
      worker.post(job, answer, giveUp);
    });

  return (text, language) => {
    const colored = last.then(() => run({ text, language }));
    last = colored;
    return colored;
  };
}
