import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  coversGlob,
  type Glob,
  matchesSegment,
  parseSegment,
  run,
} from '../../../../src/permissions/patterns/glob.ts';
import {
  coversHost,
  type HostPattern,
  matchesHost,
  parseHostPattern,
} from '../../../../src/permissions/patterns/hostPattern.ts';
import { mayBearName } from '../../../../src/permissions/patterns/nameOverlap.ts';
import { coversStar, matchesStar, parseStar } from '../../../../src/permissions/patterns/star.ts';

function globOf(text: string): Glob {
  return text.split('/').map((name) => {
    const segment = parseSegment(name);
    assert.ok(segment, name);
    return segment;
  });
}

test('one pattern with stars covers another', () => {
  for (const [wide, narrow, expected] of [
    ['git *', 'git push *', true],
    ['git *', 'git push', true],
    ['git push *', 'git *', false],
    ['*', '*', true],
    ['a*c', 'a*b*c', true],
    ['a*b*c', 'a*c', false],
    ['a*', 'ab', true],
    ['ab', 'a*', false],
    ['a*b', 'ab', true],
    ['ab*b', 'ab', false],
    ['a**b', 'a*b', true],
    ['\uFFFFa*', '\uFFFFa*', true],
    ['\uFFFF*', '\uFFFFa*', false],
    ['*', '\uFFFF', false],
  ] as const)
    assert.equal(coversStar(parseStar(wide), parseStar(narrow)), expected, `${wide} ${narrow}`);
  for (const [pattern, text, expected] of [
    ['a', 'a', true],
    ['a', 'ab', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*b*b*', 'ab', false],
    ['*b*b*', 'abcb', true],
    ['*ab*b', 'ab', false],
    ['*ab*b', 'abb', true],
    ['x*bc*c', 'xbc', false],
  ] as const)
    assert.equal(matchesStar(parseStar(pattern), text), expected, `${pattern} ${text}`);
});

test('one glob covers another', () => {
  for (const [wide, narrow, expected] of [
    ['**', 'a/b', true],
    ['**', '**', true],
    ['**', 'a/**', true],
    ['a/**', '**', false],
    ['**/b', 'a/**/b', true],
    ['**/b', 'a/**', false],
    ['a/*', 'a/b', true],
    ['a/*', 'a/**', false],
    ['a/*', 'a/b/c', false],
    ['a/**/c', 'a/b/c', true],
    ['a/**/c', 'a/c', true],
    ['a/b', 'a/*', false],
    ['*', '[ab]', true],
    ['a*', '[ab]', false],
    ['[ab]', '[ab]', true],
    ['[ab]', '[ba]', false],
    ['[ab]', 'a', true],
    ['[ab]', 'c', false],
    ['[ab]', 'a*', false],
    ['?', '?', true],
    ['a/b/c', 'a/b', false],
    ['a/b', 'a/b/c', false],
    ['**/a/**/b', 'a/x/a/b', true],
  ] as const)
    assert.equal(coversGlob(globOf(wide), globOf(narrow)), expected, `${wide} ${narrow}`);
});

test('a name matches a part of a glob', () => {
  for (const [part, name, expected] of [
    ['a?', 'ab', true],
    ['a?', 'a', false],
    ['[ab]c', 'bc', true],
    ['\\*a', '*a', true],
    ['\\*a', 'xa', false],
    ['a\\', 'a\\', true],
    ['.*', '.env', true],
    ['*', '.env', true],
    ['?env', '.env', true],
    ['*[a]*b*', 'xaxb', true],
  ] as const) {
    const segment = parseSegment(part);
    assert.ok(segment, part);
    assert.equal(matchesSegment(segment, name), expected, `${part} ${name}`);
  }
  assert.equal(parseSegment('*a*[b]*c*'), undefined);
  assert.equal(parseSegment('*a*b*c*d')?.kind, 'star');
  const ends = (glob: string, path: string) =>
    run(globOf(glob), path.split('/')).includes(globOf(glob).length);
  assert.equal(ends('**/b', 'a/b'), true);
  assert.equal(ends('a/**', 'a'), true);
  assert.equal(ends('a/b', 'a'), false);
  assert.equal(ends('**/a/**', 'x/a/y/z'), true);
});

test('one host pattern covers another', () => {
  const covers = (wide: string, narrow: string, tightens?: true) => {
    const [one, other] = [parseHostPattern(wide), parseHostPattern(narrow)];
    assert.ok(one && other);
    return coversHost({ ...one, ...(tightens && { tightens }) }, other);
  };
  for (const [wide, narrow, expected, tight] of [
    ['*', 'a.example', true, true],
    ['*', 'localhost', false, true],
    ['*', '10.0.0.1', false, true],
    ['a.example', 'a.example', true, true],
    ['a.example', 'b.example', false, false],
    ['a.example', 'a.example:443', true, true],
    ['a.example', 'a.example:80', true, true],
    ['a.example', 'a.example:8080', false, true],
    ['a.example:443', 'a.example', false, false],
    ['a.example:443', 'a.example:443', true, true],
    ['*.example', 'a.example', true, true],
    ['*.example', '*.a.example', true, true],
    ['*.example', 'example', false, false],
    ['a.example', '*.a.example', false, false],
    ['*', '*.a.example', true, true],
  ] as const) {
    assert.equal(covers(wide, narrow), expected, `${wide} ${narrow}`);
    assert.equal(covers(wide, narrow, true), tight, `tight ${wide} ${narrow}`);
  }
});

test('a host matches a pattern', () => {
  const matches = (text: string, host: string, port?: number, tightens?: true) => {
    const pattern: HostPattern | undefined = parseHostPattern(text);
    assert.ok(pattern);
    return matchesHost({ ...pattern, ...(tightens && { tightens }) }, host, port);
  };
  for (const [text, host, port, expected, tight] of [
    ['a.example', 'A.Example.', 443, true, true],
    ['a.example', 'a.example', 80, true, true],
    ['a.example', 'a.example', undefined, false, true],
    ['a.example', 'a.example', 8080, false, true],
    ['a.example:8080', 'a.example', 8080, true, true],
    ['a.example:8080', 'a.example', 443, false, false],
    ['a.example:8080', 'a.example', undefined, false, true],
    ['*', 'a.example', 443, true, true],
    ['*', 'localhost', 443, false, true],
    ['*', '127.0.0.1', 443, false, true],
    ['*', '[::1]', 443, false, true],
    ['*', '::ffff:10.0.0.1', 443, false, true],
    ['*', '::a00:1', 443, false, true],
    ['*', '2001:db8::5efe:a00:1', 443, false, true],
    ['*', '2606:4700::200:5efe:a00:1', 443, false, true],
    ['*', '2606:4700::1', 443, true, true],
    ['*', '168.63.129.16', 443, false, true],
    ['*', 'intranet', 443, false, true],
    ['*', 'a.internal', 443, false, true],
    ['*', 'a b', 443, false, false],
    ['*', '', 443, false, false],
    ['*', 'a%2f', 443, false, false],
    ['*.example', 'a.example', 443, true, true],
    ['*.example', 'example', 443, false, false],
    ['*.example', '.example', 443, false, true],
    ['127.0.0.1', '0x7f.1', 443, true, true],
    ['[::1]', '::1', 443, true, true],
  ] as const) {
    assert.equal(matches(text, host, port), expected, `${text} ${host} ${port}`);
    assert.equal(matches(text, host, port, true), tight, `tight ${text} ${host} ${port}`);
  }
  for (const wrong of ['http://a', 'a/b', 'a:x', 'a*b', '*.*', '', 'a:123456', '*.a*'])
    assert.equal(parseHostPattern(wrong), undefined, wrong);
});

test('a file that a rule matches may have a name', () => {
  for (const [pattern, only, expected] of [
    ['**/.env', '*.ts', false],
    ['**/.env', '.env', true],
    ['**/.env', '.ENV', true],
    ['**/.env', '.e*', true],
    ['**/.env', '*', true],
    ['secrets/**', '*.ts', true],
    ['src/a.ts', '*.md', true],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'a.md', false],
    ['**/*.ts', '.env.*', false],
    ['**/*.ts', '*.ts', true],
    ['**/*.ts', '*.s', false],
    ['**/*.ts', '*s', true],
    ['**/a*', 'ab*', true],
    ['**/ab*', 'a*', true],
    ['**/a*', 'b*', false],
    ['**/a*.ts', '*.ts', true],
    ['**/a*.ts', 'b*.ts', false],
    ['**/a*.ts', 'a*.md', false],
    ['**/{a,b}.ts', 'b.ts', true],
    ['**/{a,b}.ts', 'c.ts', false],
    ['**/[ab].ts', 'x.ts', true],
    ['**/?.md', '*.ts', false],
  ] as const)
    assert.equal(mayBearName(pattern, only), expected, `${pattern} ${only}`);
});
