import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRuleDocument } from '../../../../src/language-server/rules/ruleDocument.ts';
import { diagnose, toSettings, URI } from './settings.ts';

const GOOD = { permission: 'bash', pattern: 'npm test', action: 'allow' };

/** Rules in one list, and for each diagnostic its severity, the text it marks, and its message. */
type Row = readonly [rules: unknown, ...found: (readonly [string, string | undefined, RegExp])[]];

const BROKEN: readonly Row[] = [
  // VC-35: an unknown action or a missing field.
  [[{ ...GOOD, action: 'permit' }], ['error', '"permit"', /"allow", "ask" or "deny"/]],
  [[{ ...GOOD, action: 'Allow' }], ['error', '"Allow"', /"allow", "ask" or "deny"/]],
  [[{ ...GOOD, action: null }], ['error', 'null', /"allow", "ask" or "deny"/]],
  [[{ ...GOOD, action: ['deny'] }], ['error', '[\n      "deny"\n    ]', /not a list/]],
  [[{ permission: 'bash', pattern: 'ls' }], ['error', undefined, /^"action" is missing/]],
  [[{ pattern: 'ls', action: 'deny' }], ['error', undefined, /^"permission" is missing/]],
  [[{ permission: 'bash', action: 'deny' }], ['error', undefined, /^"pattern" is missing/]],
  [[{}], ['error', '{}', /^"permission", "pattern", "action" are missing/]],
  // Wrong types at every level.
  [7, ['error', '7', /must be an array/]],
  ['bash ls', ['error', '"bash ls"', /must be an array/]],
  [true, ['error', 'true', /must be an array/]],
  [{}, ['error', '{}', /must be an array/]],
  [[7], ['error', '7', /must be an object/]],
  [[null], ['error', 'null', /must be an object/]],
  [['bash(ls)'], ['error', '"bash(ls)"', /must be an object/]],
  [[[]], ['error', '[]', /must be an object/]],
  [[{ ...GOOD, permission: 5 }], ['error', '5', /must be a tool ID/]],
  [[{ ...GOOD, permission: '' }], ['error', '""', /must be a tool ID/]],
  [[{ ...GOOD, permission: 'Bash(npm test:*)' }], ['error', '"Bash(npm test:*)"', /tool ID/]],
  [[{ ...GOOD, pattern: ['rm'] }], ['error', '[\n      "rm"\n    ]', /non-empty string/]],
  [[{ ...GOOD, pattern: '  ' }], ['error', '"  "', /non-empty string/]],
  [[{ ...GOOD, pattern: '""' }], ['error', '"\\"\\""', /not a valid command/]],
  [[{ ...GOOD, pattern: "rm 'x" }], ['error', `"rm 'x"`, /a quote is not closed/]],
  [[{ ...GOOD, pattern: 'a\0' }], ['error', '"a\\u0000"', /NUL/]],
  [[{ ...GOOD, added_at: 'now' }], ['error', '"now"', /must be a number/]],
  [[{ ...GOOD, added_at: null }], ['error', 'null', /must be a number/]],
  [[{ ...GOOD, permission: 'a b' }], ['error', '"a b"', /must be a tool ID/]],
  [
    [{ ...GOOD, pattern: 'x'.repeat(4097) }],
    ['error', `"${'x'.repeat(4097)}"`, /longer than 4096 characters/],
  ],
  // Patterns that are not of the permission's kind.
  [
    [{ ...GOOD, permission: 'edit', pattern: '{a,b}'.repeat(9) }],
    ['error', `"${'{a,b}'.repeat(9)}"`, /not a valid glob/],
  ],
  [[{ ...GOOD, permission: 'fs.*', pattern: '{x}/a' }], ['error', '"{x}/a"', /Unknown variable/]],
  [
    [{ ...GOOD, permission: 'read', pattern: '{nowhere}/**' }],
    ['error', '"{nowhere}/**"', /Unknown variable/],
  ],
  [
    [{ ...GOOD, permission: 'fs.write', pattern: '**/../x' }],
    ['error', '"**/../x"', /not a valid glob/],
  ],
  [
    [{ ...GOOD, permission: 'web_fetch', pattern: 'https://a.example/' }],
    ['error', '"https://a.example/"', /not a valid host/],
  ],
  [
    [{ ...GOOD, permission: 'net.fetch', pattern: 'a.example/x' }],
    ['error', '"a.example/x"', /not a valid host/],
  ],
];

