import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, realpathSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { processMark } from '../../../../src/base/disk/processMark.ts';
import { openSessionCopies } from '../../../../src/host/services/sessionCopies.ts';

/** Prints what becomes of the copies where folders of earlier hosts, and then its own, can't be removed. Mounts. */
const base = realpathSync(process.argv[2] ?? '');
const copies = path.join(base, 'copies');
const temporary = path.join(base, 'tmp');
const workspaces = ['one', 'two'].map((name) => path.join(base, name));
for (const folder of [copies, temporary, ...workspaces]) mkdirSync(folder);
process.env['TMPDIR'] = temporary;
const gone = processMark().replace(/^\d+\.\d+/, `${2 ** 22 + 1}.1`);

/** Not even root removes a folder on which something is mounted. */
function stick(folder: string): void {
  const busy = path.join(folder, 'busy');
  mkdirSync(busy);
  execFileSync('mount', ['-t', 'tmpfs', 'none', busy]);
}

for (const name of ['copies/host_', 'copies/selftest-', 'tmp/gatehouse-proxy-']) {
  for (const which of ['a', 'b', 'c']) {
    const folder = path.join(base, `${name}${which}`);
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(path.join(folder, 'host'), gone);
    if (which === 'b') stick(folder);
    utimesSync(folder, 0, 0);
  }
}

const list = (folder: string) => readdirSync(folder).sort();
const opened = await openSessionCopies(copies, { PATH: process.env['PATH'], HOME: '/x' });
const told: unknown[] = [opened.state.proven, list(copies), list(temporary)];
const prepare = async (session: string, workspace: string) => {
  const held = await opened.find(session, [workspace]).hold(new AbortController().signal);
  if (!held.ok) return held.error;
  const launch = { argv: ['true'] as [string], cwd: workspace, env: {} };
  const prepared = await held.data.start({ masks: [] }).prepare(launch);
  held.data.release();
  return prepared.ok;
};
const [one = '', two = ''] = workspaces;
told.push(await prepare('s1', one), await prepare('s2', one));
const own = list(copies).find((name) => name.startsWith('host_') && name.length > 10) ?? '';
for (const name of list(path.join(copies, own))) {
  if (name !== 'host') stick(path.join(copies, own, name));
}
// Other folders than before: the old copy is removed meanwhile.
told.push(await prepare('s1', two));
await opened.endSession('s2');
await opened.dispose();
told.push(list(copies).length);
process.stdout.write(JSON.stringify(told));
