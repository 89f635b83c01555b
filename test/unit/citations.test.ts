import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

// Every citation of a clause resolves to a row of docs/spec, and every row is cited and tested.

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGES = 'docs/spec';

const CLAUSE = String.raw`(?:(?:CA|CS|CR|DA|VA|VB|VC|VD|A|B|C|D|E)-\d+|[Dd]ecisions? \d+)`;
const CASE = String.raw`(?:(?:SH|RU|PA|NE|MA|WE|PR|DU|SB)-\d{3}|C[1-9])`;

/** `spec C-48`, `spec C-62, decision 11`, `spec C-33 to C-37`. */
const SPEC = new RegExp(String.raw`\bspec ${CLAUSE}(?:(?:, | to | … )${CLAUSE})*(?![\w-])`, 'g');
/** `corpus C8, PA-027`. */
const CORPUS = new RegExp(String.raw`\bcorpus ${CASE}(?:, ${CASE})*(?![\w-])`, 'g');
/** An id without `spec` or `corpus` before it. A bare `C8` could be anything else, unless in brackets. */
const BARE = new RegExp(
  String.raw`(?<![\w-])(?:${CLAUSE}|(?:SH|RU|PA|NE|MA|WE|PR|DU|SB)-\d{3})(?![\w-])|\(C[1-9]\b`,
  'g',
);
/** References to documents that the repository does not have. */
const FOREIGN = /\b(?:contract|threats|design|facts) §\s?\d|\(issue\b|\bpersistency\.md\b/g;

interface Row {
  readonly id: string;
  readonly middle: string;
  readonly tests: string;
}

interface Source {
  readonly file: string;
  /** The file's text with the comments of several lines as one line each. */
  readonly text: string;
}

const PAGE_FILES = readdirSync(path.join(ROOT, PAGES));
const ROWS: readonly Row[] = PAGE_FILES.flatMap(readRows);
const IDS = new Set(ROWS.map(({ id }) => id));
const CASES = readCaseIds();
const SOURCES = readSources();
const IN_SRC = SOURCES.filter(({ file }) => file.startsWith('src/'));
const ELSEWHERE = SOURCES.filter(({ file }) => !file.startsWith('src/'));

test('the product cites in one form: spec C-48, spec decision 11, corpus C8', () => {
  const found = IN_SRC.flatMap(({ file, text }) => {
    const rest = text.replace(SPEC, '').replace(CORPUS, '');
    return [...rest.matchAll(BARE), ...rest.matchAll(FOREIGN)].map(([id]) => `${file}: ${id}`);
  });
  assert.deepEqual(found, []);
});

test('no file refers to a document that is not in the repository', () => {
  const found = ELSEWHERE.flatMap(({ file, text }) =>
    [...text.matchAll(FOREIGN)].map(([reference]) => `${file}: ${reference}`),
  );
  assert.deepEqual(found, []);
});

test('every cited clause has a row, and every cited case is in the corpus', () => {
  const broken = SOURCES.flatMap(({ file, text }) =>
    citedIn(text)
      .filter((id) => !IDS.has(id) && !CASES.has(id))
      .map((id) => `${file}: ${id}`),
  );
  assert.deepEqual(broken, []);
});

test('every clause that an example comes from has a row', () => {
  const broken = ROWS.filter(isExample).flatMap(({ id, middle }) =>
    middle
      .split(', ')
      .filter((from) => !IDS.has(from))
      .map((from) => `${id}: ${from}`),
  );
  assert.deepEqual(broken, []);
});

test('every row is cited', () => {
  const cited = new Set([
    ...SOURCES.flatMap(({ text }) => citedIn(text)),
    ...ROWS.filter(isExample).flatMap(({ middle }) => middle.split(', ')),
  ]);
  assert.deepEqual(
    ROWS.map(({ id }) => id).filter((id) => !cited.has(id)),
    [],
  );
});

test('no clause has two rows', () => {
  const ids = ROWS.map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  );
});

test('every row names test files that are there, or says why none is', () => {
  const broken = ROWS.filter(({ tests }) => !/^none: \S/.test(tests) && !tests.includes('`'));
  const missing = PAGE_FILES.flatMap((page) =>
    [...readPage(page).matchAll(/`((?:unit|browser|host)\/[^`]+)`/g)]
      .map(([, file = '']) => file)
      .filter((file) => !existsSync(path.join(ROOT, 'test', file)))
      .map((file) => `${page}: ${file}`),
  );
  assert.deepEqual([...broken.map(({ id }) => id), ...missing], []);
});

/** Rows of the vector tables: an example, the clauses it comes from, its tests. */
function isExample({ id }: Row): boolean {
  return /^V[A-D]-/.test(id);
}

function readRows(page: string): readonly Row[] {
  const row = new RegExp(`^\\| (${CLAUSE}|C[1-9]) \\| (.+) \\| (.+) \\|$`, 'gm');
  return [...readPage(page).matchAll(row)].map(([, id = '', middle = '', tests = '']) => ({
    id,
    middle,
    tests,
  }));
}

function readPage(page: string): string {
  return readFileSync(path.join(ROOT, PAGES, page), 'utf8');
}

function readCaseIds(): ReadonlySet<string> {
  const corpus: { cases: readonly { id: string }[] } = JSON.parse(
    readFileSync(path.join(ROOT, 'test/fixtures/adversarial.json'), 'utf8'),
  );
  return new Set(corpus.cases.map(({ id }) => id));
}

function readSources(): readonly Source[] {
  const list = ['-c', 'safe.directory=*', 'ls-files', '-z', 'src', 'bench', 'test'];
  return execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((file) => /\.(?:ts|tsx|mjs)$/.test(file) && !file.startsWith('test/fixtures/'))
    .filter((file) => file !== 'test/unit/citations.test.ts')
    .filter((file) => existsSync(path.join(ROOT, file)))
    .map((file) => ({ file, text: joinComments(readFileSync(path.join(ROOT, file), 'utf8')) }));
}

function joinComments(text: string): string {
  return text.replace(/\n\s*(?:\*(?!\/)|\/\/) ?/g, ' ');
}

/** The ids that a text cites, in whichever form; a range cites all that lie in it. */
function citedIn(text: string): readonly string[] {
  const chains = new RegExp(`(?<![\\w-])${CLAUSE}(?: (?:to|…) (?:${CLAUSE}|\\d+))?(?![\\w-])`, 'g');
  const clauses = [...text.matchAll(chains)].flatMap(([chain]) => expand(chain));
  const cases = [...text.matchAll(/(?<![\w-])(?:SH|RU|PA|NE|MA|WE|PR|DU|SB)-\d{3}(?![\w-])/g)];
  const conventions = text.matchAll(/\bcorpus C\d(?:, C\d)*|\(C\d(?=[,;)])/g);
  return [
    ...clauses,
    ...cases.map(([id]) => id),
    ...[...conventions].flatMap(([found]) => found.match(/C\d/g) ?? []),
  ];
}

/** `C-33 to C-35` is C-33, C-34, C-35; `decisions 1 … 3` likewise. */
function expand(chain: string): readonly string[] {
  const [first = '', last] = chain.replace(/^[Dd]ecisions?/, 'decision').split(/ (?:to|…) /);
  const prefix = first.replace(/\d+$/, '');
  const from = Number(first.slice(prefix.length));
  const to = last === undefined ? from : Number(/\d+$/.exec(last)?.[0]);
  return Array.from({ length: to - from + 1 }, (_, index) => `${prefix}${from + index}`);
}
