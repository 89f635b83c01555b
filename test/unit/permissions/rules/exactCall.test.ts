import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findExactRule,
  isExactRule,
  offerExact,
} from '../../../../src/permissions/rules/exactCall.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';

/** The pattern that a deny of exactly these arguments has. */
function patternOf(input: unknown, inputText?: string): string | undefined {
  const [offer] = offerExact({ tool: 'mcp', input, inputText, title: 'Run' }, () => true).deny;
  return offer?.session?.rule.pattern;
}

function ruleOf(action: 'allow' | 'deny', pattern: string, permission = 'call:mcp'): Rule {
  return { permission, pattern, action, source: 'session' };
}

for (const [input, pattern] of [
  [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
  [{ a: [{ d: 1, c: 2 }, 'x'] }, '{"a":[{"c":2,"d":1},"x"]}'],
  [[2, 1], '[2,1]'],
  [undefined, 'null'],
  [null, 'null'],
  ['x', '"x"'],
  [true, 'true'],
  [1.5, '1.5'],
  [-7, '-7'],
  [Number.MAX_SAFE_INTEGER, '9007199254740991'],
  [2 ** 53, '9007199254740992'],
  [{ a: 1, b: [1e300, 2] }, '{"a":1,"b":[1e+300,2]}'],
] as const) {
  test(`a call with ${JSON.stringify(input)} is stored as ${pattern}`, () => {
    assert.equal(patternOf(input), pattern);
  });
}

test('numbers that JSON cannot hold are told apart from null, texts and each other', () => {
  const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, null, 'NaN'];
  assert.equal(new Set(values.map((value) => patternOf({ a: value }))).size, values.length);
});

test('calls whose numbers are written in another way are told apart, whatever else is', () => {
  const written = (text: string) => patternOf(JSON.parse(text), text);
  assert.equal(written('{ "b": [1.5, -7], "a": "1.0" }'), '{"a":"1.0","b":[1.5,-7]}');
  const same = ['{"n":9007199254740993,"a":1}', '{ "a": 1, "n": 9007199254740993 }'];
  assert.equal(new Set(same.map(written)).size, 1);
  const texts = ['1', '1.0', '1e0', '-0', '0', '0.1', '0.10000000000000000001', '"1.0"', '"n1.0"'];
  const more = ['9007199254740992', '9007199254740993', '1e400', '1e500', '{"n":1}', '{"sn":1}'];
  assert.equal(new Set([...texts, ...more].map(written)).size, texts.length + more.length);
  assert.equal(written('{"n":9007199254740992}'), patternOf({ n: 2 ** 53 }));
});

test('an allow is for the tool of the workspace that was asked about, a deny for each of its name', () => {
  const offer = (identity?: string) =>
    offerExact({ tool: 'mcp', input: {}, identity, title: 'Run' }, () => true);
  const rules = (identity?: string) => {
    const { allow, deny } = offer(identity);
    return [...allow, ...deny].flatMap(({ session }): Rule[] =>
      session === undefined ? [] : [{ ...session.rule, source: 'session' }],
    );
  };
  for (const own of ['server a', 'server b', undefined])
    for (const now of ['server a', 'server b', undefined]) {
      const [allow, deny] = rules(own);
      assert.ok(allow && deny);
      const given = { input: {}, identity: now };
      assert.equal(findExactRule([allow], 'mcp', given), own === now ? allow : undefined);
      assert.equal(findExactRule([allow, deny], 'mcp', given), deny);
    }
});

test('long arguments are stored as their hash, which differs where they do', () => {
  assert.equal(patternOf('x'.repeat(198)), `"${'x'.repeat(198)}"`);
  const [long = '', other] = [patternOf('x'.repeat(199)), patternOf(`${'x'.repeat(198)}y`)];
  assert.match(long, /^sha256:[0-9a-f]{64}$/);
  assert.notEqual(long, other);
});

test('an allow is offered only where it has an effect, a deny always', () => {
  const call = { tool: 'mcp', input: {}, title: 'Run' };
  const offer = (action: 'allow' | 'deny') => {
    const own = { rule: { permission: 'call:mcp', pattern: '{}', action }, alsoMatches: [] };
    return { permission: 'call:mcp', target: 'Run', patterns: [own], session: own };
  };
  assert.deepEqual(
    offerExact(call, () => true),
    { allow: [offer('allow')], deny: [offer('deny')] },
  );
  assert.deepEqual(
    offerExact(call, () => false),
    { allow: [], deny: [offer('deny')] },
  );
});

test('the rule of exactly one call is found, a deny before an allow', () => {
  const [allow, deny] = [ruleOf('allow', '{"a":1}'), ruleOf('deny', '{"a":1}')];
  const others = [
    ruleOf('allow', '{"a":2}'),
    ruleOf('allow', '{"a":1}', 'call:other'),
    ruleOf('allow', '{"a":1}', 'mcp'),
  ];
  assert.equal(findExactRule([...others, allow], 'mcp', { input: { a: 1 } }), allow);
  assert.equal(findExactRule([allow, ...others, deny], 'mcp', { input: { a: 1 } }), deny);
  assert.equal(findExactRule(others, 'mcp', { input: { a: 1 } }), undefined);
  assert.equal(findExactRule([{ ...allow, action: 'ask' }], 'mcp', { input: { a: 1 } }), undefined);
  assert.equal(findExactRule([], 'mcp', { input: { a: 1 } }), undefined);
});

test('a rule is about one exact call by its permission, unless it is broken', () => {
  assert.equal(isExactRule({ permission: 'call:mcp' }), true);
  assert.equal(isExactRule({ permission: 'call:mcp', broken: true }), false);
  assert.equal(isExactRule({ permission: 'mcp' }), false);
  assert.equal(isExactRule({ permission: 'a:call:' }), false);
});
