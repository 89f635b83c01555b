import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import type { Policy } from '../../../../../src/permissions/rules/policy.ts';
import { LAUNCHERS } from '../../../../../src/permissions/shell/programs/launcherTable.ts';
import { PROGRAMS } from '../../../../../src/permissions/shell/programs/tables/programTable.ts';
import { FILE, listSpelled, type Spelled } from '../../../../fuzz/spellings.ts';
import { isLong, sizeOf } from '../../../../workbench/sizes.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../../ask.ts';

const ROOT = plantWorkspace(['src/f', 'src/g', 'out/a', 'secrets/a', 'sub/.env', 'package.json']);
const BASE = policyOf([], { folders: { workspace: [ROOT], adHoc: [], cwd: ROOT } });
const INSIDE = ['fs.read {workspace}/** allow', 'fs.write {workspace}/** allow'];

/** Rules beside one that allows the program with anything, and what they are about. */
const CASES = {
  'shipped rules': { file: 'src/g', rules: undefined },
  'a deny of a folder': { file: 'secrets/a', rules: ['fs.* ** allow', 'fs.* secrets/** deny'] },
  'a deny of the folder itself': {
    file: './secrets',
    rules: ['fs.* ** allow', 'fs.* secrets/** deny'],
  },
  'a deny of a name': { file: 'sub/.env', rules: ['fs.* ** allow', 'fs.* **/.env deny'] },
  'an operand outside': { file: '../x', rules: ['fs.* ** ask', ...INSIDE] },
  'an ask': { file: 'secrets/a', rules: ['fs.* ** allow', 'fs.* secrets/** ask'] },
  'a denied host': {
    file: 'http://a.example/x',
    rules: ['fs.* ** allow', 'web_fetch a.example deny'],
  },
} as const;
type Case = keyof typeof CASES;
const NAMES = Object.keys(CASES) as readonly Case[];

/** Options that one spelling says more of than another. */
const UNEQUAL: ReadonlySet<string> = new Set([
  // Only `--include=GLOB` certainly leaves out what it doesn't match.
  'rgrep include',
  // They take no next word: it is an operand, which the suffix is added to.
  'perl i',
  'ruby i',
  // Letters of the attached text are taken for options, too.
  'wget e',
]);

const ORDER = { allow: 0, ask: 1, deny: 2, refuse: 3 } as const;
const SPELLED = listSpelled();
const policies = new Map<string, Policy>();

function getPolicy(program: string, name: Case): Policy {
  const { rules } = CASES[name];
  if (rules === undefined) return { ...BASE, rules: DEFAULT_RULES };
  const key = `${program} ${name}`;
  const known = policies.get(key);
  if (known !== undefined) return known;
  const policy = { ...BASE, rules: rulesOf(`bash ${program} * allow`, ...rules) };
  policies.set(key, policy);
  return policy;
}

/** The lines that are decided otherwise than the one that spells the option apart. */
async function findMisses(
  spelled: Spelled,
  name: Case,
  lines: readonly string[],
): Promise<readonly string[]> {
  const policy = getPolicy(spelled.program, name);
  const decideLine = async (line: string) => {
    const call = bashCall(line.replaceAll(FILE, CASES[name].file));
    return (await evaluate(call, policy)).decision;
  };
  const wanted = await decideLine(spelled.apart);
  const misses: string[] = [];
  for (const line of lines) {
    const got = await decideLine(line);
    const looser = spelled.kind === 'unknown' ? got === 'allow' : ORDER[got] < ORDER[wanted];
    const missed = isExact(spelled, name) ? got !== wanted : looser && got !== wanted;
    if (missed) misses.push(`${name}: ${spelled.apart} is ${wanted}, ${line} is ${got}`);
  }
  return misses;
}

/** What can't be told may ask, and a shipped row allows only what it spells. */
function isExact({ program, option, kind }: Spelled, name: Case): boolean {
  if (name === 'shipped rules' || kind === 'unknown') return false;
  return !Object.hasOwn(LAUNCHERS, program) && !UNEQUAL.has(`${program} ${option}`);
}

const isCompared = ({ kind, operands, program, option }: Spelled) =>
  !(kind === 'unknown' && operands === 'text') && `${program} ${option}` !== 'rgrep include';
const COMPARED = SPELLED.filter(isCompared);
/** Those with a value that may be a file, which come first. */
const FILES = COMPARED.filter(
  ({ apart, kind }) => kind !== 'unknown' && apart.includes(` ${FILE} src/f`),
);

test('every spelling of every option that may name a file is decided as the separate one', async () => {
  const misses: string[] = [];
  for (const spelled of isLong() ? COMPARED : FILES) {
    const lines = isLong() ? [...spelled.others, ...spelled.placed] : spelled.others;
    for (const name of isLong() ? NAMES : (['a deny of a folder'] as const))
      misses.push(...(await findMisses(spelled, name, lines)));
  }
  assert.deepEqual(misses, []);
});

test('so is any option under other rules, repeated, and behind the operands', async () => {
  const each = fc.constantFrom(...COMPARED);
  await fc.assert(
    fc.asyncProperty(each, fc.constantFrom(...NAMES), async (spelled, name) => {
      assert.deepEqual(await findMisses(spelled, name, [...spelled.others, ...spelled.placed]), []);
    }),
    { seed: 10, numRuns: sizeOf(200, 4_000) },
  );
});

test('no row of the tables is left out', () => {
  const walked = new Set(SPELLED.map(({ apart }) => apart.replace(/ -.*/, '')));
  const left = Object.keys(PROGRAMS).filter((name) => !walked.has(name.replace(/ -.*/, '')));
  assert.deepEqual(left, []);
  assert.ok(SPELLED.length > 2_000, `${SPELLED.length} options`);
});
