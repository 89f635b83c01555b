import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { pathToFileURL } from 'node:url';
import type { Row } from './row.ts';

/** `npm run bench [name…]`: every goal as a ratio to its anchor, worst news included. */
const SUITES: Readonly<Record<string, { readonly file: string; readonly rows: string }>> = {
  activation: { file: 'activation.ts', rows: 'activationRows' },
  start: { file: 'start.ts', rows: 'startRows' },
  turn: { file: 'turn.ts', rows: 'turnRows' },
  permissions: { file: 'permissions.ts', rows: 'permissionRows' },
  grep: { file: 'grep.ts', rows: 'grepRows' },
  glob: { file: 'glob.ts', rows: 'globRows' },
  edit: { file: 'edit.ts', rows: 'editRows' },
  declared: { file: 'declared.ts', rows: 'declaredRows' },
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(SUITES, name));
if (unknown.length > 0) {
  console.error(
    `no such bench: ${unknown.join(', ')}. There are: ${Object.keys(SUITES).join(', ')}.`,
  );
  process.exit(2);
}
if (!existsSync('dist/host/main.mjs')) {
  console.error('dist/ is missing: run `npm run build` first.');
  process.exit(2);
}

const rows: Row[] = [];
for (const [name, suite] of Object.entries(SUITES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  rows.push(...(await load(suite)));
}
print(rows);

async function load(suite: { readonly file: string; readonly rows: string }) {
  const module = (await import(
    pathToFileURL(`${import.meta.dirname}/${suite.file}`).href
  )) as Record<string, () => Promise<readonly Row[]>>;
  const rowsOf = module[suite.rows];
  if (rowsOf === undefined) throw new Error(`${suite.file} exports no ${suite.rows}`);
  return rowsOf();
}

function print(all: readonly Row[]) {
  console.log(`\nNode ${process.versions.node}, ${cpus().length} cores, ${process.platform}\n`);
  console.log('| goal | anchor | ratio | limit | met |\n|---|---|---|---|---|');
  for (const { goal, anchor, ratio, limit } of all) {
    const met = ratio <= limit ? 'yes' : '**no**';
    console.log(`| ${goal} | ${anchor} | ${ratio.toFixed(3)} | ${limit} | ${met} |`);
  }
}
