import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  coversCommand,
  foldCommand,
  literalSpan,
  matchesCommand,
  parseCommandPattern,
} from '../../../src/permissions/patterns/commandPattern.ts';
import { parseFlags } from '../../../src/permissions/patterns/flags.ts';
import {
  canonicalHost,
  coversHost,
  isPrivateHost,
  matchesHost,
  parseHostPattern,
} from '../../../src/permissions/patterns/hostPattern.ts';
import {
  coversPath,
  matchesPath,
  mayMatchBelow,
  type PathPatternContext,
  parsePathPattern,
} from '../../../src/permissions/patterns/pathPattern.ts';
import { coversStar, matchesStar, parseStar } from '../../../src/permissions/patterns/star.ts';
import { cpuTime } from '../cpuTime.ts';

const ROOTS = {
  workspace: ['/w', '/v[1]'],
  adHoc: [],
  userData: ['/u'],
  state: undefined,
  sidecars: undefined,
  home: ['/home/me'],
};

function star(pattern: string, text: string, expected: boolean) {
  test(`star ${pattern} ${expected ? 'matches' : 'leaves'} ${text}`, () =>
    assert.equal(matchesStar(parseStar(pattern), text), expected));
}
star('abc', 'abc', true);
star('abc', 'abcd', false);
star('*', '', true);
star('a*', 'a', true);
star('*a', 'ba', true);
star('a*a', 'a', false);
star('a*a', 'aa', true);
star('ab*ba', 'aba', false);
star('a*b*c', 'a1b2c', true);
star('a*b*c', 'acb', false);
star('a*b*c', 'a1c2c', false);
star('*a*a*', 'a', false);
star('*b*b', 'bb', true);
star('a*bc*c', 'abc', false);
star('**', 'x', true);

test('12 stars against 20,000 characters end at once', async () => {
  const pattern = parseStar('*a*a*a*a*a*a*a*a*a*a*a*b');
  const text = 'a'.repeat(20_000);
  const took = await cpuTime(() => assert.equal(matchesStar(pattern, text), false));
  assert.ok(took < 20, `${took} ms`);
});

function covers(wide: string, narrow: string, expected: boolean) {
  test(`star ${wide} ${expected ? 'covers' : 'does not cover'} ${narrow}`, () =>
    assert.equal(coversStar(parseStar(wide), parseStar(narrow)), expected));
}
covers('*', 'a*', true);
covers('a*', '*', false);
covers('a*', 'ab*', true);
covers('ab*', 'a*', false);
covers('*b', 'a*b', true);
covers('a*b', '*b', false);
covers('a*', '*a', false);
covers('a', 'a', true);
covers('a*c', 'a*b*c', true);
covers('a*b*c', 'a*c', false);
covers('*\uFFFF*', '*', false);
covers('a\uFFFF', 'a\uFFFF', true);
covers('a\uFFFFb', 'a\uFFFFc', false);
covers('a\uFFFF*', 'a\uFFFFb', false);
covers('a*\uFFFFb', 'a*b', false);
covers('a*', 'a\uFFFF*b', false);
covers('*b\uFFFF', '*c\uFFFF', false);

function command(pattern: string, text: string, expected: boolean) {
  test(`command ${pattern} ${expected ? 'matches' : 'leaves'} ${text}`, () => {
    const parsed = parseCommandPattern(pattern);
    assert.ok(parsed);
    assert.equal(matchesCommand(parsed, text), expected);
  });
}
command('git', 'git', true);
command('git', 'git log', true);
command('git', 'gitx', false);
command('git push', 'git push origin', true);
command('git push', 'git pushx', false);
command('git push *', 'git push', true);
command('git push *', 'git push a', true);
command('git push *', 'git pusha', false);
command('git push*', 'git pusher', true);
command('git push **', 'git push', true);
command('git * main', 'git push main', true);
command('git * main', 'git push main x', false);
command('git * main *', 'git push main x', true);
command('git * main *', 'git push main', true);
command('*.env', 'cat .env', true);
command('*.env', 'cat .env x', false);
command('ls ? [a] {b}', 'ls ? [a] {b}', true);
command('ls ?', 'ls a', false);
command("ls '*'", 'ls *', true);
command("ls '*'", 'ls a', false);
command('ls \\*', 'ls *', true);
command('ls "a  b"', 'ls a  b', true);
command('  ls   -l  ', 'ls -l', true);
command('ls "a\\"b"', 'ls a"b', true);
command("ls 'a\\b'", 'ls a\\b', true);
command('ls "a\\b"', 'ls a\\b', true);
command("it's'", 'its', true);

