import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ageText } from '../../../../src/extension/text/ageText.ts';
import { english } from '../english.ts';

test('ages are shown in their largest unit', () => {
  const minute = 60_000;
  assert.deepEqual(
    [1, 3 * minute, 3 * 60 * minute, 50 * 60 * minute, Number.NaN].map((age) =>
      ageText(age, english),
    ),
    ['just now', '3 min ago', '3 h ago', '2 d ago', ''],
  );
});
