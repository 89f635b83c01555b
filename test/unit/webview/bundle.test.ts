import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../../..');
/** Bytes of what a page loads before it shows anything. */
const MOST = 225_000;

test('the first script of the chat is at most 225 KB', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-page-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  execFileSync(process.execPath, ['esbuild.mjs', '--production', `--page=${folder}`], {
    cwd: ROOT,
  });
  const { size } = statSync(path.join(folder, 'webview.js'));
  assert.ok(size <= MOST, `${size} bytes`);
});
