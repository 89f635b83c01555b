import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Source, SubjectResult } from '../../../src/permissions/decide/subjectResult.ts';
import { findCandidates } from '../../../src/permissions/evaluate/candidates.ts';
import { policyOf, rulesOf, WORKSPACE } from './ask.ts';

/** Verdicts come as values here, so that each limit is met exactly, whatever a line would yield. */
function offers(...results: readonly SubjectResult[]): readonly string[][] {
  const found = findCandidates(results, policyOf([]), () => true);
  return found.map(({ rules }) => rules.map(({ pattern }) => pattern));
}

test('what asks about up to 64 things is offered as a whole, and what asks about more not at all', () => {
  const asking = (count: number) =>
    Array.from({ length: count }, (_, index) => asked(`x${index}`, { kind: 'text' }));
  const [narrowest] = offers(...asking(64));
  assert.equal(narrowest?.length, 64);
  assert.deepEqual(offers(...asking(65)), []);
});

test('up to eight commands of a line are offered by their program too, and more by their words alone', () => {
  const asking = (count: number) =>
    Array.from({ length: count }, (_, index) => command(`p${index} a`));
  const widest = (count: number) => offers(...asking(count)).at(-1)?.[0];
  assert.equal(widest(8), 'p0 *');
  assert.equal(widest(9), 'p0 a');
});

test('nothing is offered where a part can never be stored, or nothing asks', () => {
  const text = asked('{}', { kind: 'text' });
  const rule = { ...rulesOf('own_tool * ask')[0], broken: true } as const;
  const broken = { ...text, subject: { ...text.subject, rule } } as SubjectResult;
  const allowed: SubjectResult = { ...text, subject: { ...text.subject, decision: 'allow' } };
  assert.deepEqual(offers(text), [['{}'], ['*']]);
  assert.deepEqual(offers(text, allowed), [['{}'], ['*']]);
  assert.deepEqual(offers(text, asked('doubt')), []);
  assert.deepEqual(offers(asked('doubt')), []);
  assert.deepEqual(offers(broken), []);
  assert.deepEqual(offers(text, broken), []);
  assert.deepEqual(offers(allowed), []);
  assert.deepEqual(offers(), []);
});

test('a rule that is whole and asks is no hindrance', () => {
  const text = asked('{}', { kind: 'text' });
  const [rule] = rulesOf('own_tool * ask');
  assert.ok(rule);
  assert.deepEqual(offers({ ...text, subject: { ...text.subject, rule } }), [['{}'], ['*']]);
});

test('a host is offered as a whole only when nothing behind it must be spelled out', () => {
  const line = 'curl https://a.example/x -o y';
  const site = 'curl https://a.example/*';
  const widest = (risky: readonly number[]) => offers(command(line, [1], risky)).at(-1)?.[0];
  assert.equal(widest([]), site);
  assert.equal(widest([1]), site);
  assert.equal(widest([2]), 'curl https://a.example/x -o *');
  assert.equal(widest([3]), line);
});

test('a program that starts others is offered by its very words, though they end with a host', () => {
  const line = './curl https://a.example/x';
  assert.deepEqual(offers(command(line, [1])), [[line]]);
  assert.deepEqual(offers(command('curl https://a.example/x', [1])).at(-1), [
    'curl https://a.example/*',
  ]);
});

test('a host without a path is offered by the word itself', () => {
  assert.deepEqual(offers(command('curl https://a.example', [1])), [['curl https://a.example']]);
});

test('a protected file is offered to be read and never to be written', () => {
  const path = `${WORKSPACE}/.envrc`;
  const reads = offers(asked(path, { kind: 'path', writes: false, path }));
  assert.deepEqual(reads[0], ['{workspace}/.envrc']);
  assert.deepEqual(offers(asked(path, { kind: 'path', writes: true, path })), []);
});

test('a file is not said to reach what lies below it, a folder is', () => {
  const path = `${WORKSPACE}/src`;
  const shown = (folder: object) => {
    const verdict = asked(path, { kind: 'path', writes: false, path, ...folder });
    return findCandidates([verdict], policyOf([]), () => true)[0]?.alsoMatches;
  };
  assert.deepEqual(shown({}), []);
  assert.deepEqual(shown({ folder: false }), []);
  assert.deepEqual(shown({ folder: true }), ['src/any/file']);
});

test('arguments are offered as themselves only when a rule can hold them as themselves', () => {
  const of = (target: string) => offers(asked(target, { kind: 'text' })).flat();
  assert.deepEqual(of('x'), ['x', '*']);
  assert.deepEqual(of('x'.repeat(4096)), ['x'.repeat(4096), '*']);
  for (const target of ['x'.repeat(4097), '', ' ', 'a*', 'a\0'])
    assert.deepEqual(of(target), ['*'], target.slice(0, 8));
});

function asked(target: string, source?: Source): SubjectResult {
  const subject = { permission: 'own_tool', target, decision: 'ask' } as const;
  return { subject, why: undefined, ...(source !== undefined && { source }) };
}

/** A command of plain words; the numbers say which of them name a host or must be spelled out. */
function command(
  line: string,
  hosts: readonly number[] = [],
  risky: readonly number[] = [],
): SubjectResult {
  const words = line.split(' ').map((value) => ({ value, literal: true }));
  const act = { kind: 'command', words, risky: new Set(risky), hosts: new Set(hosts) } as const;
  return asked(line, { kind: 'command', act });
}
