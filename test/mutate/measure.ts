import { globSync } from 'node:fs';
import path from 'node:path';
import { keep, ROOT, readKept } from './kept.ts';
import type { Mutant } from './mutants.ts';
import { startWorker } from './process.ts';
import type { Measured } from './worker.ts';

/** One test as it was measured, whether it passed or not. Its file is absolute. */
export interface Test {
  readonly file: string;
  readonly test: number;
  readonly cpu: number;
  readonly covered: Measured['covered'];
  /** Its file has tests that fail after later ones, so they are run in the order of the file. */
  readonly inOrder: boolean;
}

/**
 * Tests that are left out: they start hundreds of processes, or evaluate thousands of lines. What
 * only they notice counts as unnoticed.
 */
const LEFT_OUT = /differentialFuzz|defaults\/sweep|nagging|promptRates|properties/;
/** A test that computes for longer is left out for the same reason, and is cut short. */
const LONGEST_MS = 5000;

/**
 * Runs every test once, some files side by side, unless what it runs is kept (`kept.ts`). With
 * `onlyKept`, the others are left out, and counted.
 */
export async function measureTests(
  workers: number,
  report: (text: string) => void,
  onlyKept = false,
): Promise<{ readonly tests: readonly Test[]; readonly unmeasured: number }> {
  const names = globSync('test/unit/permissions/**/*.test.ts', { cwd: ROOT })
    .filter((each) => !LEFT_OUT.test(each))
    .sort();
  const found = new Map<string, readonly Test[]>();
  let next = 0;
  const work = async () => {
    for (let name = names[next++]; name !== undefined; name = names[next++]) {
      const measured = readKept(name) ?? (onlyKept ? undefined : await measureFile(name));
      if (measured !== undefined) found.set(name, keepShort(name, measured, report));
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return {
    tests: names.flatMap((name) => found.get(name) ?? []),
    unmeasured: names.length - found.size,
  };
}

function keepShort(
  name: string,
  measured: readonly Measured[],
  report: (text: string) => void,
): readonly Test[] {
  const inOrder = measured.some(({ passed }) => !passed);
  return measured.flatMap(({ cpu, covered }, test) => {
    if (cpu <= LONGEST_MS) return [{ file: path.join(ROOT, name), test, cpu, covered, inOrder }];
    report(`left out, for it takes long: test ${test} of ${name}\n`);
    return [];
  });
}

/** A test that takes too long ends the process, and the file is measured again without it. */
async function measureFile(name: string): Promise<readonly Measured[]> {
  const leftOut: number[] = [];
  for (;;) {
    const worker = startWorker();
    try {
      const trial = { measure: path.join(ROOT, name), leftOut };
      const answer = await worker.ask(trial, () => LONGEST_MS);
      if ('measured' in answer) {
        keep(name, answer.measured);
        return answer.measured;
      }
      const long = 'ended' in answer && answer.ended === 'timedOut' ? answer.at?.test : undefined;
      if (long === undefined) throw new Error(`${name} does not run.`);
      leftOut.push(long);
    } finally {
      worker.stop();
    }
  }
}

/** Tests in the order in which a mutant is tried with them, and whether there are more. */
export interface Selection {
  readonly tests: readonly Test[];
  /** Tests beyond the budget may notice the mutant, too. */
  readonly more: boolean;
}

/**
 * The tests that may notice a mutant, as many as may be computed within the budget in milliseconds:
 * first those that run the changed place, then those that run anything of its file beside one of
 * them, since what one test computes may be cached for the next. A place that runs while its file
 * loads is tried with all that run anything of the file.
 */
export function selectTests(
  { file, at }: Mutant & { readonly file: string },
  tests: readonly Test[],
  killsBy: (test: Test) => number,
  budget: number,
): Selection {
  const source = path.relative('src/permissions', file);
  const ofFile = tests.filter(({ covered }) => covered[source] !== undefined);
  const exact = ofFile.filter(({ covered }) =>
    covered[source]?.some(([start, end]) => at >= start && at < end),
  );
  const sort = (group: readonly Test[]) => sortTests(group, source, killsBy);
  const beside = new Set(exact.map((each) => each.file));
  const known = new Set(exact);
  const rest = ofFile.filter((each) => beside.has(each.file) && !known.has(each));
  const all = exact.length === 0 ? sort(ofFile) : [...sort(exact), ...sort(rest)];
  let spent = 0;
  const chosen = all.filter(({ cpu }) => {
    spent += cpu;
    return spent <= budget;
  });
  return { tests: order(chosen), more: chosen.length < all.length };
}

/** Puts the tests of a file that needs it in the order of the file, in the places that they have. */
function order(tests: readonly Test[]): readonly Test[] {
  const left = [...tests].sort((a, b) => a.test - b.test);
  const take = (file: string) =>
    left.splice(
      left.findIndex((each) => each.file === file),
      1,
    )[0];
  return tests.map((each) => (each.inOrder ? (take(each.file) ?? each) : each));
}

/**
 * First the tests that killed most mutants of the file for their time. A test of the file itself, or
 * of its folder, and one that runs little else is expected to kill more.
 */
function sortTests(
  tests: readonly Test[],
  source: string,
  killsBy: (test: Test) => number,
): readonly Test[] {
  const [own, folder] = [`/${source.replace(/\.ts$/, '.test.ts')}`, `/${path.dirname(source)}/`];
  const expected = ({ file, covered }: Test) => {
    const near = file.endsWith(own) ? 1 : file.includes(folder) ? 0.3 : 0.1;
    return near * (1 + 5 / Object.keys(covered).length);
  };
  const values = new Map(
    tests.map((test) => [test, (killsBy(test) + expected(test)) / (test.cpu + 5)]),
  );
  return [...tests].sort((a, b) => (values.get(b) ?? 0) - (values.get(a) ?? 0));
}
