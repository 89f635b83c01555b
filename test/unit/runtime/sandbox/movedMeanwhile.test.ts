import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findMasks } from '../../../../src/host/session/copy/findMasks.ts';
import { type Policy, UNREADABLE } from '../../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../../src/permissions/rules/policyCompiler.ts';
import type { Had } from '../../../../src/runtime/sandbox/sandbox.ts';
import { until } from '../../../workbench/processes.ts';
import { awaitTick } from '../../base/disk/awaitTick.ts';
import { openSandboxBed, type SandboxBed } from './bed.ts';

const { signal } = new AbortController();

/** Looks at the workspace as a call does before its command begins. */
function createLook({ workspace, base }: SandboxBed) {
  const policy: Policy = {
    rules: [],
    folders: { workspace: [workspace], adHoc: [], state: base, sidecars: base, cwd: workspace },
    ...{ shell: 'bash', platform: process.platform, headless: false, readGit: UNREADABLE },
  };
  let had: Had | undefined;
  return {
    async masks() {
      const found = await findMasks(
        { policy: () => policy, compiler: createPolicyCompiler() },
        signal,
      );
      had = found.had;
      return found.masks;
    },
    had: (file: string, id?: string) => had?.(file, id),
  };
}

test('what a folder brings that you move into the workspace while a command runs is neither replaced nor deleted', async () => {
  await using bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  const plant = (name: string) => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), `old ${name}`);
  };
  const outside = ['../outside/in/a', '../outside/both/new', '../outside/deep/er/a'];
  const inside = ['src/a', 'src/gone', 'src/in/a', 'gone/a', 'mode/a', 'still/a', 'still/gone'];
  for (const name of [...inside, 'src2/a', 'src2/gone', 'src2/in/a', 'mode2/a', ...outside]) {
    plant(name);
  }
  awaitTick(path.join(bed.base, 'tick'));
  const held = await bed.hold();
  const lines = [
    'echo new >src/a; rm src/gone; echo new >src/in/a; rm -r gone; chmod 700 mode',
    'echo new >still/a; rm still/gone; mkdir both; echo new >both/new',
    'touch /tmp/up; for i in {1..6000}; do [ -e /tmp/go ] && break; sleep 0.01; done',
  ];
  const ran = bed.run(held.start(createLook(bed)), lines.join('\n'));
  const shared = path.join(bed.base, 'data/copy/tmp');
  await until('the command', () => existsSync(path.join(shared, 'up')));
  for (const name of ['src', 'mode']) {
    renameSync(at(name), at(`${name}-aside`));
    renameSync(at(`${name}2`), at(name));
  }
  for (const name of ['in', 'deep']) renameSync(at(`../outside/${name}`), at(`gone/${name}`));
  renameSync(at('../outside/both'), at('both'));
  writeFileSync(path.join(shared, 'go'), '');
  await ran;
  const changes = await held.changes(signal);
  assert.ok(changes.ok);
  const listed = changes.data.files.map(({ path: name, type, isConflict }) => {
    return `${isConflict ? '!' : ''}${type} ${name}`;
  });
  assert.deepEqual(listed.sort(), [
    '!changed both/new',
    '!changed src/a',
    '!changed src/in/a',
    '!deleted gone',
    '!deleted gone/deep',
    '!deleted gone/deep/er',
    '!deleted gone/deep/er/a',
    '!deleted gone/in',
    '!deleted gone/in/a',
    '!deleted src/gone',
    '!mode mode',
    'changed still/a',
    'deleted gone/a',
    'deleted still/gone',
  ]);
});
