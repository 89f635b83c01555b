import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readCpu } from './cpu.ts';
import { createModules, type Modules } from './modules.ts';
import { applyMutant, type Mutant } from './mutants.ts';

/** What the parent asks for; files are absolute. */
export type Trial = Measurement | MutantTrial;

/** Runs each test of a file alone, but not those whose places are left out. */
interface Measurement {
  readonly measure: string;
  readonly leftOut: readonly number[];
}

interface MutantTrial {
  readonly mutant: Mutant & { readonly file: string };
  /** In the order in which they are run. */
  readonly tests: readonly TestId[];
}

/**
 * One test as it ran on the sources as they are; `covered` has ranges of each source file, relative
 * to `src/permissions`.
 */
export interface Measured {
  readonly passed: boolean;
  /** The milliseconds that the test computed, with the processes that it started. */
  readonly cpu: number;
  readonly covered: Readonly<Record<string, readonly (readonly [start: number, end: number])[]>>;
}

/**
 * `running`: a test has begun; `loading`: its file is loaded first. The other fields end a trial;
 * `invalid`: the change is no TypeScript. Messages are JSON, which drops fields that are undefined.
 */
export type Message =
  | { readonly running: TestId }
  | { readonly loading: string }
  | { readonly invalid: true }
  | { readonly killedBy: TestId }
  | { readonly allPassed: true }
  | { readonly measured: readonly Measured[] };

/** A test by its position in its file. */
export interface TestId {
  readonly file: string;
  readonly test: number;
}

/**
 * Runs tests in this process, over and over. A measurement loads the sources under an address of its
 * own, with their types blanked out, so that the places V8 reports are those of the source.
 */
let measuring = false;
const stripped = new Map<string, string>();
const SOURCES = path.resolve(import.meta.dirname, '../../src/permissions') + path.sep;

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier === 'node:test' && measuring) {
      return { url: 'mutate:test', format: 'module', shortCircuit: true };
    }
    const found = nextResolve(specifier, context);
    if (!measuring || !found.url.startsWith('file:')) return found;
    if (found.url.includes('/node_modules/') || !/\.ts$/.test(found.url)) return found;
    return { ...found, url: `${found.url}?measured`, shortCircuit: true };
  },
  load(url, context, nextLoad) {
    if (url === 'mutate:test') {
      return { format: 'module', source: COLLECTOR, shortCircuit: true };
    }
    if (!url.includes('?measured')) return nextLoad(url, context);
    return { format: 'module', source: readSource(fileURLToPath(url)), shortCircuit: true };
  },
});

/** Stands for `node:test` and keeps what the test files register. */
const COLLECTOR = `
  export const test = (name, body) => { globalThis.collectedTests.push(body); };
  export const after = (body) => { globalThis.collectedEnds.push(body); };
`;

type Body = (context: object) => unknown;
type End = () => unknown;

const collected = globalThis as unknown as { collectedTests: Body[]; collectedEnds: End[] };

process.on('disconnect', () => process.exit());
process.on('message', (next: Trial) => {
  void run(next).then((message) => publish(message));
});

function publish(message: Message): void {
  process.send?.(message);
}

async function run(next: Trial): Promise<Message> {
  if (!('measure' in next)) return tryMutant(next);
  measuring = true;
  return { measured: await measure(next) };
}

const BUILTINS = {
  'node:test': {
    test: (_name: string, body: Body) => void collected.collectedTests.push(body),
    after: (end: End) => void collected.collectedEnds.push(end),
  },
};

