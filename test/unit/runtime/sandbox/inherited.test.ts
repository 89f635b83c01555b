import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const READER = path.join(import.meta.dirname, 'readInherited.ts');

test('a command gets none of the descriptors that the host was started with, whatever their numbers', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const secret = path.join(folder, 'secret');
  writeFileSync(secret, 'SECRET');
  // Bash gives its own descriptors the number 255.
  const line = 'exec 20<>"$1" 99<>"$1" 255<>"$1" 300<>"$1"; exec "$2" "$3"';
  const output = execFileSync('bash', ['-c', line, 'bash', secret, process.execPath, READER], {
    encoding: 'utf8',
  });
  assert.deepEqual(JSON.parse(output), ['none\n', 'none\n']);
});
