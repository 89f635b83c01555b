import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
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

/** Globals of Node 24 that Node 22, which runs the host in the oldest VS Code, does not have. */
const NEWER =
  /\b(?:Async)?DisposableStack\b|\bRegExp\.escape\b|\bError\.isError\b|\bPromise\.try\b|\bURLPattern\b|\bFloat16Array\b|\bMath\.f16round\b|\bAtomics\.pause\b/;

test('the code uses no global that the oldest VS Code lacks', () => {
  const files = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .filter((name) => NEWER.test(readFileSync(path.join(ROOT, 'src', name), 'utf8')));
  assert.deepEqual(files, []);
});
