import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  filterSearch,
  type SearchAsked,
} from '../../../../src/permissions/evaluate/searchFilter.ts';
import type { Policy } from '../../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../../src/permissions/rules/policyCompiler.ts';
import type { Rule, RuleOrigin } from '../../../../src/permissions/rules/rule.ts';
import { policyOf, rulesOf, WORKSPACE } from '../ask.ts';

// What a search in an allowed folder leaves out: the files that a call about them alone would be denied.

const NAMES = [
  'a.ts',
  '.vscode/settings.json',
  'docs/b.md',
  'docs/key',
  'secrets/key',
  'secrets/o/c',
];
const SECRETS = ['secrets/key', 'secrets/o/c'];

interface Setup {
  /** On top of a blanket allow, unless `bare`. */
  readonly rules?: readonly string[];
  readonly bare?: true;
  /** More rules, as values. */
  readonly more?: readonly Rule[];
  readonly tool?: 'glob' | 'grep';
  readonly asked?: Partial<SearchAsked>;
  readonly policy?: Partial<Policy>;
  readonly folders?: Partial<Policy['folders']>;
  /** The names that are looked at; without this `NAMES`. */
  readonly names?: readonly string[];
}

function filterOf(setup: Setup) {
  const { rules = [], more = [], tool = 'glob' } = setup;
  const base = setup.bare === true ? [] : ['* * allow'];
  const policy = policyOf([...rulesOf(...base, ...rules), ...more], setup.policy);
  const folders = { ...policy.folders, ...setup.folders };
  return filterSearch(
    { tool, folder: WORKSPACE, showsAsked: true, ...setup.asked },
    createPolicyCompiler().compile({ ...policy, folders }),
  );
}

/** `undefined`: there is nothing to filter; else the names that are hidden. */
function check(promise: string, setup: Setup, expected: readonly string[] | undefined) {
  test(promise, () => {
    const filter = filterOf(setup);
    const { names = NAMES } = setup;
    assert.deepEqual(filter && names.filter((name) => !filter.shows(name)), expected);
  });
}

/** What `glob` and then `grep` hides. */
function checkBoth(
  promise: string,
  setup: Setup,
  globbed: readonly string[] | undefined,
  grepped = globbed,
) {
  check(`glob: ${promise}`, { ...setup, tool: 'glob' }, globbed);
  check(`grep: ${promise}`, { ...setup, tool: 'grep' }, grepped);
}

const QUIET = { showsAsked: false };
const HEADLESS = { headless: true };

// Denies.
checkBoth('an allow of everything hides nothing', {}, undefined);
checkBoth('an allow hides nothing where nobody is asked', { asked: QUIET }, undefined);
checkBoth('a deny of reading hides', { rules: ['fs.read secrets deny'] }, SECRETS);
checkBoth('a deny of all tools hides', { rules: ['* secrets/** deny'] }, SECRETS);
const noGlob = ['glob secrets deny'];
check('a deny of glob hides names', { rules: noGlob }, SECRETS);
check('a deny of glob hides no contents', { rules: noGlob, tool: 'grep' }, undefined);
checkBoth(
  'a deny of grep hides contents alone',
  { rules: ['grep secrets deny'] },
  undefined,
  SECRETS,
);
checkBoth(
  'a deny of read hides contents alone',
  { rules: ['read secrets deny'] },
  undefined,
  SECRETS,
);
checkBoth('a deny of writing hides nothing', { rules: ['fs.write secrets deny'] }, undefined);
checkBoth('a deny of another tool hides nothing', { rules: ['bash * deny'] }, undefined);
checkBoth('a deny elsewhere hides nothing', { rules: ['fs.read /elsewhere/** deny'] }, undefined);
checkBoth('a deny of a name hides it in every folder', { rules: ['fs.read **/key deny'] }, [
  'docs/key',
  'secrets/key',
]);
checkBoth('a deny of a name hides it right in the folder', { rules: ['fs.read a.ts deny'] }, [
  'a.ts',
]);
checkBoth(
  'a narrower allow shows again what a deny hides',
  { rules: ['fs.read secrets deny', 'fs.read secrets/o/** allow'] },
  ['secrets/key'],
);
checkBoth('two denies hide both', { rules: ['fs.read secrets deny', 'fs.read docs/key deny'] }, [
  'docs/key',
  ...SECRETS,
]);
checkBoth(
  'a deny hides by another case on macOS',
  { rules: ['fs.read SECRETS deny'], policy: { platform: 'darwin' } },
  SECRETS,
);
check(
  'neither read nor grep has a say over the names that glob lists',
  { rules: ['read * deny', 'grep * deny'] },
  undefined,
);

