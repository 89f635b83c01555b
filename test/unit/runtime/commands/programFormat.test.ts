import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startProgram } from '../../../../src/runtime/commands/startProgram.ts';

for (const [name, content] of [
  ['an empty file', ''],
  ['a script without an interpreter', 'echo ran\n'],
  ['bytes', '\u0001\u0002\u0003'],
]) {
  test(`${name} is not run by /bin/sh`, async (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-format-'));
    t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    const file = path.join(folder, 'x');
    writeFileSync(file, content ?? '');
    chmodSync(file, 0o755);
    for (const argv of [[file], ['./x']] as const) {
      const start = await startProgram({ argv: [argv[0]], cwd: folder, env: {}, ending: 'group' });
      assert.ok(!start.ok);
      assert.equal(start.fault.code, 'ENOEXEC');
    }
  });
}
