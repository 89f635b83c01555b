import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openSandboxBed } from './bed.ts';

/** Prints what becomes of commands in a copy while something is mounted in the workspace. Runs in mounts of its own. */
process.env['TMPDIR'] = realpathSync(process.argv[2] ?? '');
const { signal } = new AbortController();
await using bed = await openSandboxBed();
const volume = path.join(bed.workspace, 'a volume');
const precious = path.join(volume, 'precious');
mkdirSync(volume);
const held = await bed.hold();
const line = `touch "${volume}/new"; ls "${volume}"`;
const run = () =>
  bed.run(held.start({ masks: [] }), line).then(
    ({ output }) => output,
    (fault: Error) => fault.message,
  );
const list = async () => {
  const changes = await held.changes(signal);
  if (!changes.ok) return changes.error;
  return changes.data.files.map(({ path: name, type }) => `${type} ${name}`);
};
const told: unknown[] = [await run()];
execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=777', 'none', volume]);
writeFileSync(precious, 'x');
told.push(await list(), await run(), existsSync(precious));
execFileSync('umount', [volume]);
told.push(await run(), await list());
process.stdout.write(JSON.stringify(told).replaceAll(bed.workspace, 'WS'));