const WITHOUT_EFFECT: readonly Row[] = [
  [
    [{ ...GOOD, permission: 'bsh' }],
    ['warning', '"bsh"', /Unknown tool "bsh".*Did you mean "bash"\?/],
  ],
  [[{ ...GOOD, permission: 'Bash' }], ['warning', '"Bash"', /Did you mean "bash"\?/]],
  [[{ ...GOOD, permission: 'WebFetch' }], ['warning', '"WebFetch"', /Did you mean "web_fetch"\?/]],
  [
    [{ ...GOOD, permission: 'fs.raed' }],
    ['warning', '"fs.raed"', /capability.*Did you mean "fs.read"\?/],
  ],
  [
    [{ ...GOOD, permission: 'frobnicate' }],
    ['warning', '"frobnicate"', /Unknown tool "frobnicate", so the rule has no effect\.$/],
  ],
  [[{ ...GOOD, permission: 'z*' }], ['warning', '"z*"', /No tool or capability matches/]],
  [[{ ...GOOD, permission: 'mcp:gh' }], ['warning', '"mcp:gh"', /Did you mean "mcp:gh:\*"\?/]],
  [
    [{ ...GOOD, pattern: 'npm test && npm run lint' }],
    ['warning', '"npm test && npm run lint"', /"&&" separates commands/],
  ],
  [[{ ...GOOD, pattern: 'cat a | sort' }], ['warning', '"cat a | sort"', /"\|" separates/]],
  [[{ ...GOOD, pattern: 'ls;' }], ['warning', '"ls;"', /";" separates/]],
  [
    [{ ...GOOD, pattern: 'npm test > out' }],
    ['warning', '"npm test > out"', /"> out" is a redirection/],
  ],
  [[{ ...GOOD, pattern: 'npm test 2>&1' }], ['warning', '"npm test 2>&1"', /redirection/]],
  [[{ ...GOOD, pattern: 'CI=1 npm test' }], ['warning', '"CI=1 npm test"', /variables/]],
  [
    [{ ...GOOD, permission: 'edit', pattern: '../x/**' }],
    ['warning', '"../x/**"', /stays inside the workspace/],
  ],
  [[{ ...GOOD, permission: 'read', pattern: "'a b'" }], ['warning', `"'a b'"`, /quotes/]],
  [[{ ...GOOD, permission: 'read', pattern: '$HOME/x' }], ['warning', '"$HOME/x"', /Use ~/]],
  [
    [{ ...GOOD, permission: 'read', pattern: 'file:///x' }],
    ['warning', '"file:///x"', /not a URL/],
  ],
  [[{ ...GOOD, permission: 'read', pattern: 'a ' }], ['warning', '"a "', /Spaces/]],
  [
    [{ ...GOOD, permission: 'web_fetch', pattern: 'a.example:99999' }],
    ['warning', '"a.example:99999"', /99999 is not a port/],
  ],
  // Equal rules, of which one decides.
  [
    [GOOD, GOOD],
    ['information', undefined, /line 4 is the same rule/],
  ],
  [
    [GOOD, { ...GOOD, pattern: 'npm  test *' }],
    ['information', undefined, /line 4 is the same rule/],
  ],
  [
    [GOOD, { ...GOOD, action: 'deny' }],
    ['warning', undefined, /line 9 decides "deny" for `bash npm test`/],
  ],
  [
    [
      { ...GOOD, added_at: 2 },
      { ...GOOD, action: 'ask', added_at: 1 },
    ],
    ['warning', undefined, /line 4 decides "allow"/],
  ],
  // Fields that nobody reads.
  [[{ ...GOOD, source: 'session' }], ['warning', '"source"', /no effect here/]],
  [
    [{ ...GOOD, comment: 'mine' }],
    ['warning', '"comment"', /^Unknown field "comment", which is ignored\.$/],
  ],
  [
    [{ permission: 'bash', patern: 'ls', action: 'ask' }],
    ['error', undefined, /"pattern" is missing/],
    ['warning', '"patern"', /Did you mean "pattern"\?/],
  ],
];

for (const [rules, ...expected] of [...BROKEN, ...WITHOUT_EFFECT]) {
  test(`the diagnostics of ${JSON.stringify(rules)} are at their fields`, () => {
    const text = toSettings(rules);
    const found = diagnose(text);
    assert.deepEqual(
      found.map(({ severity }) => severity),
      expected.map(([severity]) => severity),
    );
    for (const [at, [, marked, message]] of expected.entries()) {
      const { offset = 0, length = 0, message: said = '' } = found[at] ?? {};
      if (marked !== undefined) assert.equal(text.slice(offset, offset + length), marked);
      assert.match(said, message);
    }
  });
}

