import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDuplicateName } from '../../../../src/base/tools/duplicateName.ts';

test('a name that an object has twice is found, however it is written', () => {
  assert.equal(findDuplicateName('{"a":1,"a":2}'), 'a');
  assert.equal(findDuplicateName('{"a":1,"\\u0061":2}'), 'a');
  assert.equal(findDuplicateName('[{"b":{"c":[1],"d":{},"c":2}}]'), 'c');
  assert.equal(findDuplicateName('{"__proto__":1,"__proto__":1}'), '__proto__');
});

test('the same text in other places is no duplicate', () => {
  assert.equal(findDuplicateName('{"a":{"a":["a","a",{"a":"a"}]},"b":"{,\\"a\\":"}'), undefined);
  assert.equal(findDuplicateName('["a","a"]'), undefined);
  assert.equal(findDuplicateName('12'), undefined);
});

test('strings of 10 MB are read, whatever they are made of', () => {
  for (const unit of ['x', '"', '\\', '\n', '{"a":1,']) {
    const long = JSON.stringify(unit.repeat(10_000_000 / unit.length));
    assert.equal(findDuplicateName(`{"a":${long},"b":${long}}`), undefined, unit);
    assert.equal(findDuplicateName(`{"a":${long},"a":1}`), 'a', unit);
  }
});
