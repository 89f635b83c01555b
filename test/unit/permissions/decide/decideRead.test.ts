import assert from 'node:assert/strict';
import { linkSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { decideRead } from '../../../../src/permissions/decide/decideRead.ts';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { createPolicyCompiler } from '../../../../src/permissions/rules/policyCompiler.ts';
import { policyOf, rulesOf } from '../ask.ts';

test('reading a file for a model: shipped asks and a deny hold for links and hard links, too', (t) => {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-read-')));
  t.after(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const at = (name: string) => path.join(root, name);
  for (const name of ['.env', 'private', 'a.md']) writeFileSync(at(name), name);
  symlinkSync('.env', at('link.md'));
  linkSync(at('.env'), at('hard.md'));
  symlinkSync('private', at('denied.md'));
  const rules = [...DEFAULT_RULES, ...rulesOf('read **/private deny')];
  const policy = policyOf(rules, { folders: { workspace: [root], adHoc: [], cwd: root } });
  const compiled = createPolicyCompiler().compile(policy);
  const decisions = ['a.md', '.env', 'link.md', 'hard.md', 'denied.md'].map((name) =>
    decideRead(at(name), compiled),
  );
  assert.deepEqual(decisions, ['allow', 'ask', 'ask', 'ask', 'deny']);
});
