import path from 'node:path';
import { ROOT } from './kept.ts';
import { selectTests, type Test } from './measure.ts';
import type { Mutant } from './mutants.ts';
import type { Answer, Ended, Worker } from './process.ts';
import type { TestId } from './worker.ts';

/** A mutant of a source file, whose path is relative to the repository. */
export interface Job extends Mutant {
  readonly file: string;
}

/**
 * What the tests said of a mutant. `killed`: a test failed that passes without the mutant;
 * `timedOut`, `died`: they did not end, twice, in processes where they end without it; `survived`:
 * all tests that were tried passed, and `all` says whether there are no others; `notJudged`: no test
 * that passes without the mutant runs the place; `invalid`: it is no TypeScript.
 */
export type Outcome =
  | { readonly kind: 'killed' | 'timedOut' | 'died' | 'notJudged' | 'invalid' }
  | { readonly kind: 'survived'; readonly all: boolean };

/** What a run knows of its tests; judges that work side by side share it. */
export interface Known {
  readonly tests: readonly Test[];
  /** Some test files were not measured, so no mutant was tried with all tests. */
  readonly partly: boolean;
  /** The milliseconds that the tests of one mutant may compute. */
  readonly budget: number;
  /** How many mutants of a source file each test killed. */
  readonly kills: Map<string, number>;
  /** Tests that did not pass in this run on the sources as they are. */
  readonly red: Set<Test>;
  report(text: string): void;
}

/** What tests leave behind adds up, so a process ends before it grows too large. */
const TRIALS_A_WORKER = 300;

/**
 * Tries mutants one after another in a process of its own. A test that fails with a mutant is run
 * again without it, in the same way, before it counts.
 */
export class Judge {
  readonly #known: Known;
  readonly #start: () => Worker;
  #worker: Worker | undefined;
  #trials = 0;

  constructor(known: Known, start: () => Worker) {
    this.#known = known;
    this.#start = start;
  }

  async judge(job: Job): Promise<Outcome> {
    const { tests, all } = this.#choose(job);
    if (tests.length === 0) return { kind: 'notJudged' };
    const first = await this.#ask(job, tests);
    if (!('ended' in first)) return this.#settle(job, tests, all, first);
    // The process may have ended for another reason than the mutant, so both are tried in new ones.
    const reached = tests.slice(0, findPlace(tests, first.at) + 1);
    if (!(await this.#passes(job, reached))) return this.judge(job);
    this.stop();
    const second = await this.#ask(job, tests);
    if ('ended' in second) return { kind: second.ended };
    return this.#settle(job, tests, all, second);
  }

  stop(): void {
    this.#worker?.stop();
    this.#worker = undefined;
    this.#trials = 0;
  }

  async #settle(
    job: Job,
    tests: readonly Test[],
    all: boolean,
    answer: Exclude<Answer, Ended>,
  ): Promise<Outcome> {
    if ('invalid' in answer) return { kind: 'invalid' };
    const killer = 'killedBy' in answer ? answer.killedBy : undefined;
    if (killer === undefined) return { kind: 'survived', all };
    const test = tests.find((each) => isSame(each, killer));
    if (test === undefined) throw new Error(`${killer.file} was not asked for.`);
    // After those of its file that ran before it: one of them may have changed what it needs.
    const ofFile = tests.filter(({ file }) => file === test.file);
    const reached = ofFile.slice(0, ofFile.indexOf(test) + 1);
    if (!(await this.#passes(job, reached))) {
      await this.#passes(job, this.#sound(ofFile));
      return this.judge(job);
    }
    const key = `${job.file} ${test.file} ${test.test}`;
    this.#known.kills.set(key, (this.#known.kills.get(key) ?? 0) + 1);
    return { kind: 'killed' };
  }

  #choose(job: Job): { readonly tests: readonly Test[]; readonly all: boolean } {
    const { tests, kills, red, budget, partly } = this.#known;
    const killsBy = ({ file, test }: TestId) => kills.get(`${job.file} ${file} ${test}`) ?? 0;
    const { tests: chosen, more } = selectTests(job, this.#sound(tests), killsBy, budget);
    const source = path.relative('src/permissions', job.file);
    const lost = [...red].some(({ covered }) => covered[source] !== undefined);
    return { tests: chosen, all: !more && !lost && !partly };
  }

  #sound(tests: readonly Test[]): readonly Test[] {
    return tests.filter((each) => !this.#known.red.has(each));
  }

  /** Whether all tests pass without a mutant. Those that don't are named and left out from then on. */
  async #passes({ file }: Job, tests: readonly Test[]): Promise<boolean> {
    let left = tests;
    while (left.length > 0) {
      const answer = await this.#ask({ file, at: 0, from: '', to: '' }, left);
      if ('invalid' in answer) throw new Error(`${file} is no TypeScript.`);
      const ended = 'ended' in answer;
      const failed = ended ? answer.at : 'killedBy' in answer ? answer.killedBy : undefined;
      const place = ended || failed !== undefined ? findPlace(left, failed) : left.length;
      if (place < left.length) this.#giveUp(left[place], ended ? answer.ended : 'failed');
      left = left.slice(place + 1);
    }
    return tests.every((each) => !this.#known.red.has(each));
  }

  #giveUp(test: Test | undefined, why: 'failed' | Ended['ended']): void {
    if (test === undefined) return;
    this.#known.red.add(test);
    const file = path.relative(ROOT, test.file);
    const said = { failed: 'fails', timedOut: 'does not end', died: 'ends its process' }[why];
    this.#known.report(`left out: test ${test.test} of ${file} ${said} without a mutant\n`);
  }

  async #ask(mutant: Job, tests: readonly Test[]): Promise<Answer> {
    if (this.#trials >= TRIALS_A_WORKER) this.stop();
    this.#trials += 1;
    this.#worker ??= this.#start();
    const cpus = new Map(tests.map(({ file, test, cpu }) => [`${file} ${test}`, cpu]));
    const trial = {
      mutant: { ...mutant, file: path.join(ROOT, mutant.file) },
      tests: tests.map(({ file, test }) => ({ file, test })),
    };
    const answer = await this.#worker.ask(
      trial,
      (file, test) => 10 * (cpus.get(`${file} ${test}`) ?? 0),
    );
    // What it does next would be taken for the answer to another trial.
    if ('ended' in answer) this.stop();
    return answer;
  }
}

function isSame(test: Test, id: NonNullable<Ended['at']>): boolean {
  return test.file === id.file && (id.test === undefined || test.test === id.test);
}

/** Where a trial was, as a place in the list of its tests: the first, if it did not come so far. */
function findPlace(tests: readonly Test[], at: Ended['at']): number {
  return at === undefined
    ? 0
    : Math.max(
        0,
        tests.findIndex((each) => isSame(each, at)),
      );
}
