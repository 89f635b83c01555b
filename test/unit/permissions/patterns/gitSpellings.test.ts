import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import {
  coversCommand,
  parseCommandPattern,
} from '../../../../src/permissions/patterns/commandPattern.ts';
import { GIT_OPTIONS } from '../../../../src/permissions/patterns/git/gitOptions.ts';
import { listGitSpellings } from '../../../../src/permissions/patterns/git/gitSpellings.ts';
import { plantWorkspace } from '../ask.ts';

function check(line: string, ...expected: readonly string[]) {
  test(`"${line}" is also ${expected.join(', ') || 'nothing else'}`, () => {
    const found = listGitSpellings(line.split(' '));
    assert.deepEqual(
      expected.filter((each) => !found.includes(each)),
      [],
      found.join('\n'),
    );
    if (expected.length === 0) assert.deepEqual(found, []);
  });
}

check('git branch --del --forc x', 'git branch --delete --force x', 'git branch -D -d -f x');
check('git branch -D x', 'git branch --delete --force x');
check('git commit -am msg', 'git commit --all --message=msg', 'git commit -a -m msg');
check('git commit -m -D', 'git commit --message=-D');
check('git -C dir push -uf', 'git -C dir push --set-upstream --force');
check('git --git-dir x tag -d v1', 'git --git-dir x tag --delete v1');
check('git checkout -bfix', 'git checkout -b fix');
check('git switch --discard-changes x', 'git switch -f x');
check('git worktree remove -f x', 'git worktree remove --force x');
check('git branch -- -D');
check('git branch x');
check('git unknown -f');
check('git');

test('an allow that spells an option in another way is as wide as the ask', () => {
  const covers = (wide: string, narrow: string) => {
    const [a, b] = [parseCommandPattern(wide), parseCommandPattern(narrow)];
    assert.ok(a !== undefined && b !== undefined);
    return coversCommand(a, b);
  };
  assert.ok(covers('git branch --delete', 'git branch -d *'));
  assert.ok(covers('git branch -d', 'git branch --delete x'));
  assert.ok(covers('git branch --delete --force', 'git branch -D x'));
  assert.ok(!covers('git branch --force', 'git branch --for*'), 'it may go on as --format');
  assert.ok(!covers('git branch --delete', 'git branch --force *'));
});

test('the installed git has no option with several names that the table lacks', () => {
  const missing: string[] = [];
  for (const [command, text] of Object.entries(GIT_OPTIONS)) {
    const known = text
      .trim()
      .split(/\s+/)
      .map((each) => each.replace(/[=?>].*$/, '').split('|'));
    // A newer git may have options that are not listed at all.
    for (const [letter, name] of listPairs(command.split(' ')))
      if (
        known.flat().includes(name) &&
        !known.some((names) => [letter, name].every((each) => names.includes(each)))
      )
        missing.push(`${command} -${letter} --${name}`);
  }
  assert.deepEqual(missing, []);
});

/** The letters and names of the options that `git … -h` prints side by side. */
function listPairs(words: readonly string[]): readonly (readonly [string, string])[] {
  const { stdout, stderr } = spawnSync('git', [...words, '-h'], { encoding: 'utf8', cwd: ROOT });
  return [...`${stdout}${stderr}`.matchAll(/^ +-(\w), --(?:\[no-\])?([\w-]+)/gm)].map(
    ([, letter = '', name = '']) => [letter, name] as const,
  );
}

/** A repository, without which some subcommands print no help. */
const ROOT = plantWorkspace([]);
execFileSync('git', ['init', '-q', ROOT]);
