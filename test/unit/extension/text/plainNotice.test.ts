import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { plainNotice } from '../../../../src/extension/text/plainNotice.ts';

/** As VS Code finds links in the text of a notice. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
const SOURCES = path.resolve(import.meta.dirname, '../../../../src/extension');

test('no text makes a link in a notice', () => {
  for (const text of ['[x](command:a.b)', 'a [x](https://e.example "t") b', '[[x](file:/a)']) {
    assert.match(text, LINK);
    assert.doesNotMatch(plainNotice(text), LINK);
  }
  assert.equal(plainNotice('a[0] (b) is no link'), 'a[0] (b) is no link');
});

test('notices that contain errors or names are shown as plain text', () => {
  const SHOW = /show(?:Information|Warning|Error)Message\(([\s\S]*?)\);/g;
  const OUTSIDE =
    /getMessage\(|toNames\(|basename\(|reason|\bnames,|toRuleText|\.label\b|, error\)/;
  for (const name of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    for (const [call, shown = ''] of readFileSync(path.join(SOURCES, name), 'utf8').matchAll(
      SHOW,
    )) {
      if (OUTSIDE.test(shown)) assert.match(shown, /plainNotice\(/, `${name}: ${call}`);
    }
  }
});
