import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GitStates, hasUncommitted } from '../../../../src/extension/git/uncommitted.ts';

/** A repository with so many changed and staged files. */
function repository(changed: number, staged: number) {
  const list = (length: number) => Array.from({ length });
  return { state: { workingTreeChanges: list(changed), indexChanges: list(staged) } };
}

function extension(...repositories: ReturnType<typeof repository>[]): GitStates {
  return { isActive: true, exports: { getAPI: () => ({ repositories }) } };
}

test('changed and staged files of any repository count', () => {
  assert.equal(hasUncommitted(extension()), false);
  assert.equal(hasUncommitted(extension(repository(0, 0))), false);
  assert.equal(hasUncommitted(extension(repository(0, 0), repository(1, 0))), true);
  assert.equal(hasUncommitted(extension(repository(0, 1))), true);
});

test('without git, or while the extension is off or starts, the chat opens as ever', () => {
  const getAPI = () => {
    throw new Error('Git model not found');
  };
  assert.equal(hasUncommitted({ isActive: true, exports: { getAPI } }), false);
  assert.equal(hasUncommitted({ isActive: false, exports: { getAPI } }), false);
  assert.equal(hasUncommitted(undefined), false);
});
