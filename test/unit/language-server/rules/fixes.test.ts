import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refactorAt } from '../../../../src/language-server/rules/fixes.ts';
import { apply, diagnose, readSettings, toSettings } from './settings.ts';

const GOOD = { permission: 'bash', pattern: 'npm test', action: 'allow' };

/** The rules that a fix is offered for, its title, and the rules after it. */
const ROWS: readonly (readonly [rules: unknown, title: string, fixed: unknown])[] = [
  [[{ ...GOOD, permission: 'bsh' }], 'Replace with "bash"', [GOOD]],
  [[{ ...GOOD, permission: 'ba sh' }], 'Replace with "bash"', [GOOD]],
  [
    [{ ...GOOD, permission: 'mcp:gh' }],
    'Replace with "mcp:gh:*"',
    [{ ...GOOD, permission: 'mcp:gh:*' }],
  ],
  [[{ ...GOOD, action: 'Allow' }], 'Replace with "allow"', [GOOD]],
  [[{ ...GOOD, action: 'block' }], 'Replace with "deny"', [{ ...GOOD, action: 'deny' }]],
  [[{ ...GOOD, action: 5 }], 'Replace with "ask"', [{ ...GOOD, action: 'ask' }]],
  [
    [{ permission: 'bash', pattern: 'ls' }],
    'Add "action": "ask"',
    [{ permission: 'bash', pattern: 'ls', action: 'ask' }],
  ],
  [
    [{ permission: 'bash', patern: 'ls', action: 'ask' }],
    'Rename to "pattern"',
    [{ permission: 'bash', pattern: 'ls', action: 'ask' }],
  ],
  [[{ ...GOOD, comment: 'x' }], 'Remove the field', [GOOD]],
  [[{ ...GOOD, added_at: 'now' }], 'Remove "added_at"', [GOOD]],
  [
    [{ ...GOOD, pattern: 'a && b | c' }],
    'Split into 3 rules',
    [
      { ...GOOD, pattern: 'a' },
      { ...GOOD, pattern: 'b' },
      { ...GOOD, pattern: 'c' },
    ],
  ],
  [[{ ...GOOD, pattern: 'CI=1 npm test' }], 'Replace with "npm test"', [GOOD]],
  [[{ ...GOOD, pattern: 'npm test > out' }], 'Replace with "npm test"', [GOOD]],
  [
    [{ ...GOOD, permission: 'read', pattern: '"a b"' }],
    'Replace with "a b"',
    [{ ...GOOD, permission: 'read', pattern: 'a b' }],
  ],
  [
    [{ ...GOOD, permission: 'read', pattern: '$HOME/x' }],
    'Replace with "~/x"',
    [{ ...GOOD, permission: 'read', pattern: '~/x' }],
  ],
  [
    [{ ...GOOD, permission: 'read', pattern: '${workspaceFolder}/x' }],
    'Replace with "{workspace}/x"',
    [{ ...GOOD, permission: 'read', pattern: '{workspace}/x' }],
  ],
  [
    [{ ...GOOD, permission: 'read', pattern: '{worksapce}/x' }],
    'Replace with "{workspace}/x"',
    [{ ...GOOD, permission: 'read', pattern: '{workspace}/x' }],
  ],
  [
    [{ ...GOOD, permission: 'web_fetch', pattern: 'https://a.example:8080/x?y' }],
    'Replace with "a.example:8080"',
    [{ ...GOOD, permission: 'web_fetch', pattern: 'a.example:8080' }],
  ],
  [[GOOD, GOOD], 'Remove this rule', [GOOD]],
  [[GOOD, { ...GOOD, action: 'deny' }], 'Remove this rule', [{ ...GOOD, action: 'deny' }]],
  [GOOD, 'Put the rule into a list', [GOOD]],
];

for (const [rules, title, fixed] of ROWS) {
  test(`"${title}" turns ${JSON.stringify(rules)} into ${JSON.stringify(fixed)}`, () => {
    const text = toSettings(rules);
    const fixes = diagnose(text).flatMap(({ fixes: own = [] }) => own);
    const fix = fixes.find((each) => each.title === title);
    assert.ok(fix, fixes.map((each) => each.title).join(', '));
    assert.deepEqual(apply(text, fix).rules, fixed);
  });
}

test('a fix that allows something is preferred only if the rule says so', () => {
  const titles = (action: unknown) =>
    diagnose(toSettings([{ ...GOOD, action }])).flatMap(({ fixes = [] }) =>
      fixes.map(({ title, preferred }) => `${title}${preferred ? '!' : ''}`),
    );
  const [ask, deny, allow] = ['ask', 'deny', 'allow'].map((each) => `Replace with "${each}"`);
  assert.deepEqual(titles('nothing'), [ask, deny, allow]);
  assert.deepEqual(titles('permit'), [`${allow}!`, ask, deny]);
  assert.deepEqual(titles(['allow']), [ask, deny, allow]);
});

test('a name alone can be made to match in every folder', () => {
  const offered = (permission: string, pattern: string) => {
    const text = toSettings([{ permission, pattern, action: 'deny' }]);
    const { entries } = readSettings(text);
    return refactorAt(readSettings(text), entries[0]?.node.offset ?? 0).map((fix) => {
      return (apply(text, fix).rules as { pattern: string }[])[0]?.pattern;
    });
  };
  assert.deepEqual(offered('fs.read', '.env'), ['**/.env']);
  assert.deepEqual(offered('read', '*.pem'), ['**/*.pem']);
  for (const other of ['src/a', '**/.env', '~', '*', '{workspace}', '/x'])
    assert.deepEqual(offered('read', other), [], other);
  assert.deepEqual(offered('bash', 'ls'), []);
});
