import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ParseError, parse } from 'jsonc-parser';
import { addRules, removeRule, type SettingsRule } from '../../../src/settings/ruleStore.ts';

const RULE: SettingsRule = { permission: 'bash', pattern: 'new *', action: 'allow' };

const gap = fc.constantFrom(
  ...['', ' ', '\n', '\r\n', '\n  ', '\t', ' // c1\n', '/* c2 */', ' /* c3\n */ '],
  ...['\n\n    // c4 ]\n', '// c5 }\r\n'],
);
const value = fc.constantFrom(
  ...['7', '"x"', 'null', '{}', '[]'],
  '{"permission":"bash","pattern":"a // b","action":"deny"}',
  '{\n "permission": "fs.read", // c6\n "pattern": "**", "action": "ask", }',
);

function toBlock(open: string, close: string, child: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const children = fc.array(fc.tuple(gap, child, gap), { maxLength: 4 });
  return fc.tuple(children, fc.boolean(), gap).map(([all, hasTrailing, last]) => {
    const comma = hasTrailing && all.length > 0 ? ',' : '';
    return `${open}${all.map((each) => each.join('')).join(',')}${comma}${last}${close}`;
  });
}

const list = fc.oneof(toBlock('[', ']', value), fc.constant('null'));
const property = fc
  .oneof(
    fc.tuple(fc.constantFrom('a', 'editor.x'), value),
    fc.tuple(fc.constant('gatehouse.permissions'), list),
  )
  .chain(([name, own]) => fc.tuple(gap, gap).map(([a, b]) => `"${name}"${a}:${b}${own}`));
const file = fc.tuple(gap, toBlock('{', '}', property), gap).map((parts) => parts.join(''));

/** The rules that count, of a text that must have no error. */
function inForce(text: string): readonly unknown[] {
  const errors: ParseError[] = [];
  const { 'gatehouse.permissions': rules } = parse(text, errors, { allowTrailingComma: true });
  assert.deepEqual(errors, [], text);
  return Array.isArray(rules) ? rules : [];
}

const comments = (text: string) => text.match(/(?:\/\/|\/\*) c\d/g)?.sort();

test('in any settings file, rules are added and removed, and everything else stays', () => {
  fc.assert(
    fc.property(file, fc.integer({ min: 1, max: 3 }), (text, count) => {
      const rules = Array.from({ length: count }, (_, at) => ({ ...RULE, pattern: `new ${at}` }));
      const added = addRules(text, rules);
      assert.deepEqual(inForce(added), [...inForce(text), ...rules]);
      assert.deepEqual(comments(added), comments(text));
      const left = rules.reduce((before, rule) => removeRule(before, rule) ?? '', added);
      assert.deepEqual(inForce(left), inForce(text));
      assert.deepEqual(comments(left), comments(text));
    }),
    { numRuns: 500 },
  );
});
