import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'jsonc-parser';
import { toRecord } from '../../../src/base/json.ts';
import {
  addRule,
  addRules,
  findRuleOffset,
  hasMoreThanRules,
  readRules,
  removeRule,
  type SettingsRule,
} from '../../../src/settings/ruleStore.ts';
import { cpuTime } from '../cpuTime.ts';

const RULE: SettingsRule = { permission: 'bash', pattern: 'npm test', action: 'allow' };
const OWN = '{ "permission": "bash", "pattern": "rm *", "action": "deny" }';
const ADDED = `{
      "permission": "bash",
      "pattern": "npm test",
      "action": "allow"
    }`;

/** The rules that count, as VS Code and the host read them. */
function inForce(text: string, section: readonly string[] = []): unknown {
  const root: unknown = parse(text, [], { allowTrailingComma: true });
  const settings = section.reduce<unknown>((value, key) => toRecord(value)[key], root);
  return toRecord(settings)['gatehouse.permissions'];
}

test('a rule is added behind the comment of the rule before it, and no other line changes', () => {
  const list = (rules: string) => `{
  // mine
  "gatehouse.permissions": [
    // never
${rules}
    // the end
  ] // list
}
`;
  const check = (before: string, after: string) =>
    assert.equal(addRule(list(before), RULE), list(after));
  check(`    ${OWN}`, `    ${OWN},\n    ${ADDED}`);
  check(`    ${OWN} // why`, `    ${OWN}, // why\n    ${ADDED}`);
  check(`    ${OWN}, // why`, `    ${OWN}, // why\n    ${ADDED},`);
  check(`    ${OWN} /* why\n and how */`, `    ${OWN}, /* why\n and how */\n    ${ADDED}`);
  assert.equal(
    addRule('{\n  "gatehouse.permissions": [\n    // none yet\n  ]\n}\n', RULE),
    `{\n  "gatehouse.permissions": [\n    // none yet\n    ${ADDED}\n  ]\n}\n`,
  );
});

const LAYOUTS: readonly (readonly [name: string, text: string, section?: readonly string[]])[] = [
  ['an empty file', ''],
  ['only a comment', '// Place your settings here.\n'],
  ['an empty object', '{}'],
  ['a byte order mark', `\ufeff{\n  "a": 1\n}\n`],
  ['only a byte order mark', '\ufeff'],
  ['Windows lines', '{\r\n  "a": 1, // one\r\n}\r\n'],
  ['tabs', '{\n\t"gatehouse.permissions": [\n\t\t7\n\t]\n}\n'],
  ['one line', `{"gatehouse.permissions": [${OWN}], "a": 1}`],
  ['one line with comments', `{"gatehouse.permissions": [${OWN} /* why */ ], /* and */ "a": 1}`],
  ['trailing commas', `{\n  "gatehouse.permissions": [\n    ${OWN},\n  ],\n}\n`],
  ['an empty list', '{\n  "gatehouse.permissions": []\n}\n'],
  ['a list with comments only', '{ "gatehouse.permissions": [ /* none */ ] }'],
  ['a line comment in an empty list', '{ "gatehouse.permissions": [ // none\n ] }'],
  ['null', '{ "gatehouse.permissions": null }'],
  ['wrong entries', '{ "gatehouse.permissions": [null, 7, "x", [], { "action": {} }] }'],
  ['the list twice', `{\n  "gatehouse.permissions": [${OWN}],\n  "gatehouse.permissions": []\n}`],
  ['a list after something else', '{"gatehouse.permissions": 7, "gatehouse.permissions": [7]}'],
  ['a workspace file', '{ "folders": [] }', ['settings']],
  ['two parts of a workspace file', '{ "settings": {}, "settings": { "a": 1 } }', ['settings']],
];

for (const [name, text, section] of LAYOUTS) {
  test(`a rule becomes the last one in force and is removed again, in ${name}`, () => {
    const added = addRules(text, [RULE, { ...RULE, pattern: 'ls' }], section);
    const before = inForce(text, section);
    const known: readonly unknown[] = Array.isArray(before) ? before : [];
    assert.deepEqual(inForce(added, section), [...known, RULE, { ...RULE, pattern: 'ls' }]);
    assert.deepEqual(readRules(added, section).length, known.length + 2);
    assert.equal(added.startsWith('\ufeff'), text.startsWith('\ufeff'));
    const { exact, offset = 0 } = findRuleOffset(added, RULE, { section: section ?? [] }) ?? {};
    assert.deepEqual([exact, added.slice(offset, offset + 1)], [true, '{']);
    assert.ok(offset > added.lastIndexOf('"gatehouse.permissions"'), 'the list that counts');
    const removed = removeRule(added, RULE, section) ?? assert.fail();
    assert.deepEqual(inForce(removed, section), [...known, { ...RULE, pattern: 'ls' }]);
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? [])
      assert.ok(removed.includes(comment), comment);
  });
}

test('Undo leaves the file as it was, with the comments of all other rules', () => {
  for (const tail of ['', ' // why', ', // why', ',', '\n    // the end']) {
    const before = `{\n  "gatehouse.permissions": [\n    // first\n    ${OWN}${tail}\n  ]\n}\n`;
    assert.equal(removeRule(addRule(before, RULE), RULE), before);
  }
});

test('what is no list of rules, and may have been meant as a deny, is not overwritten', () => {
  for (const value of ['"x"', '7', OWN, '{}', 'true']) {
    const text = `{ "gatehouse.permissions": ${value} }`;
    assert.throws(() => addRule(text, RULE), /not saved: "gatehouse.permissions" .* no list/);
  }
  assert.throws(() => addRule('{ "settings": [] }', RULE, ['settings']), /not saved: .*"settings"/);
});

test('in a file with an error a rule is saved only where it counts, and nothing is lost', () => {
  for (const half of ['"a": ', '"a', '"a": [1, 2', '/* half', '"gatehouse.permissions": [', ']']) {
    const text = `{\n  "b": 4,\n  ${half}\n}\n`;
    let added: string;
    try {
      added = addRule(text, RULE);
    } catch (error) {
      assert.match(String(error), /has an error in line \d+\. Fix it and try again/, half);
      continue;
    }
    assert.deepEqual({ ...toRecord(readRules(added).at(-1)) }, RULE, half);
    for (const line of text.trim().split('\n')) assert.ok(added.includes(line.trim()), line);
  }
});

test('replacing the list as a whole would lose comments, or change one that does not count', () => {
  const check = (text: string, expected: boolean) => assert.equal(hasMoreThanRules(text), expected);
  check('', false);
  check(`// mine\n{ /* x */ "gatehouse.permissions": [${OWN}] }`, false);
  check(`{ "gatehouse.permissions": [ /* mine */ ${OWN}] }`, true);
  check(`{ "gatehouse.permissions": [], "gatehouse.permissions": [${OWN}] }`, true);
  check(`{ "gatehouse.permissions": ${OWN} }`, true);
  check('{ "gatehouse.permissions": null }', false);
});

test('a rule joins 10,000 others, and leaves them, without holding up the window', async () => {
  const others = Array.from({ length: 10_000 }, (_, at) => OWN.replace('rm *', `rm ${at}`));
  const text = `{\n  "gatehouse.permissions": [\n    ${others.join(',\n    ')}\n  ]\n}\n`;
  const parsing = await cpuTime(() => parse(text));
  const added = addRule(text, RULE);
  assert.equal(removeRule(added, RULE), text);
  const used = await cpuTime(() => removeRule(addRule(text, RULE), RULE));
  assert.ok(used < 25 * parsing + 50, `${used} ms, ${parsing} ms for parsing`);
});
