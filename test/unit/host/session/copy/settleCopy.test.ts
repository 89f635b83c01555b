import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { success } from '../../../../../src/base/outcome.ts';
import type { GateContext } from '../../../../../src/gate/gateContext.ts';
import { settleCopy } from '../../../../../src/host/session/copy/settleCopy.ts';
import type { Policy } from '../../../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../../../src/permissions/rules/policyCompiler.ts';
import { CONTENT_LIMITS } from '../../../../../src/recorder/entries.ts';
import { createReadGit } from '../../../../../src/runtime/commands/readGit.ts';
import { DEFAULT_LIMITS } from '../../../../../src/runtime/limits.ts';
import { createRuntime } from '../../../../../src/runtime/local/createRuntime.ts';
import type { CopyChange } from '../../../../../src/runtime/sandbox/changes/changes.ts';
import type { CopyReport } from '../../../../../src/runtime/sandbox/copy.ts';
import { type EndedCommand, toRealReason } from '../../../../../src/tools/copy/callCopy.ts';

interface Options {
  readonly rules?: Policy['rules'];
  readonly ask?: GateContext['ask'];
  /** Aborts the call as soon as the first change is written. */
  readonly aborts?: boolean;
  /** Where commands look only, what the command printed. */
  readonly look?: EndedCommand;
  readonly ended?: EndedCommand;
  readonly dropFails?: boolean;
}

test('changes that are being written when the call is aborted are all written and counted', async (t) => {
  const { settled, dropped, made, workspace } = await settle(t, { aborts: true });
  assert.deepEqual(settled, { type: 'kept', files: 3, notes: [], reviews: [] });
  for (const { path: name } of made) {
    assert.equal(readlinkSync(path.join(workspace, name)), 'nowhere');
  }
  assert.deepEqual(dropped, made);
});

test('what rules let write is counted though the review of the rest fails, so that it can be reverted', async (t) => {
  const source = 'session' as const;
  const { settled, dropped, made } = await settle(t, {
    rules: [{ permission: 'fs.write', pattern: 'one', action: 'allow', source }],
    ask: async () => {
      throw new Error('The connection closed.');
    },
  });
  const notes = ['Its other changes were discarded. The connection closed.'];
  assert.deepEqual(settled, { type: 'kept', files: 1, notes, reviews: [] });
  assert.deepEqual(dropped, made);
});

const REPORT: CopyReport = {
  ...{ wantedNetwork: false, looksOnly: true },
  ...{ refusedHosts: [], homeWrites: [], maskedWrites: [] },
};

const WHY =
  "It can't write here: on this system, commands in the sandbox can only look at the workspace, without the files that rules hide.";

test('where commands look only, one that failed to write asks to run for real', async (t) => {
  for (const output of ['touch: a: Operation not permitted', 'Error: EPERM: operation']) {
    const { settled } = await settle(t, { look: { failed: true, output } });
    assert.deepEqual(settled, { type: 'forReal', why: WHY, looksOnly: true });
    assert.equal(
      settled.type === 'forReal' && toRealReason(settled),
      `${WHY} Nothing has changed. Run it for real?`,
    );
  }
});

test('where commands look only, one that ends well says what it could not write', async (t) => {
  const kept = { type: 'kept', looksOnly: true, files: 0, reviews: [] };
  const { settled } = await settle(t, { look: { failed: false, output: 'a: EPERM\nok' } });
  const note = `${WHY} What it could not write is missing. Call again with without_sandbox: true, and the user is asked (Run Without Sandbox…).`;
  assert.deepEqual(settled, { ...kept, notes: [note] });
  const looked = await settle(t, { look: { failed: true, output: 'no match' } });
  assert.deepEqual(looked.settled, { ...kept, notes: [] });
});

test('a command that failed for lack of space in the copy asks to run for real', async (t) => {
  for (const output of [
    'cp: error writing b: No space left on device',
    'Error: ENOSPC: no space left on device, write',
    'tee: a: Disk quota exceeded',
  ]) {
    const { settled, dropped, made } = await settle(t, { ended: { failed: true, output } });
    assert.deepEqual(settled, {
      type: 'forReal',
      why: "It failed for lack of space: the disk that holds the copies, in Gatehouse's data folder, is full or nearly so.",
    });
    assert.deepEqual(dropped, made);
  }
  const passed = { failed: false, output: 'No space left on device' };
  assert.equal((await settle(t, { ended: passed })).settled.type, 'kept');
});

