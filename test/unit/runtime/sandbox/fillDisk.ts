import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../../../src/base/clock.ts';
import { createProcesses } from '../../../../src/runtime/commands/processes.ts';
import { createLocalShell } from '../../../../src/runtime/commands/shell.ts';
import { createSandbox } from '../../../../src/runtime/sandbox/createSandbox.ts';
import { createSidecars } from '../../../../src/runtime/sidecars.ts';
import { FakeClock } from '../../extension/fakeClock.ts';

/**
 * Has a command fill a copy whose disk is `data` in the folder that is given, or (`set-up`) fills the disk before a
 * command, and prints what came of it. `flood`: the commands would run on.
 */
const base = process.argv[2] ?? '';
const workspace = path.join(base, 'workspace');
const home = path.join(base, 'home');
for (const folder of [workspace, home, path.join(workspace, 'd')]) mkdirSync(folder);
writeFileSync(path.join(workspace, 'a.txt'), 'old');
const { signal } = new AbortController();
const env = { PATH: '/usr/bin:/bin', HOME: home, GATEHOUSE_BWRAP: '' };
// A command that fills the disk and ends would be ended first on a slow machine, where somebody looks meanwhile.
const clock = process.argv[3] === 'flood' ? systemClock : new FakeClock();
const sandbox = await createSandbox({ folder: path.join(base, 'data/state'), env, clock });
const copy = sandbox.openCopy({ folder: path.join(base, 'data/copy'), workspace: [workspace] });
const opened = await copy.hold(signal);
if (!opened.ok) throw new Error(opened.error);
const held = opened.data;
const sidecars = createSidecars(path.join(base, 'sidecars'));

async function run(command: string) {
  const confined = held.start({ masks: [] });
  const shell = createLocalShell({
    ...{ env, processes: createProcesses(), sidecars, signal, confined, shell: 'bash' },
  });
  const limits = { timeoutMs: 60_000, outputBytes: 100_000, background: false };
  const ran = await shell.run({ command, title: '', cwd: workspace, ...limits });
  return ran.ok ? ran.data : { exitCode: undefined, output: ran.error };
}

async function setUpWithoutRoom(): Promise<void> {
  const filler = path.join(base, 'data/filler');
  try {
    writeFileSync(filler, Buffer.alloc(20_000_000));
  } catch {
    // As much as fits.
  }
  const refused = await run('cat a.txt');
  unlinkSync(filler);
  const next = await run('cat a.txt');
  process.stdout.write(JSON.stringify([refused.output, next.output]));
}

async function fill(): Promise<void> {
  const filled = await run('echo new >a.txt; echo new >d/b.txt; head -c 20000000 /dev/zero >big');
  const changes = await held.changes(signal);
  const listed = changes.ok
    ? changes.data.files.map((change) => change.path).sort()
    : changes.error;
  const full = await run('cat a.txt');
  await held.reset();
  const next = await run('cat a.txt');
  const files = readdirSync(workspace)
    .filter((name) => name !== 'd')
    .map((name) => [name, readFileSync(path.join(workspace, name), 'utf8')]);
  process.stdout.write(
    JSON.stringify({
      uid: process.getuid?.(),
      filled: [filled.exitCode, /No space left/.test(filled.output)],
      full: [full.exitCode, full.output],
      ...{ listed, workspace: Object.fromEntries(files), next: [next.exitCode, next.output] },
    }),
  );
}

/** Two commands that would run for long while little room is left. */
async function flood(): Promise<void> {
  const ended: unknown[] = [];
  for (const fills of ['head -c 60000000 /dev/zero >big', 'for i in {1..3000}; do : >f$i; done']) {
    const flooded = await run(`${fills}; sleep 50`);
    const left = existsSync(path.join(base, 'data/copy'));
    ended.push(flooded.output, left, (await run('cat a.txt')).output);
  }
  process.stdout.write(JSON.stringify(ended));
}

const parts = { 'set-up': setUpWithoutRoom, flood };
await (parts[process.argv[3] as keyof typeof parts] ?? fill)();
held.release();
await copy.close();
