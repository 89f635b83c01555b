import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { interleave, type Row } from './row.ts';

/** The extension's cost before first use: bundle sizes, and loading the entry. */
export async function activationRows(): Promise<readonly Row[]> {
  const entry = path.resolve('dist/extension.cjs');
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-bench-'));
  const stub = writeVscodeStub(folder);
  const times = await interleave(9, {
    load: async () => requireTime(stub, entry),
  });
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const rows: Row[] = [
    size('extension entry bundle', entry, 0.3e6, '0.3 MB'),
    {
      goal: 'require of the extension entry',
      anchor: '25 ms of CPU',
      ratio: times.load / 25,
      limit: 1,
    },
  ];
  const vsix = path.resolve('dist/gatehouse.vsix');
  if (statSync(vsix, { throwIfNoEntry: false })) rows.push(size('.vsix', vsix, 3e6, '3 MB'));
  return rows;
}

function size(goal: string, file: string, bytes: number, anchor: string): Row {
  return { goal, anchor, ratio: statSync(file).size / bytes, limit: 1 };
}

/** A stub of `vscode` in which every member exists, so that only our own loading is timed. */
function writeVscodeStub(folder: string): string {
  const types = readFileSync('node_modules/@types/vscode/index.d.ts', 'utf8');
  const names = types.matchAll(/^\texport (?:class|enum|namespace|const|let) (\w+)/gm);
  const members = JSON.stringify([...new Set([...names].map(([, name]) => name))]);
  const file = path.join(folder, 'time.cjs');
  writeFileSync(
    file,
    `const Module = require('node:module');
const any = new Proxy(function () {}, { get: (t, k) => (k === Symbol.toPrimitive ? () => '' : any), construct: () => ({}), apply: () => any });
const vscode = Object.fromEntries(${members}.map((name) => [name, any]));
const load = Module._load;
Module._load = (request, ...rest) => (request === 'vscode' ? vscode : load(request, ...rest));
const before = process.cpuUsage();
require(process.argv[2]);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
process.exit(0);
`,
  );
  return file;
}

/** CPU time in milliseconds, which other work on the machine hardly affects. */
function requireTime(stub: string, entry: string): number {
  const child = spawnSync(process.execPath, [stub, entry], { encoding: 'utf8' });
  const time = Number(child.stdout.trim().split('\n').at(-1));
  if (child.status !== 0 || !(time > 0)) throw new Error(`the entry did not load: ${child.stderr}`);
  return time;
}