// Asks.
checkBoth('who said yes is shown what asks', { rules: ['fs.read secrets ask'] }, undefined);
checkBoth('who was not asked is not', { rules: ['fs.read secrets ask'], asked: QUIET }, SECRETS);
checkBoth(
  'who was asked by one rule is not shown what another asks about',
  {
    rules: ['fs.read secrets ask', 'fs.read docs/key ask'],
    asked: { showsAsked: ({ pattern }) => pattern === 'docs/key' },
  },
  SECRETS,
);
checkBoth(
  'who was asked is shown what no rule covers',
  {
    bare: true,
    rules: ['fs.read docs allow', 'fs.read secrets ask'],
    asked: { showsAsked: () => false },
  },
  SECRETS,
);
checkBoth(
  'where nobody is there what asks is hidden',
  { rules: ['fs.read secrets ask'], policy: HEADLESS },
  SECRETS,
);
checkBoth(
  'who said yes is never shown what is denied',
  { rules: ['fs.read docs ask', 'fs.read secrets deny'] },
  SECRETS,
);
checkBoth('who said yes is shown what no rule decides', { bare: true }, undefined);
checkBoth(
  'what no rule decides is hidden from who was not asked',
  { bare: true, asked: QUIET },
  NAMES,
);
checkBoth(
  'what no rule decides is hidden where nobody is there',
  { bare: true, policy: HEADLESS },
  NAMES,
);
checkBoth(
  'what an allow is about is shown where nobody is there',
  { bare: true, rules: ['fs.read docs allow'], policy: HEADLESS },
  ['a.ts', '.vscode/settings.json', ...SECRETS],
);
checkBoth(
  'an allow of the whole folder settles it where nobody is there',
  {
    bare: true,
    rules: ['fs.read none/** allow', 'fs.read {workspace}/** allow'],
    policy: HEADLESS,
  },
  undefined,
);
checkBoth(
  'an ask about everything hides everything from who was not asked',
  { bare: true, rules: ['fs.read * ask'], asked: QUIET },
  NAMES,
);
check(
  'an allow of another tool settles nothing',
  { bare: true, rules: ['read * allow'], asked: QUIET },
  NAMES,
);

// Rules that cannot be read.
const broken = (action: 'allow' | 'ask', pattern: string): Rule => {
  return { permission: 'fs.read', pattern, action, source: 'session', broken: true };
};
for (const action of ['allow', 'ask'] as const) {
  checkBoth(
    `a broken ${action} hides what it may be about where nobody is there`,
    { more: [broken(action, 'secrets')], policy: HEADLESS },
    SECRETS,
  );
  checkBoth(
    `a broken ${action} hides nothing from who said yes`,
    { more: [broken(action, 'secrets')] },
    undefined,
  );
}
checkBoth(
  'a broken allow of everything settles nothing',
  { bare: true, more: [broken('allow', '*')], asked: QUIET },
  NAMES,
);
checkBoth(
  'a deny of a pattern that cannot be read may be about any name, so it asks',
  { rules: ['fs.read {none}/x deny', 'fs.read docs deny'], asked: QUIET },
  NAMES,
);
checkBoth(
  'a deny of a pattern that cannot be read hides nothing else from who said yes',
  { rules: ['fs.read {none}/x deny', 'fs.read secrets deny'] },
  SECRETS,
);

