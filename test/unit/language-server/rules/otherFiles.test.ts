import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { MOST_OTHERS, parseRuleWindow } from '../../../../src/base/tools/ruleWindow.ts';
import { createOpenRules } from '../../../../src/language-server/rules/openRules.ts';
import { findOtherRules } from '../../../../src/language-server/rules/otherFiles.ts';
import { hoverRule } from '../../../../src/language-server/rules/ruleHover.ts';
import { toSettings } from './settings.ts';

const WORKSPACE = 'file:///w/.vscode/settings.json';
const USER = 'file:///home/u/.config/Code/User/settings.json';
const ALLOW = { permission: 'bash', pattern: 'rm *', action: 'allow' };

/** What an open file with this rule says while the window has these rules elsewhere. */
function diagnose(uri: string, rule: object, ...others: readonly object[]): readonly string[] {
  const open = createOpenRules(() => ({ version: 1, getText: () => toSettings([rule]) }));
  open.setWindow(parseRuleWindow({ others }));
  const found = open.diagnostics(uri) ?? [];
  return found.map(({ severity, message }) => `${severity}: ${message}`);
}

const user = (fields: object) => ({
  ...{ ...ALLOW, layer: 'user', file: '/home/u/.config/Code/User/settings.json' },
  ...fields,
});
const workspace = (fields: object) => ({
  ...{ ...ALLOW, layer: 'workspace', file: '/w/.vscode/settings.json' },
  ...fields,
});

test('a rule of the workspace that one of the user overrules says so', () => {
  assert.deepEqual(diagnose(WORKSPACE, ALLOW, user({ action: 'deny' })), [
    'warning: This rule has no effect: a rule in the user settings decides "deny" for `bash rm *`.',
  ]);
  assert.equal(diagnose(WORKSPACE, ALLOW, user({ action: 'ask' })).length, 1, 'the stricter');
});

test('a rule of the user that the workspace overrules has no effect there only', () => {
  for (const uri of [USER, 'vscode-userdata:/User/settings.json'])
    assert.deepEqual(diagnose(uri, ALLOW, workspace({ action: 'deny' })), [
      'information: This rule has no effect in this workspace: a rule in .vscode/settings.json decides "deny" for `bash rm *`.',
    ]);
  const file = '/w/team.code-workspace';
  const [found = ''] = diagnose(USER, ALLOW, workspace({ action: 'deny', file }));
  assert.match(found, /: a rule in the workspace file decides/);
});

const SILENT: readonly (readonly [string, object, object])[] = [
  ['the same rule', ALLOW, user({})],
  ['a wider rule', ALLOW, user({ pattern: '*', action: 'deny' })],
  ['a narrower rule', ALLOW, user({ pattern: 'rm a', action: 'deny' })],
  ['another tool', ALLOW, user({ permission: 'read', action: 'deny' })],
  ['an older ask', { ...ALLOW, added_at: 9 }, user({ action: 'ask', added_at: 3 })],
  ['a rule that loses', { ...ALLOW, action: 'deny' }, user({ action: 'allow' })],
  ['a rule that can’t be read', ALLOW, user({ action: 'Deny' })],
  ['another file of a workspace', ALLOW, workspace({ action: 'deny', file: '/x/settings.json' })],
  ['the file itself', ALLOW, workspace({ action: 'deny' })],
];

for (const [name, rule, other] of SILENT) {
  test(`nothing is said of ${name}`, () => {
    assert.deepEqual(diagnose(WORKSPACE, rule, other), []);
  });
}

test('the hover lists rules of other files with their file', () => {
  const text = toSettings([ALLOW]);
  const open = createOpenRules(() => ({ version: 1, getText: () => text }));
  const others = ['rm -r *', 'rm *'].map((pattern) => user({ pattern, action: 'deny' }));
  const window = parseRuleWindow({ others });
  const document = open.get(WORKSPACE);
  assert.ok(document);
  const shown = TextDocument.create(WORKSPACE, 'jsonc', 1, text);
  const position = shown.positionAt(text.indexOf('"rm'));
  const hover = hoverRule(document, shown, position, findOtherRules(WORKSPACE, window));
  for (const pattern of ['rm -r', 'rm'])
    assert.ok(JSON.stringify(hover).includes(`\`deny bash ${pattern} *\` (the user settings)`));
});

test('a long list of other rules is cut, and each is compiled once', () => {
  const others = Array.from({ length: MOST_OTHERS + 5 }, (_, index) =>
    user({ pattern: `rm ${index}`, action: 'deny' }),
  );
  const window = parseRuleWindow({ others });
  assert.equal(window.others.length, MOST_OTHERS);
  const [first] = findOtherRules(WORKSPACE, window);
  assert.equal(findOtherRules(WORKSPACE, window)[0]?.compiled, first?.compiled);
});