test('a pattern whose quote is open cannot be read', () => {
  assert.equal(parseCommandPattern("ls 'a"), undefined);
  assert.equal(parseCommandPattern('ls "a'), undefined);
  assert.ok(parseCommandPattern('ls \\'));
});

function coversC(wide: string, narrow: string, expected: boolean) {
  test(`command ${wide} ${expected ? 'covers' : 'does not cover'} ${narrow}`, () => {
    const [a, b] = [parseCommandPattern(wide), parseCommandPattern(narrow)];
    assert.ok(a && b);
    assert.equal(coversCommand(a, b), expected);
  });
}
coversC('git *', 'git push *', true);
coversC('git push *', 'git *', false);
coversC('git', 'git *', true);
coversC('git *', 'git', true);
coversC('git*', 'git', true);
coversC('git', 'git*', false);
coversC('git * main', 'git push main', false);
coversC('* push *', 'git push', true);
coversC('git push', 'git push origin', true);

test('the literal span is what a pattern spells out', () => {
  const span = (pattern: string, text: string) => {
    const parsed = parseCommandPattern(pattern);
    assert.ok(parsed);
    return literalSpan(parsed, text);
  };
  assert.deepEqual(span('find *', 'find . -delete'), { head: 4, tail: 14 });
  assert.deepEqual(span('find . -delete', 'find . -delete'), { head: 14, tail: 14 });
  assert.deepEqual(span('find * -delete', 'find . -delete'), { head: 5, tail: 6 });
  assert.deepEqual(span('a*b *', 'a1b c'), { head: 1, tail: 5 });
});

test('a folded pattern meets any case', () => {
  const parsed = parseCommandPattern('Remove-Item *');
  assert.ok(parsed);
  assert.equal(matchesCommand(foldCommand(parsed), 'remove-item x'), true);
  assert.equal(foldCommand(parsed), foldCommand(parsed));
});

const CONTEXT: PathPatternContext = {
  roots: ROOTS,
  platform: 'linux',
  bases: ['/w', '/v[1]'],
  reachesEverywhere: false,
  prefixes: true,
};

function path(
  pattern: string,
  target: string,
  expected: boolean,
  more: Partial<PathPatternContext> = {},
) {
  test(`path ${pattern} ${expected ? 'matches' : 'leaves'} ${target} ${JSON.stringify(more)}`, () => {
    const context = { ...CONTEXT, ...more };
    const parsed = parsePathPattern(pattern, context);
    assert.ok(parsed);
    assert.equal(matchesPath(parsed, target, context.platform), expected);
  });
}
path('**', '/etc/passwd', true);
path('*', '/etc/passwd', true);
path('src/**', '/w/src/a/b', true);
path('src/**', '/w/src', true);
path('src/**', '/w/srcx', false);
path('src/**', '/v[1]/src/a', true);
path('src/**', '/v1/src/a', false);
path('src/**', '/x/src/a', false);
path('src/*', '/w/src/a', true);
path('src/*', '/w/src/a/b', false);
path('src/*', '/w/src', false);
path('src/*.ts', '/w/src/.ts', true);
path('**/.env', '/w/a/b/.env', true);
path('**/.env', '/w/.env', true);
path('**/.env', '/x/.env', false);
path('**/.env', '/x/.env', true, { reachesEverywhere: true });
path('.env', '/x/.env', false, { reachesEverywhere: true });
path('./a', '/w/a', true);
path('../x', '/x', false);
path('../x', '/x', true, { reachesEverywhere: true });
path('src', '/w/src/a', true);
path('src', '/w/src/a', false, { prefixes: false });
path('a/../b', '/w/b', true);
path('a/./b', '/w/a/b', true);
path('{workspace}/a', '/v[1]/a', true);
path('{workspace}/{a,b}/c', '/w/b/c', true);
path('{workspace}/{a,b}/c', '/w/c/c', false);
path('{user-data}/x', '/u/x', true);
path('{ad-hoc}/**', '/w/x', false);
path('~/x', '/home/me/x', true);
path('/etc/**', '/etc/a', true);
path('a?c', '/w/abc', true);
path('a?c', '/w/ac', false);
path('[ab]c', '/w/bc', true);
path('[ab]c', '/w/cc', false);
path('a\\*b', '/w/a*b', true);
path('a\\*b', '/w/axb', false);
path('**/a/**/b', '/w/x/a/y/z/b', true);
path('**/a/**/b', '/w/x/a/b', true);
path('**/a/**/b', '/w/x/b', false);
path('A', '/w/a', false);
path('A', '/w/a', true, { platform: 'darwin' });
path('A', '/w/a', true, { platform: 'win32' });
path('a\\b', '/w/a/b', true, { platform: 'win32' });
path('caf\u00e9', '/w/cafe\u0301', true, { platform: 'darwin' });
path('caf\u00e9', '/w/cafe\u0301', false);
path('+(a)', '/w/aa', false);
path('!a', '/w/!a', true);
path('!a?', '/w/!ab', true);
path('#a?', '/w/#ab', true);
path('+(a)?', '/w/aab', false);
path('?env', '/w/.env', true);
path('C:/x', '/w/C:/x', true);
path('C:/x', 'c:/X', true, { platform: 'win32' });
path('*?*?*', '/w/ab', true);
path('a***b', '/w/axb', true);
path('***', '/w/a', true);
path('**/a', '/a/a', true, { reachesEverywhere: true });
path('**/a/**', '/a/a/a/b', true, { reachesEverywhere: true });
path('{a,b}'.repeat(8), `/w/${'b'.repeat(8)}`, true, { bases: ['/w'] });
path('a'.repeat(4096), `/w/${'a'.repeat(4096)}`, true);
path('#a', '/w/#a', true);

