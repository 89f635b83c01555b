import assert from 'node:assert/strict';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { ConfinedStart } from '../../../../src/runtime/confined.ts';
import { openSandboxBed, type SandboxBed } from './bed.ts';

/** A command that a program swaps folders for links under, which may write the workspace too, while its sandbox is built. */
function startSwapped(bed: SandboxBed, swap: () => void): ConfinedStart {
  const folder = path.join(bed.base, 'data/live');
  const live = bed.sandbox.live({
    folder,
    workspace: [bed.workspace],
    masks: [],
  });
  return {
    async prepare(launch) {
      const prepared = await live.prepare(launch);
      swap();
      return prepared;
    },
  };
}

for (const [what, name] of Object.entries({
  'a folder above a repository': 'sub',
  'the repository of a folder': 'sub/.git',
  'the repository of the workspace': '.git',
})) {
  test(`${what} that becomes a link while a sandbox is built shows nothing of HOME`, async () => {
    await using bed = await openSandboxBed();
    const at = path.join(bed.workspace, name);
    mkdirSync(path.join(bed.workspace, 'sub/.git'), { recursive: true });
    mkdirSync(path.join(bed.workspace, '.git'), { recursive: true });
    writeFileSync(path.join(bed.home, 'secret'), 'of the user');
    const swap = () => {
      renameSync(at, `${at}-aside`);
      symlinkSync(path.relative(path.dirname(at), bed.home), at);
    };
    const line = 'echo "seen: $(cat ~/secret)"; echo gone >~/secret; touch ~/made; ls ~';
    const ran = await bed.run(startSwapped(bed, swap), line).catch(String);
    assert.doesNotMatch(JSON.stringify(ran), /of the user/);
    assert.equal(readFileSync(path.join(bed.home, 'secret'), 'utf8'), 'of the user');
    assert.deepEqual(readdirSync(bed.home), ['secret']);
  });
}

test('a folder above a repository that another takes the place of is not written by its command', async () => {
  await using bed = await openSandboxBed();
  mkdirSync(path.join(bed.workspace, 'sub/.git/hooks'), { recursive: true });
  mkdirSync(path.join(bed.workspace, 'other/.git'), { recursive: true });
  const swap = () => {
    renameSync(path.join(bed.workspace, 'sub'), path.join(bed.workspace, 'moved'));
    symlinkSync('other', path.join(bed.workspace, 'sub'));
  };
  const ran = await bed
    .run(startSwapped(bed, swap), 'echo evil >moved/.git/hooks/post-checkout')
    .catch(String);
  assert.deepEqual(readdirSync(path.join(bed.workspace, 'moved/.git/hooks')), []);
  assert.match(String(ran), /was replaced while the sandbox was built/);
});

test('repositories below names that the system escapes are confined', async () => {
  await using bed = await openSandboxBed();
  const root = path.join(bed.base, 'a b\\c\té#–');
  mkdirSync(path.join(root, 'x *\n/.git/hooks'), { recursive: true });
  const folder = path.join(bed.base, 'data/live');
  const live = bed.sandbox.live({ folder, workspace: [root], masks: [] });
  const start: ConfinedStart = {
    prepare: (launch) => live.prepare({ ...launch, cwd: root }),
  };
  const line = 'echo ran; cd x*; echo evil >.git/hooks/post-checkout';
  assert.match((await bed.run(start, line)).output, /^ran\n.*Read-only file system/s);
});

test('a variable that holds a NUL adds no option to a sandbox', async () => {
  await using bed = await openSandboxBed();
  writeFileSync(path.join(bed.outside, 'secret'), 'of the user');
  const { outside } = bed;
  const folder = path.join(bed.base, 'data/live');
  const live = bed.sandbox.live({
    folder,
    workspace: [bed.workspace],
    masks: [],
  });
  const declared = { A: `x\0--bind\0${outside}\0${outside}` };
  const start: ConfinedStart = {
    prepare: (launch) => live.prepare({ ...launch, declared }),
  };
  const ran = await bed.run(start, `cat ${outside}/secret`).catch(String);
  assert.match(String(ran), /holds a NUL/);
});