async function tryMutant({ mutant, tests }: MutantTrial): Promise<Message> {
  const { file: changed } = mutant;
  const text = applyMutant(readFileSync(changed, 'utf8'), mutant);
  const modules = await createModules({ file: changed, text }, BUILTINS).catch(() => undefined);
  if (modules === undefined) return { invalid: true };
  const atExit = new Set(process.listeners('exit'));
  const loaded = new Map<string, readonly Body[] | undefined>();
  const ends: End[] = [];
  try {
    for (const each of tests) {
      const { file, test } = each;
      if (!loaded.has(file)) {
        publish({ loading: file });
        loaded.set(file, await load(file, modules, ends));
      }
      publish({ running: each });
      const body = loaded.get(file)?.[test];
      if (body === undefined || !(await passes(body))) return { killedBy: each };
    }
    return { allPassed: true };
  } finally {
    for (const end of ends) await end();
    for (const listener of process.listeners('exit')) {
      if (atExit.has(listener)) continue;
      process.off('exit', listener);
      listener.call(process, 0);
    }
  }
}

/** The tests of a file, or undefined if it does not load. */
async function load(
  file: string,
  modules: Modules,
  ends: End[],
): Promise<readonly Body[] | undefined> {
  collected.collectedTests = [];
  collected.collectedEnds = [];
  try {
    await modules.load(file);
    return collected.collectedTests;
  } catch {
    return undefined;
  } finally {
    ends.push(...collected.collectedEnds);
  }
}

async function passes(body: Body): Promise<boolean> {
  const ends: End[] = [];
  const context = {
    after: (end: End) => ends.push(end),
    diagnostic: () => undefined,
    signal: new AbortController().signal,
  };
  try {
    await body(context);
    return true;
  } catch {
    return false;
  } finally {
    for (const end of ends) await end();
  }
}

/** Stands for a test that was not run, since it computes for too long. */
const TOO_LONG: Measured = { passed: true, cpu: Number.MAX_SAFE_INTEGER, covered: {} };

/** Runs the tests from the last to the first, so that one that needs another before it fails. */
async function measure({ measure: file, leftOut }: Measurement): Promise<readonly Measured[]> {
  const session = new Session();
  session.connect();
  const ends: End[] = [];
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    const bodies = await load(file, { load: importFile }, ends);
    if (bodies === undefined) throw new Error(`${file} does not load.`);
    await takeCovered(session);
    const measured: Measured[] = [];
    for (const [index, body] of [...bodies.entries()].reverse()) {
      if (leftOut.includes(index)) {
        measured.unshift(TOO_LONG);
        continue;
      }
      publish({ running: { file, test: index } });
      const began = readCpu(process.pid);
      const passed = await passes(body);
      const cpu = readCpu(process.pid) - began;
      measured.unshift({ passed, cpu, covered: await takeCovered(session) });
    }
    return measured;
  } finally {
    for (const end of ends) await end();
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

/** What ran since the last time, by source file: outer ranges first, without those that did not run. */
async function takeCovered(session: Session): Promise<Measured['covered']> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const covered: Record<string, [number, number][]> = {};
  for (const { url, functions } of result) {
    if (!url.includes('?measured')) continue;
    const file = fileURLToPath(url);
    if (!file.startsWith(SOURCES)) continue;
    const ranges = functions.flatMap((each) => keepCovered(each.ranges));
    if (ranges.length > 0) covered[path.relative(SOURCES, file)] = ranges;
  }
  return covered;
}

/** Cuts the ranges that did not run out of those around them; V8 lists the outer ones first. */
function keepCovered(ranges: readonly Profiler.CoverageRange[]): [number, number][] {
  let kept: [number, number][] = [];
  for (const { startOffset, endOffset, count } of ranges) {
    if (count > 0) {
      kept.push([startOffset, endOffset]);
      continue;
    }
    kept = kept.flatMap(([start, end]): [number, number][] => {
      if (endOffset <= start || startOffset >= end) return [[start, end]];
      const parts: [number, number][] = [
        [start, startOffset],
        [endOffset, end],
      ];
      return parts.filter(([from, to]) => from < to);
    });
  }
  return kept;
}

function readSource(file: string): string {
  const known = stripped.get(file);
  if (known !== undefined) return known;
  const source = stripTypeScriptTypes(readFileSync(file, 'utf8'));
  stripped.set(file, source);
  return source;
}

async function importFile(file: string): Promise<void> {
  await import(pathToFileURL(file).href);
}
