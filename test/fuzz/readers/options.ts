import type { CommandRow } from '../../../src/permissions/defaults/defaultCommands.ts';
import { VALUES } from '../../defaults/rowValues.ts';
import { makeName, makeWord, pick, quote, type Random } from './words.ts';

/** Options of a row with a pattern or a list of names. */
const PATTERNS =
  /^(?:--(?:in|ex)clude|--exclude-dir|--i?glob|-[gIPxE]|-i?(?:name|path|wholename|regex)|-i?lname|--match)$/;

/** Words for values, whatever the option means. */
const VALUE_WORDS: readonly string[] = [
  ...[
    '1',
    '2',
    '0',
    'x',
    'name',
    'always',
    'never',
    'auto',
    'full',
    'short',
    '%n',
    '%H',
    '%p\\n',
    'recurse',
    'skip',
    'read',
  ],
  ...[
    '+1',
    '-1',
    '1,2',
    '1,1',
    ',',
    ':',
    'all',
    'HEAD',
    'main',
    'iso',
    'log',
    'diff',
    '',
    'a',
    'f',
    'l',
    'd',
    'ts',
    'txt',
  ],
];

/** Options that the row doesn't list, which should therefore ask. */
const OTHERS: readonly string[] = [
  ...[
    '-o x',
    '-w',
    '-i',
    '-f list',
    '-R',
    '-L',
    '--files0-from=list0',
    '--files0-from list0',
    '-T list',
    '-X list',
    '-C src',
  ],
  ...[
    '--output=x',
    '--exclude-from=list',
    '--from-file=.env',
    '--to-file=secret/key.txt',
    '--follow',
    '-f.env',
    '-H',
    '-l',
  ],
  ...[
    '--no-index',
    '--ext-diff',
    '--textconv',
    '--file=.env',
    '-Ssecret',
    '--files-from=list',
    '--pre=cat',
    '--ignore-file=.env',
  ],
];

/** Programs that go on until they are ended. */
const FOLLOWING = /^(?:-[fF]|--follow=)$/;

/** An option that the row lets through, in one of the forms that programs read alike. */
export function makeOption([pattern, flags]: CommandRow, random: Random): string {
  if (random() < 0.02) return pick(OTHERS, random);
  const listed = flags
    .split(/\s+/)
    .filter(
      (flag) =>
        flag.startsWith('-') && flag !== '--' && !(pattern === 'tail' && FOLLOWING.test(flag)),
    );
  const flag = pick(listed, random);
  if (flag === '-#') return pick(['-1', '-3', '-12'], random);
  const name = flag.replace(/[:=]$/, '');
  if (flag.endsWith(':')) {
    const value = makeValue(pattern, name, random);
    return `${name}${pick([' ', ' ', ''], random)}${value}`;
  }
  if (flag.endsWith('=')) return makeLong(pattern, name, random);
  if (/^--\w{4}/.test(name) && random() < 0.15) return name.slice(0, -1 - Math.floor(random() * 3));
  if (pattern === 'find' && VALUES[`find ${name}`] !== undefined)
    return `${name} ${makeValue(pattern, name, random)}`;
  if (/^-\w$/.test(name) && random() < 0.3)
    return (
      name +
      pick(
        listed.filter((each) => /^-\w$/.test(each)),
        random,
      ).slice(1)
    );
  return /^--arg/.test(name) ? `${name} n ${makeValue(pattern, name, random)}` : name;
}

function makeLong(pattern: string, name: string, random: Random): string {
  if (random() < 0.25) return name;
  const short = random() < 0.15 ? name.slice(0, Math.max(5, name.length - 3)) : name;
  return `${short}${pick(['=', '=', '=', ' '], random)}${makeValue(pattern, name, random)}`;
}

function makeValue(pattern: string, name: string, random: Random): string {
  const program = pattern
    .split(' ')
    .slice(0, pattern.startsWith('git ') ? 2 : 1)
    .join(' ');
  const known = VALUES[`${program} ${name}`] ?? VALUES[name];
  const chance = random();
  if (PATTERNS.test(name) && chance < 0.85) return makeName(random);
  if (known !== undefined && chance < 0.55) return known;
  if (chance < 0.8) return quote(pick(VALUE_WORDS, random), random);
  return chance < 0.9 ? makeName(random) : makeWord(random);
}
