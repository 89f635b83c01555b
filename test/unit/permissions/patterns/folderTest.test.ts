import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { toFolderTest } from '../../../../src/permissions/patterns/folderTest.ts';
import { matchesPath, parsePathPattern } from '../../../../src/permissions/patterns/pathPattern.ts';

// A folder test says of a name in a folder what the patterns say of the whole path.

const PATHS = [
  '/w/a.ts',
  '/w/secrets',
  '/w/secrets/key',
  '/w/secrets/open/c',
  '/w/docs/.env',
  '/w/docs/key',
  '/w/x/y.pem',
  '/other/y.pem',
  '/key',
];

/** The paths that one of the patterns matches, which are found by name alone. */
function check(
  promise: string,
  patterns: readonly string[],
  expected: readonly string[],
  platform: NodeJS.Platform = 'linux',
  paths = PATHS,
) {
  test(promise, () => {
    const parsed = patterns.map((pattern) => parse(pattern, platform));
    const testOf = toFolderTest(parsed, platform);
    const found = paths.filter((each) =>
      testOf(path.posix.dirname(each))(path.posix.basename(each)),
    );
    assert.deepEqual(found, expected);
    const whole = paths.filter((each) => parsed.some((one) => matchesPath(one, each, platform)));
    assert.deepEqual(whole, expected, 'the whole paths say the same');
  });
}

const SECRETS = ['/w/secrets', '/w/secrets/key', '/w/secrets/open/c'];

check('without a pattern no name counts', [], []);
check('a pattern of no alternative counts no name', ['{ad-hoc}/**'], []);
check('a pattern for everything counts every name', ['*'], PATHS);
check('a pattern for everything counts every name beside another', ['a.ts', '**'], PATHS);
check('a literal counts itself and all below it', ['secrets'], SECRETS);
check('a literal file counts in its own folder alone', ['docs/key'], ['/w/docs/key']);
check('a pattern counts the folder itself with a globstar at its end', ['secrets/**'], SECRETS);
check('two globstars at the end count the folder itself as one does', ['secrets/**/**'], SECRETS);
check('a star ends at the slash', ['/w/*'], ['/w/a.ts', '/w/secrets']);
check('a star in a name counts what begins and ends like it', ['/w/x/y.*m'], ['/w/x/y.pem']);
check('a star in a folder counts the folders that match it', ['/w/d*s/key'], ['/w/docs/key']);
check(
  'a pattern of two names counts in its first name alone',
  ['/w/*.ts', '/w/*.pem'],
  ['/w/a.ts'],
);
check('a set counts its letters alone', ['/w/[xy]/[yz].pem'], ['/w/x/y.pem']);
check('a question mark counts one letter', ['/w/?.ts', '/w/?ecret'], ['/w/a.ts']);
check('braces count each of their words', ['{a.ts,docs/key,none}'], ['/w/a.ts', '/w/docs/key']);
check(
  'a name behind a globstar counts in every folder',
  ['/**/key'],
  ['/w/secrets/key', '/w/docs/key', '/key'],
);
check(
  'a star behind a globstar counts in every folder',
  ['**/*.pem'],
  ['/w/x/y.pem', '/other/y.pem'],
);
check('two names behind a globstar count where both stand', ['**/docs/key'], ['/w/docs/key']);
check('a folder behind a globstar counts with all below it', ['**/secrets/**'], SECRETS);
check(
  'a globstar between names counts any folders between',
  ['/w/**/key'],
  ['/w/secrets/key', '/w/docs/key'],
);
check('a globstar between names counts no name for itself', ['/w/**/none'], []);
check(
  'several patterns count what one of them counts',
  ['docs/.env', '**/*.pem', 'a.ts'],
  ['/w/a.ts', '/w/docs/.env', '/w/x/y.pem', '/other/y.pem'],
);
check('a root of the disk is a folder as any other', ['/key'], ['/key']);

const CASES = ['/W/Docs/KEY', '/w/docs/key', '/w/docs/Caf\u0065\u0301', '/W/X/Y.PEM'];
check(
  'another case is another name on Linux',
  ['docs/key', '**/*.pem'],
  [CASES[1] ?? ''],
  'linux',
  CASES,
);
check(
  'another case is the same name on macOS, and so are accents in two spellings',
  ['docs/key', '**/*.pem', '/w/docs/caf\u00e9'],
  CASES,
  'darwin',
  CASES,
);

test('a folder with a slash at its end, or two, is the same folder', () => {
  const testOf = toFolderTest([parse('docs/key', 'linux')], 'linux');
  const found = ['/w/docs', '/w/docs/', '/w//docs', '//w/docs'].map((each) => testOf(each)('key'));
  assert.deepEqual(found, [true, true, true, true]);
});

function parse(pattern: string, platform: NodeJS.Platform) {
  const none = { adHoc: [], userData: [], state: undefined, sidecars: undefined };
  const roots = { ...none, workspace: ['/w'], home: ['/h'] };
  const context = { roots, platform, bases: ['/w'], reachesEverywhere: true, prefixes: true };
  const parsed = parsePathPattern(pattern, context);
  assert.ok(parsed, pattern);
  return parsed;
}
