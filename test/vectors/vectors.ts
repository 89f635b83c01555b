import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CLAUSES } from './clauses.ts';

// The table of vectors, docs/spec/vectors.md, made from the tests:
//
//   node test/vectors/vectors.ts           prints the vectors that no test names
//   node test/vectors/vectors.ts --write   writes the table

const ROOT = path.resolve(import.meta.dirname, '../..');
const TESTS = path.join(ROOT, 'test');
const TABLE = path.join(ROOT, 'docs/spec/vectors.md');

/** A test that is named after a vector. */
export interface VectorTest {
  /** Below `test/`. */
  readonly file: string;
  /** The rest of its name; empty when the name is the vector alone. */
  readonly name: string;
}

const IDS = String.raw`(?:V[A-D]|[A-Z]{1,2})-\d+`;
/** A name that begins with vectors: `VC-11, VC-40: file tools are refused`. */
const NAMED = new RegExp(`^((?=V[A-D]-)${IDS}(?:(?:, | and )${IDS})*)[:,]?\\s*(.*)$`);
/** Literals of one line; a comment is no literal. */
const LITERAL = /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\\n])*)`/g;

/** The tests of each vector, by file. */
export function findVectorTests(): ReadonlyMap<string, readonly VectorTest[]> {
  const found = new Map<string, VectorTest[]>();
  for (const { file, literal } of readLiterals()) {
    const [, ids = '', name = ''] = NAMED.exec(literal) ?? [];
    for (const [id] of ids.matchAll(/V[A-D]-\d+/g)) {
      const tests = found.get(id) ?? [];
      if (!tests.some((test) => test.file === file && test.name === name)) {
        found.set(id, [...tests, { file, name }]);
      }
    }
  }
  return found;
}

/** Strings of tests that have a vector elsewhere than at their beginning, where the table misses it. */
export function findMisplaced(): readonly string[] {
  return [...readLiterals()]
    .filter(({ literal }) => {
      const [, , rest = literal] = NAMED.exec(literal) ?? [];
      return /(?<![\w-])V[A-D]-\d+/.test(rest);
    })
    .map(({ file, literal }) => `${file}: ${literal}`);
}

/** The vectors of the specifications that are held by no test. */
export function findUntested(): readonly string[] {
  const tests = findVectorTests();
  return Object.keys(CLAUSES).filter((id) => !tests.has(id));
}

export function readTable(): string {
  return readFileSync(TABLE, 'utf8');
}

export function makeTable(): string {
  const tests = findVectorTests();
  const rows = Object.entries(CLAUSES).map(([id, clause]) => {
    const named = (tests.get(id) ?? []).map(toCell);
    return `| ${id} | ${clause} | ${named.join('<br>')} |`;
  });
  return `${HEAD}${rows.join('\n')}\n`;
}

const HEAD = `# Vectors

Examples of the clauses, each with the tests that are named after it. Written by
\`node test/vectors/vectors.ts --write\` from the names of the tests and from \`test/vectors/clauses.ts\`; a test holds that
it is current. Tests in \`unit/built\` use the built program.

| vector | clause | test |
|---|---|---|
`;

function toCell({ file, name }: VectorTest): string {
  const said = name.replace(/\$\{[^}]*\}/g, '…').replace(/\\(.)/g, '$1');
  const short = said.length > 90 ? `${said.slice(0, 90)}…` : said;
  return `\`${file}\`${short === '' ? '' : `: ${short.replaceAll('|', '\\|').replaceAll('`', "'")}`}`;
}

function* readLiterals(): Generator<{ readonly file: string; readonly literal: string }> {
  for (const name of readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = name.split(path.sep).join('/');
    if (!file.endsWith('.test.ts')) continue;
    const text = readFileSync(path.join(TESTS, file), 'utf8').replace(COMMENTS, '');
    for (const [, a, b, c] of text.matchAll(LITERAL)) yield { file, literal: a ?? b ?? c ?? '' };
  }
}

const COMMENTS = /^\s*(?:\/\/|\*|\/\*).*$/gm;

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes('--write')) writeFileSync(TABLE, makeTable());
  for (const id of findUntested()) process.stdout.write(`${id} has no test\n`);
}
