import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLAUSES } from '../vectors/clauses.ts';
import {
  findMisplaced,
  findUntested,
  findVectorTests,
  makeTable,
  readTable,
} from '../vectors/vectors.ts';

test('every vector has a test that is named after it', () => {
  assert.deepEqual(findUntested(), []);
});

test('a test that names a vector names one of the specifications', () => {
  const unknown = [...findVectorTests().keys()].filter((id) => !Object.hasOwn(CLAUSES, id));
  assert.deepEqual(unknown, []);
});

test("a vector stands at the beginning of its test's name", () => {
  assert.deepEqual(findMisplaced(), []);
});

test('the table of vectors is current: node test/vectors/vectors.ts --write', () => {
  assert.equal(readTable(), makeTable());
});
