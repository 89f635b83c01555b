import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { ConfinedStart } from '../../../../src/runtime/confined.ts';
import { openSandboxBed, type SandboxBed } from './bed.ts';

const SECRET = 'of the user';

/** A workspace with a hidden file, and a folder like that of the file beside it. */
async function openBed() {
  const bed: SandboxBed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  for (const folder of ['dir/.git/hooks', 'other/.git/hooks']) {
    mkdirSync(at(folder), { recursive: true });
  }
  writeFileSync(at('dir/.env'), SECRET);
  writeFileSync(at('other/.env'), 'other');
  writeFileSync(at('plain'), 'plain');
  return { bed, at, [Symbol.asyncDispose]: () => bed[Symbol.asyncDispose]() };
}

for (const [what, names] of Object.entries({
  'the folder of a hidden file': ['dir', 'other'],
  'a hidden file': ['dir/.env', '../plain'],
})) {
  test(`${what} that becomes a link after the look for hidden files lets nothing run in a copy`, async () => {
    await using opened = await openBed();
    const { bed, at } = opened;
    const [name = '', target = ''] = names;
    const masks = async () => {
      renameSync(at(name), at(`${name}-aside`));
      symlinkSync(target, at(name));
      return [at('dir/.env')];
    };
    const held = await bed.hold();
    const ran = await bed.run(held.start({ masks }), 'cat */.env* plain; echo ran').catch(String);
    assert.match(String(ran), /was replaced while the sandbox was built, so nothing was run/);
    assert.deepEqual(readdirSync(at('other')).sort(), ['.env', '.git']);
  });
}

test('a workspace folder that becomes a link while its copy is built shows nothing of what it leads to', async () => {
  await using opened = await openBed();
  const { bed } = opened;
  writeFileSync(path.join(bed.outside, 'secret'), SECRET);
  const held = await bed.hold();
  const start = held.start({ masks: [] });
  const swapped: ConfinedStart = {
    ...start,
    async prepare(launch) {
      const prepared = await start.prepare(launch);
      renameSync(bed.workspace, `${bed.workspace}-aside`);
      symlinkSync(bed.outside, bed.workspace);
      return prepared;
    },
  };
  const ran = await bed.run(swapped, 'cat secret; echo ran').catch(String);
  assert.match(String(ran), /was replaced while the sandbox was built, so nothing was run/);
});

/** Swaps a folder for a link and back, in a rhythm that the seed sets, until it is killed. */
const SWAP = `RANDOM=$1
while :; do
mv -T "$2/dir" "$2/aside" && ln -s other "$2/dir"; sleep 0.00$((RANDOM % 9 + 1))
rm "$2/dir"; mv -T "$2/aside" "$2/dir"; sleep 0.0$((RANDOM % 20 + 10)); done 2>/dev/null`;

for (const seed of [4711, 1127]) {
  test(`a program that swaps folders of the workspace all the time (seed ${seed}) wins no race against a sandbox`, async (t) => {
    await using opened = await openBed();
    const { bed, at } = opened;
    const swapper = spawn('bash', ['-c', SWAP, 'bash', String(seed), bed.workspace], {
      ...{ stdio: 'ignore', detached: true },
    });
    const stop = () =>
      swapper.exitCode ?? swapper.signalCode ?? process.kill(-(swapper.pid ?? 0), 'SIGKILL');
    t.after(stop);
    const held = await bed.hold();
    const folder = path.join(bed.base, 'data/live');
    const live = () => bed.sandbox.live({ folder, workspace: [bed.workspace], masks: [] });
    const evil = 'for d in dir aside other; do echo >$d/.git/hooks/evil; done; echo ran';
    const told: string[] = [];
    for (let run = 0; run < 20; run += 1) {
      const copied = held.start({ masks: [at('dir/.env')] });
      told.push(await bed.run(copied, 'cat dir/.env; echo ran').then((ran) => ran.output, String));
      told.push(await bed.run(live(), evil).then((ran) => ran.output, String));
    }
    stop();
    await once(swapper, 'exit');
    const refused = told.filter((text) => !text.includes('ran\n'));
    for (const text of told) assert.ok(!text.includes(SECRET), text);
    for (const text of refused)
      assert.match(text, /[Nn]othing was run|could not be set up|moved all the time/);
    // Folders that bwrap made to mount on may be left.
    const names = readdirSync(bed.workspace, { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      names.filter((name) => name.endsWith('evil')),
      [],
    );
    t.diagnostic(`${refused.length} of ${told.length} commands were not run`);
  });
}
