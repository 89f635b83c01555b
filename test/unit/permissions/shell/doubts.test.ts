import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeUnknown } from '../../../../src/permissions/shell/doubts.ts';

for (const [value, why] of [
  ['$(ls)', "Gatehouse can't tell what `$(ls)` prints."],
  ['a$(ls)', "Gatehouse can't tell what the command in `a$(ls)` prints."],
  ['<(ls)', "Gatehouse can't tell what the program does with `<(ls)`."],
  ['{}', "`{}` stands for names that Gatehouse can't see."],
  ['"$x"', 'Gatehouse doesn\'t know the value of `"$x"`.'],
  ['a$x', "Gatehouse doesn't know the values of the variables in `a$x`."],
  ['*.ts', "Gatehouse can't tell which files `*.ts` matches when the command runs."],
  ['a', "Gatehouse can't tell what the shell makes of `a`."],
] as const)
  test(`the reason to ask about ${value} says what isn't known`, () => {
    const word = { value, literal: false };
    assert.equal(describeUnknown(word, false), why);
    // What runs, and what stands for other names, is said of a file, too.
    const said = /^[$<]\(|^a\$\(|^\{/.test(value)
      ? why
      : `Gatehouse can't tell which file \`${value}\` names.`;
    assert.equal(describeUnknown(word, true), said);
    assert.equal(describeUnknown({ ...word, tilde: true }, false), said);
  });
