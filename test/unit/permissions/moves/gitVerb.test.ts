import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGitVerb } from '../../../../src/permissions/moves/gitVerb.ts';
import type { CommandAct } from '../../../../src/permissions/shell/acts.ts';

function commandOf(line: string, more: Partial<CommandAct> = {}): CommandAct {
  const words = line.split(' ').map((value) => ({ value, literal: true }));
  return { kind: 'command', words, risky: new Set(), ...more };
}

for (const [line, verb] of [
  ['git commit -m x', 'commit'],
  ['git push', 'push'],
  ['git --no-pager commit', 'commit'],
  ['/usr/bin/git add .', 'add'],
  ['C:\\bin\\git.exe add .', 'add'],
  ['GIT add .', 'add'],
  ['git', ''],
  ['git --version', ''],
  ['git status', undefined],
  ['git --no-pager log', undefined],
  ['git diff-index HEAD', undefined],
  ['git rev-parse HEAD', undefined],
  ['gitk add', undefined],
  ['mygit add', undefined],
  ['hub add', undefined],
] as const) {
  test(`${line} ${verb === undefined ? 'keeps the index and references' : `may change them by "${verb}"`}`, () => {
    assert.equal(findGitVerb(commandOf(line)), verb);
  });
}

test('a guess changes nothing, and a command in another folder counts by its own words', () => {
  assert.equal(findGitVerb(commandOf('git add .', { tightensOnly: true })), undefined);
  const inFolder = { words: commandOf('git add .').words, risky: new Set<number>() };
  assert.equal(findGitVerb(commandOf('git -C status .', { inFolder })), 'add');
});
