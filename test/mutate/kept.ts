import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Measured } from './worker.ts';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** What the tests of a file ran, and the sources at that time: a hash by path in `src/permissions`. */
interface Kept {
  readonly measured: readonly Measured[];
  readonly sources: Readonly<Record<string, string>>;
}

const CACHE = path.join(tmpdir(), 'gatehouse-mutate');
const ENGINE = 'src/permissions';
/** All of a source file. */
const WHOLE = [[0, Number.MAX_SAFE_INTEGER]] as const;

/**
 * What the tests of a file ran when they were last measured, undefined if the file, what it imports
 * beside the sources, or a fixture that it names has changed. Sources may have changed since: such a
 * file counts as run as a whole, and a new one by the tests that ran what imports it. Measuring all
 * tests takes half an hour, and what they ran only chooses the tests of a mutant.
 */
export function readKept(name: string): readonly Measured[] | undefined {
  const file = getPlace(name);
  if (!existsSync(file)) return undefined;
  const { measured, sources }: Kept = JSON.parse(readFileSync(file, 'utf8'));
  const changed = [...readSources()].filter(([source, { sum }]) => sources[source] !== sum);
  return measured.map((test) => ({ ...test, covered: widen(test.covered, changed) }));
}

export function keep(name: string, measured: readonly Measured[]): void {
  mkdirSync(CACHE, { recursive: true });
  const sources = Object.fromEntries([...readSources()].map(([file, { sum }]) => [file, sum]));
  const kept: Kept = { measured, sources };
  writeFileSync(getPlace(name), JSON.stringify(kept));
}

interface Source {
  readonly sum: string;
  /** The files that import it, relative to `src/permissions`. */
  readonly importers: readonly string[];
}

type Covered = Measured['covered'];

/** What a test ran, after these sources have changed or were added. */
export function widen(covered: Covered, changed: readonly (readonly [string, Source])[]): Covered {
  const found = { ...covered };
  for (const [source, { importers }] of changed) {
    if ([source, ...importers].some((each) => Object.hasOwn(covered, each))) found[source] = WHOLE;
  }
  return found;
}

let sources: ReadonlyMap<string, Source> | undefined;

function readSources(): ReadonlyMap<string, Source> {
  if (sources !== undefined) return sources;
  const texts = new Map(
    globSync('**/*.ts', { cwd: path.join(ROOT, ENGINE) }).map((file) => [
      file,
      readFileSync(path.join(ROOT, ENGINE, file), 'utf8'),
    ]),
  );
  const imports = [...texts].map(([file, text]) => [file, findImports(file, text)] as const);
  sources = new Map(
    [...texts].map(([file, text]) => {
      const importing = imports.filter(([, found]) => found.includes(file));
      return [file, { sum: hash([text]), importers: importing.map(([each]) => each) }];
    }),
  );
  return sources;
}

/** Relative imports, with their paths from where `file` is relative to. */
function findImports(file: string, text: string): readonly string[] {
  const found = text.matchAll(/ from '(\.[^']+\.ts)'/g);
  return [...found].map(([, to = '']) => path.join(path.dirname(file), to));
}

function getPlace(name: string): string {
  const read = new Map<string, string>();
  readTest(name, read);
  const fixtures = globSync('test/fixtures/**/*.{json,txt}', { cwd: ROOT })
    .filter((each) => [...read.values()].some((text) => text.includes(path.basename(each))))
    .sort();
  for (const each of fixtures) read.set(each, readFileSync(path.join(ROOT, each), 'utf8'));
  return path.join(CACHE, hash([...read].flat()));
}

/** Adds the text of a test file and of what it imports, the sources aside. */
function readTest(file: string, read: Map<string, string>): void {
  if (read.has(file) || file.startsWith('src/')) return;
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  read.set(file, text);
  for (const each of findImports(file, text)) readTest(each, read);
}

function hash(texts: readonly string[]): string {
  const sum = createHash('sha256');
  for (const text of texts) sum.update(`${text.length}\0`).update(text);
  return sum.digest('hex');
}
