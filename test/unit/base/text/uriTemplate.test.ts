import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillTemplate, readVariables } from '../../../../src/base/text/uriTemplate.ts';

const VALUES = new Map([
  ['var', 'value'],
  ['hello', 'Hello World!'],
  ['path', '/foo/bar'],
  ['x', '1024'],
  ['y', '768'],
]);

// The examples of RFC 6570.
for (const [template, expected] of [
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World!'],
  ['{+hello}', 'Hello%20World!'],
  ['{+path}/here', '/foo/bar/here'],
  ['here?ref={path}', 'here?ref=%2Ffoo%2Fbar'],
  ['X{#var}', 'X#value'],
  ['map?{x,y}', 'map?1024,768'],
  ['X{.x,y}', 'X.1024.768'],
  ['{/var,x}/here', '/value/1024/here'],
  ['{;x,y}', ';x=1024;y=768'],
  ['{?x,y}', '?x=1024&y=768'],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['demo://a/{undef}', 'demo://a/'],
  ['demo://a{?undef}', 'demo://a'],
  ['{constructor}{__proto__}', ''],
] as const) {
  test(`issue 18: the address of a template: ${template}`, () => {
    assert.equal(fillTemplate(template, VALUES), expected);
  });
}

test('issue 18: the variables of a template, each once; what cannot be filled in is none', () => {
  assert.deepEqual(readVariables('a://{b}/{c,d}{?b,e*}'), ['b', 'c', 'd', 'e']);
  for (const bad of ['a://b', 'a://{b', 'a://b}', 'a://{}', 'a://{b{c}}', 'a://{b c}', '{=x}']) {
    assert.equal(readVariables(bad), undefined, bad);
  }
});

test('half of a character in a value does not fail', () => {
  assert.equal(fillTemplate('{a}', new Map([['a', '\ud800']])), '%EF%BF%BD');
});
