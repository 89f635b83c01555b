import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadOrdinaryLines } from '../../../bench/promptRates.ts';
import { DEFAULT_RULES } from '../../../src/permissions/defaults/defaults.ts';
import type { Decision, Policy } from '../../../src/permissions/rules/policy.ts';
import type { Rule } from '../../../src/permissions/rules/rule.ts';
import { anyLine, line } from '../../fuzz/grammar.ts';
import { sizeOf } from '../../workbench/sizes.ts';
import { bashCall, evaluate, policyOf, rulesOf } from './ask.ts';

const SEED = 20_261_122;
const LINES = sizeOf(800, 3_000);

/** What is wrong with a reason that a user sees; undefined: it is a sentence or two. */
function findFault(reason: string, instead = ''): string | undefined {
  // A command that the user may run instead is whole, however long it is.
  const spoken = reason.replace(instead, '');
  if (spoken.length > 240) return `${spoken.length} characters`;
  if (/Can't determine|can't be determined/.test(reason)) return 'a clause';
  if (/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(reason))
    return 'a hidden character';
  const prose = reason.replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, 'X');
  if (prose.includes('`')) return 'an open backtick';
  if (!/^[A-Z]/.test(prose)) return 'no capital at the start';
  if (!/[^.]\.$/.test(prose)) return 'no full stop';
  if (/::|: \S*:|"|undefined|\(.*[A-Z].*\.\)/.test(prose.replaceAll('X', ''))) return 'odd signs';
  return undefined;
}

/** The faults of everything that a decision tells. */
function listFaults(decision: Decision, text: string): readonly string[] {
  const own = findFault(decision.reason, decision.instead);
  const faults = own === undefined ? [] : [`${own}: ${decision.reason} (${text})`];
  for (const { reason } of decision.details()) {
    const fault =
      decision.reason === reason ? undefined : findFault(reason, reason.match(RUN)?.[0]);
    if (fault !== undefined) faults.push(`${fault}: ${reason} (${text})`);
  }
  return faults;
}

/** The alternative of a part. */
const RUN = /(?<=, run )`[\s\S]*(?=\.$)/;

const OWN = rulesOf(
  'bash * allow',
  'fs.write out/** allow',
  '* **/.env deny',
  'fs.read secrets/** ask',
  'bash rm * ask',
  `bash npm run ${'a-long-script-name-'.repeat(20)} deny`,
  'fetch secret.example deny',
);

/** Two folders whose names are as long as they may be, and names with hidden characters. */
const LONG = [
  `cat ${'a'.repeat(300)}/\u202ex.ts`,
  `cat ${'$x'.repeat(200)}`,
  `echo \`${'x'.repeat(200)}\` > out/${'b'.repeat(200)}`,
  `${'c'.repeat(300)} $(rm -rf x)`,
  `grep -rn TODO src/${'../src/'.repeat(40)}`,
  `git checkout --${'d'.repeat(300)} main`,
  `curl http://${'e'.repeat(60)}.example/${'f'.repeat(300)}`,
  `npm run ${'a-long-script-name-'.repeat(20)}`,
  'git stash pop "`x"',
  '\u200bgit status',
  '\ud800',
  '',
  '  ',
  '``',
  '`',
];

async function check(rules: readonly Rule[], lines: readonly string[], more: Partial<Policy> = {}) {
  const policy = policyOf(rules, more);
  const faults: string[] = [];
  for (const each of lines)
    faults.push(...listFaults(await evaluate(bashCall(each), policy), each));
  assert.deepEqual(faults.slice(0, 20), []);
}

/** Every text of the adversarial corpus, also those that are no commands. */
function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listTexts);
}

function loadCorpus(): readonly string[] {
  const file = new URL('../../fixtures/adversarial.json', import.meta.url);
  return [...new Set(listTexts(JSON.parse(readFileSync(file, 'utf8'))))];
}

test('every reason of the corpora is a sentence, in every shell', async () => {
  const lines = [...LONG, ...loadOrdinaryLines().map(({ text }) => text), ...loadCorpus()];
  await check(OWN, lines, { shell: 'bash' });
  const some = lines.filter((_, at) => at % sizeOf(4, 1) === 0);
  for (const shell of ['pwsh', 'cmd'] as const) await check(OWN, some, { shell });
  await check(DEFAULT_RULES, lines);
});

test('every reason of generated lines is a sentence', async () => {
  const lines = fc.sample(fc.oneof(line, anyLine), { seed: SEED, numRuns: LINES });
  await check(OWN, lines);
});

test('every reason of an agent with capabilities is a sentence', async () => {
  const capabilities = { shell: [{ cmd: 'git' }], fs: { read: ['src/**'] } };
  const lines = [...LONG, ...loadOrdinaryLines().map(({ text }) => text)];
  await check(OWN, lines, { capabilities });
});

test('the check of sentences finds what is none', () => {
  const wrong = [
    "Can't determine what would run: x.",
    'no capital.',
    'No full stop',
    'An open `tick.',
    'A ␣ is fine, \u202e is not.',
    'Says "x" in quotes.',
    `${'Long '.repeat(60)}.`,
  ];
  for (const each of wrong) assert.notEqual(findFault(each), undefined, each);
  for (const each of ['`x` runs.', 'Two. Sentences `` a`b ``.'])
    assert.equal(findFault(each), undefined);
});
