import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Row } from './row.ts';

/** `npm run bench [name…]`: prints every goal as a ratio to its anchor. */
const SUITES: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  activation: async () => (await import('./activation.ts')).activationRows(),
  start: async () => (await import('./start.ts')).startRows(),
  turn: async () => (await import('./turn.ts')).turnRows(),
  sessions: async () => (await import('./sessions.ts')).sessionRows(),
  permissions: async () => (await import('./permissions.ts')).permissionRows(),
  grep: async () => (await import('./grep.ts')).grepRows(),
  glob: async () => (await import('./glob.ts')).globRows(),
  sweep: async () => (await import('./sweep.ts')).sweepRows(),
  edit: async () => (await import('./edit.ts')).editRows(),
  review: async () => (await import('./review.ts')).reviewRows(),
  declared: async () => (await import('./declared.ts')).declaredRows(),
  webview: async () => (await import('./webview.ts')).webviewRows(),
  sandbox: async () => (await import('./sandbox.ts')).sandboxRows(),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(SUITES, name));
if (unknown.length > 0) {
  console.error(
    `No such benchmark: ${unknown.join(', ')}. Available: ${Object.keys(SUITES).join(', ')}.`,
  );
  process.exit(2);
}
if (!existsSync('dist/host/main.mjs')) {
  console.error('dist/ is missing. Run `npm run build` first.');
  process.exit(2);
}

const rows: Row[] = [];
for (const [name, rowsOf] of Object.entries(SUITES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  rows.push(...(await rowsOf()));
}
print(rows);

function print(all: readonly Row[]) {
  console.log(`\nNode ${process.versions.node}, ${cpus().length} cores, ${process.platform}\n`);
  console.log('| goal | anchor | ratio | limit | met |\n|---|---|---|---|---|');
  for (const { goal, anchor, ratio, limit } of all) {
    const met = ratio <= limit ? 'yes' : '**no**';
    console.log(`| ${goal} | ${anchor} | ${ratio.toFixed(3)} | ${limit} | ${met} |`);
  }
}