test('a path pattern that is no glob, too long or too wide is refused', () => {
  const bad = [
    '',
    'a'.repeat(5000),
    'a\0',
    '**/../x',
    '/../../..',
    `${'{a,b}'.repeat(9)}`,
    '*?*?*?*?*',
    '*?*?*?*',
  ];
  assert.deepEqual(
    bad.map((each) => parsePathPattern(each, CONTEXT)),
    bad.map(() => undefined),
  );
  assert.throws(() => parsePathPattern('{nowhere}/x', CONTEXT), /\{nowhere\}/);
});

test('a path pattern of a hundred stars is matched at once', async () => {
  const stars = parsePathPattern(`${'*a'.repeat(100)}b`, CONTEXT);
  const globs = parsePathPattern('**/**/**/**/**/**/**/**/**/**/x', CONTEXT);
  assert.ok(stars && globs);
  const took = await cpuTime(() => {
    assert.equal(matchesPath(stars, `/w/${'a'.repeat(5000)}`, 'linux'), false);
    assert.equal(matchesPath(globs, `/w${'/a'.repeat(500)}`, 'linux'), false);
  });
  assert.ok(took < 100, `${took} ms`);
});

function coversP(wide: string, narrow: string, expected: boolean) {
  test(`path ${wide} ${expected ? 'covers' : 'does not cover'} ${narrow}`, () => {
    const context = { ...CONTEXT, reachesEverywhere: true };
    const [a, b] = [parsePathPattern(wide, context), parsePathPattern(narrow, context)];
    assert.ok(a && b);
    assert.equal(coversPath(a, b), expected);
  });
}
coversP('**', 'src/**', true);
coversP('src/**', '**', false);
coversP('src/**', 'src/a/**', true);
coversP('src/**', 'src/*', true);
coversP('src/*', 'src/**', false);
coversP('src/*', 'src/a', false);
coversP('src/a*', 'src/a?', false);
coversP('src/a*', 'src/*b', false);
coversP('**/.env', 'src/**', false);
coversP('src/**', '**/.env', false);
coversP('**/.env', 'src/.env', false);
coversP('**/.env.*', '{workspace}/**/.env.example', true);
coversP('src/?', 'src/?', true);
coversP('src/?', 'src/a', false);
coversP('src/?', 'src/a*', false);
coversP('**/x*', 'x1*/x2*', true);
coversP('src/*', 'src/?', true);
coversP('src/a*', 'src/[a]', false);
coversP('src/{a,b}', 'src/a', false);
coversP('src/**', 'src/{a,b}', true);
coversP('src/a', 'src/{a,b}', false);
coversP('src/**', 'src', true);
coversP('src', 'src/**', true);

test('what may lie below a folder', () => {
  const may = (pattern: string, folder: string) => {
    const parsed = parsePathPattern(pattern, { ...CONTEXT, reachesEverywhere: true });
    assert.ok(parsed);
    return mayMatchBelow(parsed, folder, 'linux');
  };
  assert.deepEqual(
    [
      may('**/.env', '/w'),
      may('src/a', '/w'),
      may('src/a', '/w/docs'),
      may('src/**', '/w/src/x'),
      may('src/a', '/w/src/a'),
      may('*', '/'),
      may('/etc/*', '/'),
    ],
    [true, true, false, true, true, true, true],
  );
});

