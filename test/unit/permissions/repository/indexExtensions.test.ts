import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { findGitFolder } from '../../../../src/permissions/repository/gitFolder.ts';
import { listTrackedFiles } from '../../../../src/permissions/repository/trackedFiles.ts';
import { plantWorkspace } from '../ask.ts';

function plant(...more: readonly (readonly string[])[]): readonly string[] | undefined {
  const root = plantWorkspace(['linked/a.txt', 'link/b.txt']);
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', root, ...args]);
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
  for (const args of [['init', '-q'], ['add', '.'], [...identity, 'commit', '-qm', 'x'], ...more])
    git(...args);
  const folder = findGitFolder(path.join(root, 'link'));
  return folder === undefined ? [] : listTrackedFiles(folder);
}

test('a folder named as an extension of the index leaves the index readable', () => {
  // The index names the folders behind its files, and `link` is the extension of a split one.
  assert.deepEqual(plant(), ['link/b.txt', 'linked/a.txt']);
});

test('a split index is not read, because its files are elsewhere', () => {
  assert.equal(plant(['update-index', '--split-index']), undefined);
});
