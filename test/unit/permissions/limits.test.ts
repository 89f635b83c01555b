import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { holdsCredential } from '../../../src/permissions/disk/credentials.ts';
import { expandLists } from '../../../src/permissions/patterns/expandLists.ts';
import { parseSegment } from '../../../src/permissions/patterns/glob.ts';
import { parsePathPattern } from '../../../src/permissions/patterns/pathPattern.ts';
import { toRoots } from '../../../src/permissions/patterns/roots.ts';
import { ELSEWHERE } from '../../../src/permissions/shell/acts.ts';
import { unite } from '../../../src/permissions/shell/folders.ts';

const base = mkdtempSync(path.join(tmpdir(), 'limits-'));
after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
const plain = path.join(base, 'plain');
writeFileSync(plain, 'x = 1\n');

const count = (length: number, toEach: (at: number) => string) =>
  Array.from({ length }, (_, at) => toEach(at));

function parse(pattern: string, workspace: readonly string[] = ['/w']) {
  const roots = toRoots({ workspace, adHoc: [], cwd: '/w' }, 'linux');
  const context = { roots, platform: 'linux', bases: ['/w'] } as const;
  return parsePathPattern(pattern, { ...context, reachesEverywhere: true, prefixes: true });
}

/** What still counts at its limit, and no longer above it. */
const LIMITS: readonly (readonly [
  what: string,
  limit: number,
  counts: (size: number) => boolean,
])[] = [
  [
    'alternatives of a glob of ripgrep',
    32,
    (size) => expandLists(`{${count(size, String)}}`).length === size,
  ],
  ['characters of a pattern', 4096, (size) => parse('a'.repeat(size)) !== undefined],
  ['alternatives of a pattern', 256, (size) => parse(`/w/{${count(size, String)}}`) !== undefined],
  [
    'workspace folders that a pattern starts at',
    256,
    (size) => {
      const folders = count(size, (at) => `/nonexistent/${at}`);
      return parse('{workspace}/x', folders) !== undefined;
    },
  ],
  [
    'stars beside a set of characters',
    3,
    (size) => parseSegment(`[ab]${'*x'.repeat(size)}`) !== undefined,
  ],
  [
    'folders that a command may run in',
    4,
    (size) =>
      !unite(
        ['/0'],
        count(size, (at) => `/${at}`),
      ).includes(ELSEWHERE),
  ],
  [
    'characters of an unsaved configuration',
    1024 * 1024,
    (size) => !holdsCredential(plain, 'a'.repeat(size)),
  ],
];

for (const [what, limit, counts] of LIMITS)
  test(`up to ${limit} ${what} count as they are`, () => {
    assert.ok(counts(limit - 1));
    assert.ok(counts(limit));
    assert.ok(!counts(limit + 1));
  });

test('a command of more folders than are followed keeps those that are known', () => {
  const four = count(4, (at) => `/${at}`);
  assert.deepEqual(unite(four, ['/4']), [...four, ELSEWHERE]);
  assert.equal(unite(four, four), four);
});