function host(pattern: string, name: string, port: number | undefined, expected: boolean) {
  test(`host ${pattern} ${expected ? 'matches' : 'leaves'} ${name}:${port}`, () => {
    const parsed = parseHostPattern(pattern);
    assert.ok(parsed);
    assert.equal(matchesHost(parsed, name, port), expected);
  });
}
host('a.example', 'A.Example.', 443, true);
host('a.example', 'a.example', 80, true);
host('a.example', 'a.example', 8080, false);
host('a.example', 'a.example', undefined, false);
host('a.example:8080', 'a.example', 8080, true);
host('a.example:8080', 'a.example', 443, false);
host('*.example', 'a.b.example', 443, true);
host('*.example', 'example', 443, false);
host('*.example', 'evilexample', 443, false);
host('*', 'a.example', 443, true);
host('*', 'a b', 443, false);
host('**', 'a.example', 80, true);
host('*', 'localhost', 80, false);
host('*', '10.0.0.1', 80, false);
host('10.0.0.1', '10.0.0.1', 80, true);
host('127.0.0.1', '0x7f.1', 80, true);
host('[::1]', '::1', 80, true);
host('b\u00fccher.example', 'xn--bcher-kva.example', 443, true);

test('what is no host pattern is not read as one', () => {
  const bad = [
    'https://a.example',
    'a.example/x',
    '',
    'a b',
    '*a.example',
    'a.*.example',
    'a@b',
    'a.example:99999999',
  ];
  assert.deepEqual(
    bad.map(parseHostPattern),
    bad.map(() => undefined),
  );
});

test('host patterns cover what they match', () => {
  const ask = (wide: string, narrow: string) => {
    const [a, b] = [parseHostPattern(wide), parseHostPattern(narrow)];
    assert.ok(a && b);
    return coversHost(a, b);
  };
  assert.deepEqual(
    [
      ask('*', 'a.example'),
      ask('*', 'localhost'),
      ask('*.example', 'a.example'),
      ask('a.example', '*.example'),
      ask('a.example', 'a.example:443'),
      ask('a.example:443', 'a.example'),
      ask('a.example', 'a.example:81'),
      ask('*.b.example', '*.a.example'),
    ],
    [true, false, true, false, true, false, false, false],
  );
});

test('hosts have one spelling, and odd ones none', () => {
  assert.deepEqual(
    [
      'A.B.',
      '0177.0.0.1',
      '2130706433',
      'a\u200b.b',
      'a%00.b',
      'a/b',
      '',
      '::ffff:10.0.0.1',
      '[::1',
      '::1]',
    ].map(canonicalHost),
    [
      'a.b',
      '127.0.0.1',
      '127.0.0.1',
      undefined,
      undefined,
      undefined,
      undefined,
      '10.0.0.1',
      undefined,
      undefined,
    ],
  );
  const known = [
    'localhost',
    'a.localhost',
    'router',
    'x.internal',
    '192.168.1.1',
    '169.254.169.254',
    'fe80::1',
    '100.64.0.1',
    'a\0b',
  ];
  assert.deepEqual(
    known.map(isPrivateHost),
    known.map(() => true),
  );
  assert.deepEqual(['example.com', '8.8.8.8'].map(isPrivateHost), [false, false]);
});

test('flags are letters, clusters, values and numbers', () => {
  const flags = parseFlags('-a -l -n: --long --color= -# -maxdepth');
  const asked = [
    '-a',
    '-la',
    '-n',
    '-n5',
    '-an5',
    '--long',
    '--long=x',
    '--color',
    '--color=x',
    '-20',
    '-x',
    '-ax',
    '--lon',
    '-maxdepth',
    '-',
  ];
  assert.deepEqual(
    asked.filter((each) => flags.allow(each)),
    ['-a', '-la', '-n', '-n5', '-an5', '--long', '--color', '--color=x', '-20', '-maxdepth'],
  );
  assert.equal(parseFlags('-a').allow('-1'), false);
  assert.equal(parseFlags('! -a').noOperands, true);
});

test('an empty pair of quotes is a word of a pattern, as it is of a command', () => {
  const matches = (pattern: string, text: string) => {
    const parsed = parseCommandPattern(pattern);
    return parsed !== undefined && matchesCommand(parsed, text);
  };
  assert.equal(matches("sed -i '' s/a/b/ f", 'sed -i  s/a/b/ f'), true);
  assert.equal(matches("sed -i '' *", 'sed -i  s/a/b/ f'), true);
  assert.equal(matches("sed -i '' *", 'sed -i s/a/b/ f'), false);
  assert.equal(matches('git push "" *', 'git push origin'), false);
  assert.equal(matches("git '' push ''", 'git  push '), true);
  assert.equal(matches('  git   push  ', 'git push'), true);
});