// Capabilities.
const within = (...read: readonly string[]) => ({ capabilities: { fs: { read } } });
checkBoth(
  'a capability set of the folder hides nothing',
  { policy: within('{workspace}/**') },
  undefined,
);
checkBoth(
  'a capability set below the folder hides what lies beside it',
  { policy: within('{workspace}/docs/**', '{workspace}/*.ts') },
  ['.vscode/settings.json', ...SECRETS],
);
checkBoth(
  'a capability set without files hides every file',
  { policy: { capabilities: {} } },
  NAMES,
);
checkBoth(
  'a rule denies inside a capability set too',
  { rules: ['fs.read docs/key deny'], policy: within('{workspace}/docs/**') },
  NAMES.filter((name) => name !== 'docs/b.md'),
);
checkBoth(
  'a file whose writing always asks is read as any other where nobody is there',
  { policy: { ...within('{workspace}/.vscode/**'), ...HEADLESS } },
  NAMES.filter((name) => name !== '.vscode/settings.json'),
);

// The state of the host.
const state = `${WORKSPACE}/docs`;
checkBoth('the state below the folder is hidden', { folders: { state } }, [
  'docs/b.md',
  'docs/key',
]);
checkBoth(
  'the state around the folder hides all of it',
  { folders: { state }, asked: { folder: `${state}/o` }, names: ['a', 'b/c'] },
  ['a', 'b/c'],
);
checkBoth(
  'the state hides itself by another case on Windows',
  { folders: { state: state.toUpperCase() }, policy: { platform: 'win32' } },
  ['docs/b.md', 'docs/key'],
);
checkBoth('a state elsewhere hides nothing', { folders: { state: `${WORKSPACE}2` } }, undefined);
checkBoth(
  'the sidecars of the session are shown out of the state',
  {
    bare: true,
    asked: QUIET,
    folders: { state, sidecars: `${state}/o` },
    names: ['docs/o/x', 'docs/x'],
  },
  ['docs/x'],
);

// The folder that is searched.
checkBoth(
  'a deny is held against names below the root of the disk',
  { rules: ['fs.read /etc/x deny'], asked: { folder: '/' }, names: ['etc/x', 'etc/y', 'x'] },
  ['etc/x'],
);
checkBoth(
  'a deny of a file right below the root of the disk hides it',
  { rules: ['fs.read /x deny'], asked: { folder: '/' }, names: ['etc/x', 'x'] },
  ['x'],
);
checkBoth(
  'a capability set is held against names below the root of the disk',
  { policy: within('/etc/**'), asked: { folder: '/' }, names: ['etc/x', 'x'] },
  ['x'],
);
checkBoth(
  'a deny of another folder hides nothing of this one',
  { rules: ['fs.read secrets deny'], asked: { folder: `${WORKSPACE}/docs` }, names: ['key'] },
  undefined,
);
checkBoth(
  'a deny of the folder itself hides all of it',
  {
    rules: ['fs.read secrets deny'],
    asked: { folder: `${WORKSPACE}/secrets` },
    names: ['key', 'o/c'],
  },
  ['key', 'o/c'],
);

// Whose rules are at work.
function own(promise: string, setup: Setup, expected: boolean | undefined) {
  test(promise, () => assert.equal(filterOf(setup)?.own, expected));
}

const from = (layer: RuleOrigin['layer'], ...lines: readonly string[]): readonly Rule[] =>
  rulesOf(...lines).map((rule, index) => ({ ...rule, origin: { layer, index } }));
const shipped = from('default', 'fs.read **/key deny');

own('shipped rules alone are not worth a word', { more: shipped }, false);
own('a rule of the user is', { more: from('user', 'fs.read secrets deny') }, true);
own('a rule of no known origin is', { rules: ['fs.read secrets deny'] }, true);
own(
  'a rule of the user beside a shipped one is',
  { more: [...shipped, ...from('user', 'fs.read secrets deny')] },
  true,
);
own(
  'a rule of the user about another folder is not',
  { more: [...shipped, ...from('user', 'fs.read /elsewhere/** deny')] },
  false,
);
own(
  'a capability set is worth a word beside shipped rules',
  { more: shipped, policy: within('{workspace}/docs/**') },
  true,
);
own(
  'the state of the host is worth a word beside shipped rules',
  { more: shipped, folders: { state } },
  true,
);
own('where nothing is hidden there is nothing to say', {}, undefined);
