import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseSnapshot } from '../../../../src/acp/gatehouse/configure.ts';
import { readConfiguration } from '../../../../src/extension/host/configuration.ts';
import { toConfiguration } from '../../../../src/host/config/configuration.ts';
import { toSources } from '../../../../src/host/config/snapshot.ts';
import { diagnose, toSettings } from './settings.ts';

const acceptances = {
  accept: () => undefined,
  has: () => true,
  keptRules: () => [],
  keepRules: () => undefined,
  stamp: () => '',
};

/** The configuration of a host whose client has this value in its user settings. */
function configure(value: unknown) {
  const inspected = { key: 'gatehouse.permissions', globalValue: value };
  const configuration = {
    get: () => undefined,
    has: () => true,
    inspect: (key: string) => (key === 'permissions' ? inspected : undefined) as never,
    update: () => Promise.resolve(),
  };
  const snapshot = readConfiguration({
    workspace: {
      getConfiguration: () => configuration,
      workspaceFolders: undefined,
      workspaceFile: undefined,
      isTrusted: true,
    },
    tabGroups: { all: [] },
    appRoot: '/nonexistent',
    userSettings: '/nonexistent/settings.json',
  });
  const sent: unknown = JSON.parse(JSON.stringify(snapshot));
  return toConfiguration(toSources(parseSnapshot(sent, '')), acceptances, {});
}

function countErrors(value: unknown): number {
  return diagnose(toSettings(value)).filter(({ severity }) => severity === 'error').length;
}

const GOOD = { permission: 'bash', pattern: 'ls', action: 'allow' };

/** What may stand in a settings file, and how many problems it is. */
const ROWS: readonly (readonly [value: unknown, problems: number])[] = [
  [[], 0],
  [[GOOD], 0],
  [[{}], 1],
  [[{}, 7, 'bash ls', null], 4],
  [[{ permission: 'bash' }, { pattern: 'ls' }, { action: 'allow' }, { x: 1 }], 4],
  [
    [
      { ...GOOD, action: 'Allow' },
      { ...GOOD, pattern: 5 },
    ],
    2,
  ],
  [[{ permission: 'b b', pattern: '', action: 'no' }], 3],
  [GOOD, 1],
  [{}, 1],
  ['deny everything', 1],
  [5, 1],
  [false, 1],
];

for (const [value, problems] of ROWS) {
  test(`${JSON.stringify(value)} is ${problems} problems for the host, as in the editor`, () => {
    assert.deepEqual([configure(value).problems.length, countErrors(value)], [problems, problems]);
  });
}

test('what can’t be read is a broken rule of its own in the host, never nothing', () => {
  const entry = fc.oneof(fc.constant(GOOD), fc.jsonValue({ maxDepth: 2 }));
  fc.assert(
    fc.property(fc.oneof(fc.array(entry), entry), (value) => {
      const { rules, problems } = configure(value);
      assert.equal(problems.length, value === null ? 0 : countErrors(value));
      const read = Array.isArray(value) ? value.length : value === null ? 0 : 1;
      assert.equal(rules.length, read);
      if (problems.length > 0) assert.ok(rules.some(({ broken }) => broken === true));
    }),
    { numRuns: 300, seed: 14 },
  );
});

test('a field that is nested deeply can be sent, and stays invalid', () => {
  let deep: unknown = 'deny';
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  const { rules, problems } = configure([
    { ...GOOD, added_at: deep },
    { ...GOOD, action: deep },
  ]);
  assert.deepEqual([rules.map(({ broken }) => broken), problems.length], [[true, true], 2]);
});
