import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { ConfinedStart } from '../../../../src/runtime/confined.ts';
import { until } from '../../../workbench/processes.ts';
import { openSandboxBed, type SandboxBed } from './bed.ts';

/** Both ways in which commands of a session share HOME and /tmp. */
const STARTS: Readonly<Record<string, (bed: SandboxBed) => Promise<ConfinedStart>>> = {
  'in the copy': async (bed) => {
    const held = await bed.hold();
    const start = held.start({ masks: [] });
    held.release();
    return start;
  },
  confined: async (bed) => {
    const folder = path.join(bed.base, 'data/live');
    return bed.sandbox.live({ folder, workspace: [bed.workspace], masks: [] });
  },
};

for (const [how, toStart] of Object.entries(STARTS)) {
  test(`links that a command ${how} leaves where the next sandbox mounts something create nothing outside`, async () => {
    await using bed = await openSandboxBed();
    for (const folder of ['.config/git', '.local/lib/deep', '.local/share/pnpm']) {
      mkdirSync(path.join(bed.home, folder), { recursive: true });
    }
    writeFileSync(path.join(bed.home, '.config/git/ignore'), '*.o');
    const { outside, base } = bed;
    // bwrap sees the files of the host below /oldroot while it builds the next sandbox.
    const links = ['/oldroot', ''].flatMap((root) => [
      `mv ~/.config ~/c$RANDOM; mv ~/.local ~/l$RANDOM; ln -s ${root}${outside} ~/.config; ln -s ${root}${outside} ~/.local`,
      `mv ~/.config/git ~/g$RANDOM; mv ~/.local/share ~/s$RANDOM; ln -s ${root}${outside} ~/.config/git; ln -s ${root}${outside} ~/.local/share`,
      `mv ${base} /tmp/aside$RANDOM; ln -s ${root}${outside} ${base}`,
    ]);
    for (const line of links) {
      await bed.run(await toStart(bed), `(${line}) 2>/dev/null; true`);
      const next = await bed.run(await toStart(bed), 'echo ran').catch(() => undefined);
      assert.deepEqual(readdirSync(outside), [], line);
      assert.equal(next?.output, 'ran\n', line);
    }
  });
}

test('a folder that the copy holds a link in place of leads no cover of a hidden file elsewhere', async () => {
  await using bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  mkdirSync(at('kept'));
  const held = await bed.hold();
  const target = `/oldroot${bed.outside}`;
  await bed.run(held.start({ masks: [] }), `rmdir kept; ln -s ${target} kept`);
  // The change stays in the copy, as those do that git ignores.
  mkdirSync(at('kept/sub'));
  writeFileSync(at('kept/sub/.env'), 'A=1');
  const masks = [at('kept/sub/.env')];
  const { output } = await bed.run(held.start({ masks }), 'readlink kept; cat kept/sub/.env');
  held.release();
  assert.deepEqual(readdirSync(bed.outside), []);
  assert.equal(output.split('\n')[0], target);
  assert.doesNotMatch(output, /A=1/);
});

test('a confined command beside another one has a HOME and /tmp of its own', async () => {
  await using bed = await openSandboxBed();
  const toStart = () => STARTS['confined']?.(bed) ?? assert.fail();
  const wait = 'for i in {1..6000}; do [ -e go ] && break; sleep 0.01; done';
  const first = bed.run(await toStart(), `touch ~/a /tmp/b up; ${wait}`);
  await until('the first', () => existsSync(path.join(bed.workspace, 'up')));
  const list = 'ls -1 ~ /tmp | grep -xE "a|b"; touch go';
  assert.equal((await bed.run(await toStart(), list)).output, '');
  await first;
  assert.equal((await bed.run(await toStart(), list)).output, 'b\na\n');
});
