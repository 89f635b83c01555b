import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeCall } from '../../../src/gate/describe.ts';
import { describeResult } from '../../../src/tools/display.ts';
import { lockedTools } from '../../../src/tools/locked/lockedTools.ts';

/** What the card of a call shows of its result. */
function check(what: string, data: unknown, expected: string | undefined) {
  test(`the card shows ${what}`, () => {
    const content = expected === undefined ? undefined : [{ type: 'text', text: expected }];
    assert.deepEqual(describeResult({}, data).content, content);
  });
}

check('text as it is', { content: 'a\nb', total_lines: 2 }, 'a\nb');
check('the head of what was cut', { head: 'a', note: 'more' }, 'a');
check('files that were found', { entries: ['a', 'b/c'], total: 2 }, 'a\nb/c');
check('an empty list', { entries: [], total: 0 }, 'No results.');
check('matches', { matches: [{ path: 'a', line: 3, text: 'x = 1' }] }, 'a:3: x = 1');
check('files with matches', { matches: ['a', 'b:2'] }, 'a\nb:2');
check('pages', { results: [{ title: 'T', url: 'https://x/', snippet: 's' }] }, 'T\nhttps://x/\n');
check(
  'answers, one line for each question',
  { answers: [['Red', 'Blue'], []] },
  'Red, Blue\n(skipped)',
);
check('nothing of a result without text', { count: 3 }, undefined);

test('what was shown while the call ran stays', () => {
  const shown = { content: [{ type: 'terminal', terminalId: 't' }] } as const;
  assert.deepEqual(describeResult(shown, { output: 'x' }), {});
});

/** What the line of a closed card says. */
function title(tool: string, input: unknown, expected: string) {
  test(`the card says ${expected}`, () => {
    const found = lockedTools([]).find(({ id }) => id === tool);
    assert.ok(found);
    assert.equal(describeCall(found, input, []).title, expected);
  });
}

title('read', { path: 'a.ts' }, 'Read a.ts');
title('grep', { pattern: 'total', path: 'src' }, 'Search for total in src');
title('glob', { pattern: '**/*.js' }, 'Find **/*.js');
title('web_fetch', { url: 'https://x/' }, 'Fetch https://x/');
title('web_search', { query: 'acp' }, 'Search the web for acp');
title('bash', { command: 'ls\npwd' }, 'ls …');
title('bash', { command: 'ls', description: 'List\n  files\u202e' }, 'List files␣U+202E');
title('bash', { command: 'ls', description: 'List\rthe\u00a0files' }, 'List␣U+000Dthe␣U+00A0files');
title('bash', { command: 'pwd', description: ' \n' }, 'pwd');
title('write', { path: `a\u0000${'b'.repeat(400)}` }, `Write a␣U+0000${'b'.repeat(286)}…`);
title('write', { path: `${'b'.repeat(293)}😀c` }, `Write ${'b'.repeat(293)}…`);
title(
  'question',
  { questions: [{ question: 'How?', header: 'Style' }, { question: 'Where?' }] },
  'Ask: Style, Where?',
);
