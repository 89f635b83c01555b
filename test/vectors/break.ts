import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CLAUSES } from './clauses.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';
import { findVectorTests } from './vectors.ts';

// Breaks the code of twenty clauses, chosen by a seed, or of the named ones, and shows that the tests of their
// vectors fail:
//
//   node test/vectors/break.ts [SEED | ID...]

const SEED = 20_261_122;
const COUNT = 20;
const ROOT = path.resolve(import.meta.dirname, '../..');
const COPIED = ['src', 'test', 'schemas', 'docs', 'l10n', 'media', 'esbuild.mjs', 'package.json'];

/** The vectors of declared tools, and those of capabilities, quota and asks. */
const IDS = Object.keys(CLAUSES).filter(
  (id) => !id.startsWith('VC-') || /^VC-(?:[89]|1[0-8]|40|67|82|87)$/.test(id),
);

/** A linear congruential generator: the same choice on every machine. */
function pick(ids: readonly string[], count: number, seed: number): readonly string[] {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const left = [...ids];
  return Array.from({ length: count }, () =>
    left.splice(Math.floor(next() * left.length), 1),
  ).flat();
}

interface Ran {
  readonly passed: number;
  readonly failed: number;
  readonly names: readonly string[];
}

function run(cwd: string, words: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd, maxBuffer: 64 << 20 };
    execFile(process.execPath, words, options, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

/** Runs those tests of the vector that use the sources, or those that use the built program. */
async function runTests(copy: string, id: string, built: boolean): Promise<Ran | undefined> {
  const named = findVectorTests().get(id) ?? [];
  const files = [...new Set(named.map(({ file }) => file))].filter(
    (file) => file.startsWith('unit/') && usesBuild(file) === built,
  );
  if (files.length === 0) return undefined;
  const pattern = `--test-name-pattern=(^|, | and )${id}(?![0-9])`;
  const paths = files.map((file) => path.join('test', file));
  const output = await run(copy, ['--test', '--test-reporter=tap', pattern, ...paths]);
  const count = (word: string) =>
    Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(output)?.[1] ?? 0);
  const names = [...output.matchAll(/^not ok \d+ - (.+)$/gm)].map(([, name = '']) => name);
  return { passed: count('pass'), failed: count('fail'), names };
}

const usesBuild = (file: string) => file.startsWith('unit/built/') || file.includes('/scope.test');

async function change(copy: string, { file, from, to }: Mutation): Promise<() => Promise<void>> {
  const target = path.join(copy, 'src', file);
  const text = await readFile(target, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${file} does not have once: ${from}`);
  await writeFile(
    target,
    text.replace(from, () => to),
  );
  return () => writeFile(target, text);
}

const describe = (ran: Ran | undefined) =>
  ran === undefined ? 'none' : `${ran.failed} of ${ran.failed + ran.passed} fail`;

/** The vectors to break, and how they were chosen. */
function choose(words: readonly string[]): {
  readonly ids: readonly string[];
  readonly how: string;
} {
  const [first = String(SEED)] = words;
  if (/^\d+$/.test(first)) return { ids: pick(IDS, COUNT, Number(first)), how: `seed ${first}` };
  return { ids: words, how: 'named' };
}

async function main(): Promise<number> {
  const { ids, how } = choose(process.argv.slice(2));
  const copy = await mkdtemp(path.join(tmpdir(), 'broken-'));
  for (const name of COPIED)
    await cp(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  await symlink(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  process.stdout.write(
    '| vector | clause | changed | tests of the sources | tests of the build |\n|---|---|---|---|---|\n',
  );
  let unnoticed = 0;
  for (const id of ids) {
    const mutation = MUTATIONS[id];
    if (mutation === undefined) throw new Error(`no mutation for ${id}: add one to mutations.ts`);
    const undo = await change(copy, mutation);
    const sources = await runTests(copy, id, false);
    await run(copy, ['esbuild.mjs']);
    const build = await runTests(copy, id, true);
    await undo();
    const failed = (sources?.failed ?? 0) + (build?.failed ?? 0);
    if (failed === 0) unnoticed++;
    const row = [id, CLAUSES[id], `\`${mutation.file}\``, describe(sources), describe(build)];
    process.stdout.write(`| ${row.join(' | ')} |\n`);
  }
  await run(copy, ['esbuild.mjs']);
  // Unchanged, the same tests pass.
  const red: string[] = [];
  for (const id of ids) {
    for (const built of [false, true])
      red.push(...((await runTests(copy, id, built))?.names ?? []));
  }
  await rm(copy, { recursive: true, force: true, maxRetries: 5 });
  process.stdout.write(
    `\n${unnoticed} of ${ids.length} unnoticed; ${red.length} tests fail without a change (${how}).\n`,
  );
  for (const name of red) process.stdout.write(`fails: ${name}\n`);
  return unnoticed === 0 && red.length === 0 ? 0 : 1;
}

process.exitCode = await main();
