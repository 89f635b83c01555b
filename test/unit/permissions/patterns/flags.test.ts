import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFlags } from '../../../../src/permissions/patterns/flags.ts';

test('a set of options allows the words that consist of them', () => {
  const { allow } = parseFlags('-a -n: -# --long --value: --maybe= -x');
  const allowed = [
    ...['-a', '-n', '-n5', '-an', '-an5', '-xa', '-axn-z', '-5', '-123', '--long', '--value'],
    ...['--maybe', '--maybe=x', '--maybe=a=b'],
  ];
  const refused = [
    ...['-b', '-ab', '-ba', '-', '--', '--lon', '--long=x', '--value=x', '--other', '-5x', 'a'],
    ...['--may=x', '-a-'],
  ];
  for (const word of allowed) assert.equal(allow(word), true, word);
  for (const word of refused) assert.equal(allow(word), false, word);
  assert.equal(parseFlags('-a').allow('-5'), false);
  assert.equal(parseFlags('').allow('-a'), false);
  assert.equal(parseFlags('* !').allow('--any'), true);
});

test('signs say what else the command must be', () => {
  const shown = (text: string) => {
    const { noOperands, needsWord, localOnly } = parseFlags(text);
    return [noOperands, needsWord, localOnly];
  };
  assert.deepEqual(shown('! -a'), [true, false, false]);
  assert.deepEqual(shown('  -a   + '), [false, true, false]);
  assert.deepEqual(shown('@'), [false, false, true]);
  assert.deepEqual(shown('+-n -n'), [false, false, false]);
});

test('an option that must be given is looked for before one that takes the rest', () => {
  const { hasNeeded } = parseFlags('+-n -n -e -s: --expression:');
  for (const [options, expected] of [
    [['-n'], true],
    [['-en'], true],
    [['-e', '-n'], true],
    [['-ns'], true],
    [['-sn'], false],
    [['-e'], false],
    [['--n'], false],
    [['--expression'], false],
    [[], false],
  ] as const)
    assert.equal(hasNeeded(options), expected, options.join(' '));
  assert.equal(parseFlags('-n').hasNeeded([]), true);
});
