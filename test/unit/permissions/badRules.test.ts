import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRules } from '../../../src/permissions/rules/parseRules.ts';
import { checkCalls } from './lines.ts';

// Decision 8: a bad rule is reported with its position; it can turn an allow into ask, never a deny.

const ANY = { permission: 'bash', pattern: '*', action: 'allow' };
const bash = (rule: object) => ({ permission: 'bash', pattern: 'rm *', action: 'deny', ...rule });

checkCalls('bash', [
  ['rm x', [bash({ action: 'Deny' }), ANY], 'ask'],
  ['ls x', [bash({ action: 'Deny' }), ANY], 'allow'],
  ['rm x', [bash({ action: 'Deny' }), bash({}), ANY], 'deny'],
  ['rm x', [bash({ action: undefined }), ANY], 'ask'],
  ['rm x', [bash({ action: ['deny'] }), ANY], 'ask'],
  ['ls x', [bash({ permission: undefined, pattern: 'ls *' }), ANY], 'ask'],
  ['ls x', [bash({ permission: 'ba sh', pattern: 'ls *' }), ANY], 'ask'],
  ['ls x', [bash({ permission: ['bash'], pattern: 'ls *' }), ANY], 'ask'],
  ['ls x', [bash({ permission: '', pattern: 'ls *' }), ANY], 'ask'],
  ['ls x', [bash({ pattern: '' }), ANY], 'ask'],
  ['ls x', [bash({ pattern: '  ' }), ANY], 'ask'],
  ['ls x', [bash({ pattern: '""' }), ANY], 'ask'],
  ['ls x', [bash({ pattern: "rm 'x" }), ANY], 'ask'],
  ['ls x', [bash({ pattern: ['rm'] }), ANY], 'ask'],
  ['ls x', [bash({ pattern: `rm ${'a'.repeat(5000)}` }), ANY], 'allow'],
  ['rm x', [bash({ source: 'user' }), ANY], 'ask'],
  ['rm x', [bash({ added_at: 'now' }), ANY], 'ask'],
  ['rm x', [bash({ added_at: Number.MAX_VALUE }), ANY], 'deny'],
  ['ls', [null, ANY], 'ask'],
  ['ls', [5, ANY], 'ask'],
  ['ls', [{ permission: 'bash', pattern: 'ls', action: 'ALLOW' }], 'ask'],
  ['ls', [{ permission: 'Bash', pattern: 'ls', action: 'allow' }], 'ask'],
  ['ls', [{ permission: 'bsah', pattern: '*', action: 'deny' }, ANY], 'allow'],
  // A rule about files that cannot be read binds the commands that read them.
  ['cat a', [{ permission: 'fs.read', pattern: 'a', action: 'Deny' }, ANY], 'ask'],
  ['cat b', [{ permission: 'fs.read', pattern: 'a', action: 'Deny' }, ANY], 'allow'],
  ['cat b', ['fs.read {nowhere}/x deny', ANY], 'ask'],
  ['ls', ['fs.read {nowhere}/x deny', ANY], 'allow'],
]);

checkCalls('read', [
  ['a', ['read {nowhere}/** deny', 'read ** allow'], 'ask'],
  ['a', ['fs.* {nowhere}/** deny', 'read ** allow'], 'ask'],
  ['a', ['* {nowhere}/** deny', 'read ** allow'], 'ask'],
  ['a', ['read **/../x deny', 'read ** allow'], 'ask'],
  ['a', [`read ${'{a,b}'.repeat(9)} deny`, 'read ** allow'], 'ask'],
  ['a', ['read {nowhere}/** deny', 'read a deny'], 'deny'],
]);

checkCalls('web_fetch', [
  ['https://evil.example/', ['web_fetch https://evil.example/ deny', 'web_fetch * allow'], 'ask'],
  ['https://evil.example/', ['net.fetch evil.example/x deny', 'web_fetch * allow'], 'ask'],
  ['https://evil.example/', ['net.fetch ev*.example deny', 'web_fetch * allow'], 'ask'],
  ['https://evil.example/', ['web_fetch https://evil.example/ allow'], 'ask'],
  ['https://evil.example/', ['web_fetch a/b deny', 'web_fetch evil.example deny'], 'deny'],
  // Rules about everything may have patterns of another kind.
  ['https://a.example/', ['* secrets/** deny', 'fs.read a/b deny', 'web_fetch * allow'], 'allow'],
]);

// What needs no rule to be allowed is an allow too.
const TODO = { items: [] };
checkCalls('todo', [
  [TODO, [], 'allow'],
  [TODO, [], 'allow', { headless: true, capabilities: {} }],
  [TODO, [{ permission: 'todo', pattern: '*', action: 'Deny' }], 'ask'],
  [TODO, [{ permission: 'bash', pattern: '*', action: 'Deny' }], 'allow'],
  [TODO, ['todo * deny'], 'deny'],
  [TODO, ['* * ask'], 'deny', { headless: true }],
]);

const QUESTION = { questions: [{ question: 'Proceed?' }] };
checkCalls('question', [
  [QUESTION, [], 'allow'],
  [QUESTION, ['question * deny'], 'deny'],
  [QUESTION, ['question * allow'], 'error', { headless: true }],
  [{ questions: [] }, [], 'error'],
]);

test('each fault of a rule is reported with its position, its field and what to write', () => {
  const good = { permission: 'bash', pattern: 'ls', action: 'allow' };
  const found = (rule: unknown) =>
    parseRules([good, rule]).problems.map(({ index, field, message }) => {
      assert.ok(message.length > 10);
      return `${index} ${field}`;
    });
  const faults: readonly (readonly [object, string])[] = [
    [{ ...good, permission: 'a b' }, '1 permission'],
    [{ ...good, pattern: ' ' }, '1 pattern'],
    [{ ...good, pattern: "''" }, '1 pattern'],
    [{ ...good, pattern: 'a\0' }, '1 pattern'],
    [{ ...good, pattern: 'x'.repeat(4097) }, '1 pattern'],
    [{ ...good, action: 'no' }, '1 action'],
    [{ ...good, source: 'user' }, '1 source'],
    [{ ...good, added_at: '1' }, '1 added_at'],
    [{ ...good, permission: 'web_fetch', pattern: 'https://a.example' }, '1 pattern'],
    [{ ...good, permission: 'net.fetch', pattern: 'a.example/x' }, '1 pattern'],
    [{ ...good, permission: 'read', pattern: '{x}/a' }, '1 pattern'],
    [{ ...good, permission: 'fs.*', pattern: '{x}/a' }, '1 pattern'],
    [{ ...good, permission: 'write', pattern: '**/../a' }, '1 pattern'],
    [{ ...good, permission: 'edit', pattern: '{a,b}'.repeat(9) }, '1 pattern'],
  ];
  assert.deepEqual(
    faults.map(([rule]) => found(rule)),
    faults.map(([, expected]) => [expected]),
  );
  const sound = [
    { ...good, pattern: 'x'.repeat(4096) },
    { ...good, permission: 'web_fetch', pattern: '*.example:8080' },
    { ...good, permission: 'net.fetch', pattern: '[::1]:80' },
    { ...good, permission: '*', pattern: '{x}/a' },
    { ...good, permission: 'read', pattern: '{workspace}/{a,b}/~/*' },
    { ...good, added_at: 5, source: 'manifest' },
  ];
  assert.deepEqual(parseRules(sound).problems, []);
});
