import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createIsNamedByGit } from '../../../../../src/host/session/copy/findNamedByGit.ts';

test('what a repository above or below the top of a workspace folder names is known', (t) => {
  const base = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-named-'));
  t.after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const at = (name: string) => path.join(base, name);
  for (const folder of ['.git', 'ws/run', 'ws/lib/.git', 'ws/lib/run', 'ws/own']) {
    mkdirSync(at(folder), { recursive: true });
  }
  writeFileSync(at('.git/config'), '[core] hooksPath = ws/run\n');
  writeFileSync(at('ws/lib/.git/config'), '[core] hooksPath = run\n');
  const isNamed = createIsNamedByGit();
  const named = ['run/a', 'run', 'lib/run/a', 'lib/a', 'own/run/a', 'a'].filter((name) =>
    isNamed(at(`ws/${name}`), at('ws')),
  );
  assert.deepEqual(named, ['run/a', 'run', 'lib/run/a']);
  // The repository lies beside this folder's own.
  assert.equal(isNamed(at('ws/own/a'), at('ws/own')), false);
});
