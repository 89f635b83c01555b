import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createProcesses } from '../../../../src/runtime/commands/processes.ts';
import { createLocalShell } from '../../../../src/runtime/commands/shell.ts';
import { createSandbox } from '../../../../src/runtime/sandbox/createSandbox.ts';
import { createSidecars } from '../../../../src/runtime/sidecars.ts';

/** Has a command fill a copy whose disk is `data` in the folder that is given, and prints what came of it. */
const base = process.argv[2] ?? '';
const workspace = path.join(base, 'workspace');
const home = path.join(base, 'home');
for (const folder of [workspace, home]) mkdirSync(folder);
writeFileSync(path.join(workspace, 'a.txt'), 'old');
const { signal } = new AbortController();
const env = { PATH: '/usr/bin:/bin', HOME: home, GATEHOUSE_BWRAP: '' };
const sandbox = await createSandbox({ folder: path.join(base, 'data/state'), env });
const copy = sandbox.openCopy({ folder: path.join(base, 'data/copy'), workspace: [workspace] });
const held = await copy.hold(signal);
if (!held.ok) throw new Error(held.error);
const sidecars = createSidecars(path.join(base, 'sidecars'));

async function run(command: string) {
  if (!held.ok) throw new Error(held.error);
  const confined = held.data.start({ masks: [] });
  const shell = createLocalShell({
    ...{ env, processes: createProcesses(), sidecars, signal, confined, shell: 'bash' },
  });
  const limits = { timeoutMs: 60_000, outputBytes: 100_000, background: false };
  const ran = await shell.run({ command, title: '', cwd: workspace, ...limits });
  if (!ran.ok) throw new Error(ran.error);
  return ran.data;
}

const filled = await run('echo new >a.txt; head -c 20000000 /dev/zero >big');
const changes = await held.data.changes(signal);
const listed = changes.ok ? changes.data.files.map((change) => change.path).sort() : changes.error;
await held.data.reset();
const next = await run('cat a.txt');
const files = readdirSync(workspace).map((name) => [
  name,
  readFileSync(path.join(workspace, name), 'utf8'),
]);
process.stdout.write(
  JSON.stringify({
    filled: [filled.exitCode, /No space left/.test(filled.output)],
    ...{ listed, workspace: Object.fromEntries(files), next: [next.exitCode, next.output] },
  }),
);
held.data.release();
await copy.close();
