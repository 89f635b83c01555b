import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from './ask.ts';

/** A rule beside `bash * allow`. */
export function check(rule: string, command: string, expected: string) {
  test(`${rule}: ${command} is ${expected}`, async () => {
    const { decision, reason } = await evaluateBash(command, ['bash * allow', rule]);
    assert.equal(decision, expected, reason);
  });
}

/** Patterns that an allow spells out, with ` && ` between them: what runs or writes must stand there (C8). */
export function spelled(patterns: string, command: string, expected: string) {
  test(`${patterns} makes ${command} ${expected}`, async () => {
    const rules = patterns.split(' && ').map((each) => `bash ${each} allow`);
    const { decision, reason } = await evaluateBash(command, rules);
    assert.equal(decision, expected, reason);
  });
}
