import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { success } from '../../../../../src/base/outcome.ts';
import { settleCopy } from '../../../../../src/host/session/copy/settleCopy.ts';
import type { Policy } from '../../../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../../../src/permissions/rules/policyCompiler.ts';
import { createReadGit } from '../../../../../src/runtime/commands/readGit.ts';
import { DEFAULT_LIMITS } from '../../../../../src/runtime/limits.ts';
import { createRuntime } from '../../../../../src/runtime/local/createRuntime.ts';
import type { CopyChange } from '../../../../../src/runtime/sandbox/changes/changes.ts';

test('changes that are being written when the call is aborted are all written and counted', async (t) => {
  const folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-settle-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const workspace = path.join(folder, 'workspace');
  mkdirSync(workspace);
  const folders = {
    ...{ workspace: [workspace], adHoc: [], cwd: workspace },
    ...{ state: path.join(folder, 'state'), sidecars: path.join(folder, 'sidecars') },
  };
  const policy: Policy = {
    rules: [],
    ...{ folders, shell: 'bash', platform: process.platform, headless: false },
    readGit: createReadGit([workspace]),
  };
  const local = createRuntime({
    ...{ folders: () => folders, limits: () => DEFAULT_LIMITS, shell: 'bash', env: process.env },
    session: { id: 's1', setTodo: () => undefined, count: () => 1 },
  });
  t.after(() => local.close());
  const stop = new AbortController();
  const made = ['one', 'two', 'three'].map(
    (name): CopyChange => ({
      ...{ folder: workspace, path: name, isUtf8: true, isConflict: false },
      ...{ type: 'added', kind: 'link', target: 'nowhere' },
      file: Buffer.from(path.join(workspace, name)),
      copy: Buffer.from(path.join(folder, 'upper', name)),
    }),
  );
  const dropped: CopyChange[] = [];
  const settled = await settleCopy(
    {
      ...{ toolCallId: 'c1', title: 'make', signal: stop.signal },
      held: {
        start: () => assert.fail('nothing is run'),
        report: () => undefined,
        changes: async () => success({ files: made, git: [] }),
        async drop(changes) {
          dropped.push(...changes);
          return success(undefined);
        },
        reset: async () => undefined,
        release: () => undefined,
      },
      context: {
        ...{ sessionId: 's1', policy: () => policy, compiler: createPolicyCompiler() },
        ask: async () => ({ outcome: 'allow' }),
      },
      runtime(gate, signal) {
        const runtime = local.diskRuntime('c1', signal, () => undefined, gate);
        const change: typeof runtime.entries.change = async (entry) => {
          const done = await runtime.entries.change(entry);
          stop.abort();
          return done;
        };
        return { ...runtime, entries: { ...runtime.entries, change } };
      },
    },
    { failed: false, output: '' },
  );
  assert.deepEqual(settled, { type: 'kept', files: 3, notes: [], reviews: [] });
  for (const { path: name } of made) {
    assert.equal(readlinkSync(path.join(workspace, name)), 'nowhere');
  }
  assert.deepEqual(dropped, made);
});
