import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPermissionAsk } from '../../../src/extension/permissionAsk.ts';

/** What an ask says of why it is asked, from what a host sent. */
function check(what: string, why: unknown, expected: string) {
  test(what, () => {
    const request = {
      sessionId: 's',
      toolCall: { toolCallId: 'c', title: 'Run it', rawInput: { command: 'rm -r a' } },
      options: [],
      _meta: { gatehouse: { why } },
    };
    assert.equal(toPermissionAsk(request, { diff: false }, 'ask', 0).why, expected);
  });
}

const RULE = { permission: 'bash', pattern: 'rm -r*', action: 'ask' };

check(
  'without a rule the sentence stands alone',
  { layer: 'rules', reason: 'No rule decides about "rm -r a".' },
  'No rule decides about "rm -r a".',
);
check(
  'a rule that Gatehouse ships is called that',
  {
    reason: 'The rule "bash rm -r*" asks about "rm -r a".',
    rule: RULE,
    origin: { layer: 'default' },
  },
  'The rule "bash rm -r*" asks about "rm -r a" (a shipped rule).',
);
check(
  'a rule of the user leads to its file',
  {
    reason: 'The rule "bash rm -r*" asks about "rm -r a".',
    rule: RULE,
    origin: { layer: 'workspace', file: '/w/.vscode/settings.json' },
  },
  'The rule "bash rm -r*" asks about "rm -r a" (/w/.vscode/settings.json).',
);
check('a host that sends only the rule has it shown', { rule: RULE }, 'ask bash(rm -r*)');
check('a host that sends a sentence has it shown', 'Because.', 'Because.');
check('a host that sends nothing has nothing shown', undefined, '');
check(
  'what cannot be seen is written out',
  { reason: 'No rule decides about "a\u202Eb".' },
  'No rule decides about "a␣U+202Eb".',
);
