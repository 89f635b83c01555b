import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { applyMutant, type Mutant } from './mutants.ts';

/** One mutant to try; `file` is absolute. Without it the tests run on the sources as they are. */
export interface Trial {
  readonly number: number;
  readonly mutant?: Mutant & { readonly file: string };
  /** Test files, the quick ones first. */
  readonly tests: readonly string[];
}

/** Whether a test failed, and which. */
export interface Outcome {
  readonly number: number;
  readonly killedBy?: string;
}

/**
 * Runs the tests in this process, over and over: every trial loads the sources anew under an
 * address of its own, with one of them changed, which takes a hundredth of a new process.
 */
let trial: Trial | undefined;
const stripped = new Map<string, string>();

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier === 'node:test' && trial !== undefined) {
      return { url: 'mutate:test', format: 'module', shortCircuit: true };
    }
    const found = nextResolve(specifier, context);
    if (trial === undefined || !found.url.startsWith('file:')) return found;
    if (found.url.includes('/node_modules/') || !/\.ts$/.test(found.url)) return found;
    return { ...found, url: `${found.url}?trial=${trial.number}`, shortCircuit: true };
  },
  load(url, context, nextLoad) {
    if (url === 'mutate:test') {
      return { format: 'module', source: COLLECTOR, shortCircuit: true };
    }
    if (!url.includes('?trial=')) return nextLoad(url, context);
    return { format: 'module', source: sourceOf(fileURLToPath(url)), shortCircuit: true };
  },
});

/** Stands for `node:test` and keeps what the test files register. */
const COLLECTOR = `
  export const test = (name, body) => { globalThis.collectedTests.push({ name, body }); };
  export const after = (body) => { globalThis.collectedEnds.push(body); };
`;

interface Collected {
  readonly name: string;
  readonly body: () => unknown;
}

const collected = globalThis as unknown as {
  collectedTests: Collected[];
  collectedEnds: (() => unknown)[];
};

/** What killed the last mutants is asked first. */
const killers: string[] = [];

process.on('disconnect', () => process.exit());
process.on('message', (next: Trial) => {
  void run(next).then((killedBy) => {
    const outcome: Outcome = {
      number: next.number,
      ...(killedBy !== undefined && { killedBy }),
    };
    process.send?.(outcome);
  });
});

async function run(next: Trial): Promise<string | undefined> {
  trial = next;
  for (const file of next.tests) {
    const killedBy = await runFile(file);
    if (killedBy !== undefined) return killedBy;
  }
  return undefined;
}

/** The name of the first test that fails. */
async function runFile(file: string): Promise<string | undefined> {
  collected.collectedTests = [];
  collected.collectedEnds = [];
  try {
    await import(`${pathToFileURL(file).href}`);
  } catch {
    return `${file} does not load`;
  }
  try {
    for (const { name, body } of inOrder(collected.collectedTests)) {
      try {
        await body();
      } catch {
        if (!killers.includes(name)) killers.unshift(name);
        return name;
      }
    }
    return undefined;
  } finally {
    for (const end of collected.collectedEnds) await end();
  }
}

function inOrder(tests: readonly Collected[]): readonly Collected[] {
  const first = tests.filter(({ name }) => killers.includes(name));
  return [...first, ...tests.filter(({ name }) => !killers.includes(name))];
}

function sourceOf(file: string): string {
  const mutant = trial?.mutant;
  if (mutant?.file === file) {
    return stripTypeScriptTypes(applyMutant(readFileSync(file, 'utf8'), mutant));
  }
  const known = stripped.get(file);
  if (known !== undefined) return known;
  const source = stripTypeScriptTypes(readFileSync(file, 'utf8'));
  stripped.set(file, source);
  return source;
}
