import { makeWord, pick, quote, type Random, warp } from './words.ts';

const REVISIONS: readonly string[] = [
  ...[
    'HEAD',
    'HEAD',
    'HEAD~1',
    'HEAD^',
    '@',
    'v1',
    'main',
    'other',
    'HEAD~2',
    'HEAD^{tree}',
    'HEAD^{}',
    ':/new',
    'HEAD^{/old}',
  ],
  ...[
    'HEAD~1..HEAD',
    'v1...main',
    'HEAD^!',
    'HEAD^@',
    '--all',
    '--branches',
    'main@{0}',
    'refs/heads/main',
    '-1',
    '$(git rev-parse HEAD)',
  ],
];
const TARGETS: readonly string[] = [
  ...[
    'a.txt',
    'a.txt',
    'plain',
    'plain/a.txt',
    'plain/sub',
    'src/main.ts',
    '.env',
    'secret',
    'secret/key.txt',
    'src',
    'src/.env',
  ],
  ...[
    'old',
    'old/.env',
    'moved.txt',
    'moved2.txt',
    'envlink',
    'linked',
    '',
    '.',
    'b c.txt',
    '[ab].txt',
    '{a,b}.txt',
    'x\\y.txt',
    '-r',
  ],
];
const MAGIC: readonly string[] = [
  ...[
    ':(glob)',
    ':(icase)',
    ':(literal)',
    ':(top)',
    ':/',
    ':!',
    ':^',
    ':(exclude)',
    ':(attr:x)',
    ':(top,glob)',
    ':(exclude,icase)',
    ':',
    ':(prefix:1)',
  ],
];
const WAYS: readonly string[] = [
  'X',
  'X',
  'X',
  './X',
  'plain/../X',
  '../work/X',
  'X/',
  '**/X',
  'src/../X',
  './/X',
  'src/up/X',
  'X*',
  '*X',
];

/** An object: a commit, or a file or folder of one. */
export function makeObject(random: Random): string {
  const chance = random();
  if (chance < 0.4) return quote(pick(REVISIONS, random), random);
  const file = pick(WAYS, random).replace('X', pick(TARGETS, random));
  const at = pick([...REVISIONS.slice(0, 12), '', ':0', ':', 'HEAD:plain'], random);
  return quote(`${at}:${chance < 0.5 ? warp(file, random) : file}`, random);
}

/** A pathspec: a name, a pattern, or one with magic. */
export function makePathspec(random: Random): string {
  const chance = random();
  if (chance < 0.15) return makeWord(random);
  const target = pick(WAYS, random).replace('X', pick(TARGETS, random));
  const named = chance < 0.45 ? warp(target, random) : target;
  return quote(random() < 0.4 ? pick(MAGIC, random) + named : named, random);
}

/** Operands of a git command. */
export function makeGitOperands(sub: string, random: Random): string {
  const count = (most: number) => Math.floor(random() * (most + 1));
  const specs = Array.from({ length: count(2) + (random() < 0.5 ? 1 : 0) }, () =>
    makePathspec(random),
  );
  const objects = Array.from({ length: count(1) + (random() < 0.15 ? 1 : 0) }, () =>
    makeObject(random),
  );
  const end = random() < 0.6 ? ['--'] : [];
  if (/^(?:show|cat-file|rev-parse|ls-tree|diff-tree)$/.test(sub))
    return [
      ...(objects.length > 0 ? objects : [makeObject(random)]),
      ...(random() < 0.5 && sub !== 'cat-file' ? [...end, ...specs] : []),
    ].join(' ');
  if (sub === 'grep') return ['x', ...(random() < 0.2 ? objects : []), ...end, ...specs].join(' ');
  return [...objects, ...end, ...specs].join(' ');
}
