import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../workbench/paths.ts';
import { testedRelease } from '../../workbench/release.ts';

test('the floor that tests run on is the oldest VS Code that the manifest allows', () => {
  const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  assert.equal(manifest.engines.vscode, `^${testedRelease({ TEST_RELEASE: 'floor' }).vscode}.0`);
});

test('tests run on the newest VS Code unless told otherwise', () => {
  assert.equal(testedRelease({}).vscode, '1.139');
  assert.throws(() => testedRelease({ TEST_RELEASE: 'oldest' }), /must be one of newest, floor/);
});