test('an invalid rule says that it is treated as "ask"', () => {
  const hints = BROKEN.flatMap(([rules]) => diagnose(toSettings(rules)).map(({ hint }) => hint));
  assert.ok(hints.length >= BROKEN.length);
  for (const hint of hints) assert.match(hint ?? '', /treated as "ask"/);
});

const SOUND: readonly unknown[] = [
  [],
  null,
  [GOOD],
  [GOOD, { ...GOOD, pattern: 'npm *', action: 'ask' }, { ...GOOD, pattern: 'npm test -u' }],
  [{ ...GOOD, permission: 'workspace_fmt', pattern: '*' }],
  [{ ...GOOD, permission: 'mcp:gh:*', pattern: '*' }],
  [{ ...GOOD, permission: 'mcp:*', pattern: '*' }],
  [{ ...GOOD, permission: 'apply_patch', pattern: '*' }],
  [{ ...GOOD, permission: 'copy', pattern: 'bash *', action: 'ask' }],
  [{ ...GOOD, permission: 'fs.*', pattern: '{workspace}/**' }],
  [{ ...GOOD, permission: '*', pattern: '**' }],
  [{ ...GOOD, pattern: "grep 'a|b' *" }],
  [{ ...GOOD, pattern: 'awk "$1 > 2" *' }],
  [{ ...GOOD, pattern: 'git log --format=%h' }],
  [{ ...GOOD, permission: 'read', pattern: '../x', action: 'deny' }],
  [{ ...GOOD, permission: 'read', pattern: '/etc/hosts' }],
  [{ ...GOOD, permission: 'read', pattern: '~/notes' }],
  [{ ...GOOD, permission: 'web_fetch', pattern: '*.example:8080' }],
  [GOOD, { ...GOOD, permission: 'shell.run' }],
  [
    { ...GOOD, permission: 'read', pattern: '**.env', action: 'deny' },
    { ...GOOD, permission: 'read', pattern: './**.env', action: 'deny' },
  ],
];

for (const rules of SOUND) {
  test(`${JSON.stringify(rules)} has no diagnostics`, () => {
    assert.deepEqual(diagnose(toSettings(rules)), []);
  });
}

test('tools of the window are known', () => {
  const rules = [{ ...GOOD, permission: 'clock', pattern: '*' }];
  assert.equal(diagnose(toSettings(rules)).length, 1);
  assert.deepEqual(diagnose(toSettings(rules), ['clock']), []);
});

test('comments, trailing commas and an unfinished file keep the positions', () => {
  const text = `{
  /* "gatehouse.permissions": 1 */
  "gatehouse.permissions": [ // mine
    {"permission": "bash", /* p */ "pattern": "ls", "action": "permit",},
    {"permission": "bsh", "pattern": "ls", "action": "ask"},
    {"permission": "bash", "pattern": 5`;
  const found = diagnose(text).map(({ offset, length }) => text.slice(offset, offset + length));
  assert.deepEqual(
    found.toSorted(),
    ['"bsh"', '"permit"', '5', '{"permission": "bash", "pattern": 5'].toSorted(),
  );
});

test('a list that a later one replaces is an error, and so is a file nested too deeply', () => {
  const text =
    '{"gatehouse.permissions": [{"permission": "bash", "pattern": "rm", "action": "deny"}],\n"gatehouse.permissions": []}';
  const [lost, ...others] = diagnose(text);
  assert.match(lost?.message ?? '', /line 2 replaces them/);
  assert.deepEqual([lost?.severity, lost?.offset, others.length], ['error', 26, 0]);
  const deep = `{"gatehouse.permissions": ${'['.repeat(100_000)}`;
  assert.match(diagnose(deep)[0]?.message ?? '', /nested too deeply/);
});

test('of a repeated field the last one counts, and its diagnostic is there', () => {
  const text =
    '{"gatehouse.permissions": [{"permission": "bash", "pattern": "ls", "action": "deny", "action": "no"}]}';
  const [found] = diagnose(text);
  assert.equal(text.slice(found?.offset, (found?.offset ?? 0) + (found?.length ?? 0)), '"no"');
});

test('a workspace file nests its rules, and other files have none', () => {
  const nested = `{"settings": ${toSettings([7])}}`;
  const read = readRuleDocument('file:///w/x.code-workspace', nested);
  assert.equal(read?.entries.length, 1);
  assert.equal(readRuleDocument('file:///w/settings.json', toSettings([7])), undefined);
  assert.equal(readRuleDocument(URI, '{"editor.fontSize": 4}'), undefined);
  assert.equal(
    readRuleDocument('vscode-userdata:/x/User/settings.json', toSettings([7]))?.entries.length,
    1,
  );
});