test('where a command asks to run for real, what it changes against a rule that denies is named', async (t) => {
  const source = 'session' as const;
  const { settled, workspace } = await settle(t, {
    rules: ['one', 'two'].map((pattern) => {
      return { permission: 'fs.write', pattern, action: 'deny', source } as const;
    }),
    ended: { failed: true, output: 'mv: EXDEV: cross-device link not permitted' },
  });
  assert.ok(settled.type === 'forReal');
  assert.match(settled.why, /^It changes what rules deny: one, two\. It renames a folder/);
  assert.deepEqual(readdirSync(workspace), []);
});

test('the review of a command that failed names what it would change against a rule without the sandbox', async (t) => {
  const source = 'session' as const;
  const reasons: string[] = [];
  for (const failed of [true, false]) {
    const { settled, workspace } = await settle(t, {
      rules: [{ permission: 'fs.write', pattern: 'two', action: 'deny', source }],
      ask: async ({ decision: { reason } }) => {
        reasons.push(reason);
        return failed ? { outcome: 'outside' } : { outcome: 'reject' };
      },
      ended: { failed, output: 'x' },
    });
    assert.equal(settled.type, failed ? 'outside' : 'kept');
    assert.deepEqual(readdirSync(workspace), []);
  }
  const [ofFailed = '', ofOther = ''] = reasons;
  assert.match(
    ofFailed,
    /It changes what rules deny: two\. Without the sandbox, no rule would keep it from that\./,
  );
  assert.doesNotMatch(ofOther, /rules deny|Without the sandbox/);
});

test('where the changes can not be taken out of the copy, it is emptied, and what was written is counted', async (t) => {
  const { settled, resets } = await settle(t, { dropFails: true });
  assert.equal(resets(), 1);
  assert.deepEqual(settled, {
    ...{ type: 'kept', files: 3, reviews: [] },
    notes: ['The copy was emptied, with the files in it that git ignores (No space left.).'],
  });
});

/** Settles three new links; where commands look only, nothing. */
async function settle(t: TestContext, { rules = [], ask, aborts, ...options }: Options) {
  const { look, ended = { failed: false, output: '' }, dropFails } = options;
  const folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-settle-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const workspace = path.join(folder, 'workspace');
  mkdirSync(workspace);
  const folders = {
    ...{ workspace: [workspace], adHoc: [], cwd: workspace },
    ...{ state: path.join(folder, 'state'), sidecars: path.join(folder, 'sidecars') },
  };
  const policy: Policy = {
    rules,
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
  let resets = 0;
  const settled = await settleCopy(
    {
      ...{ toolCallId: 'c1', title: 'make', signal: stop.signal },
      contentRoom: () => ({ ...CONTENT_LIMITS, unreviewed: CONTENT_LIMITS.session }),
      held: {
        start: () => assert.fail('nothing is run'),
        report: () => look && REPORT,
        changes: async () => success({ files: look ? [] : made, git: [] }),
        async drop(changes) {
          if (dropFails) throw new Error('No space left.');
          dropped.push(...changes);
          return success(undefined);
        },
        async reset() {
          resets += 1;
        },
        release: () => undefined,
      },
      context: {
        ...{ sessionId: 's1', policy: () => policy, compiler: createPolicyCompiler() },
        ask: ask ?? (async () => ({ outcome: 'allow' })),
      },
      runtime(gate, signal) {
        const runtime = local.diskRuntime('c1', signal, () => undefined, gate);
        const change: typeof runtime.entries.change = async (entry) => {
          const done = await runtime.entries.change(entry);
          if (aborts) stop.abort();
          return done;
        };
        return { ...runtime, entries: { ...runtime.entries, change } };
      },
    },
    look ?? ended,
  );
  return { settled, dropped, made, workspace, resets: () => resets };
}
