import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { askActions } from '../../../../src/webview/messages/askActions.ts';
import type { AskOption } from '../../../../src/webview/messages/asks.ts';

const ONCE: AskOption = { optionId: 'once', name: 'Allow once', kind: 'allow_once' };
const REJECT: AskOption = { optionId: 'no', name: 'Reject', kind: 'reject_once' };
const REJECT_ALWAYS: AskOption = { optionId: 'never', name: 'Never', kind: 'reject_always' };

const ALLOW_ONCE = {
  ...{ id: 'allowOnce', label: 'allowOnce', kind: 'approve', needs: 'nothing', optionId: 'once' },
  ...{ primary: true, shortcut: 'approve' },
};
const DENY = [
  {
    ...{ id: 'deny', label: 'deny', kind: 'reject', needs: 'nothing', optionId: 'no' },
    shortcut: 'reject',
  },
  {
    ...{ id: 'denyWithReason', label: 'denyWithReason', kind: 'reject', needs: 'reason' },
    optionId: 'no',
  },
];

check('what every agent offers', [ONCE, REJECT], [ALLOW_ONCE, ...DENY]);
check('an order of the agent changes nothing', [REJECT, ONCE], [ALLOW_ONCE, ...DENY]);
check('what is not offered is not listed', [ONCE], [ALLOW_ONCE]);
check('nothing is offered', [], []);
check('a rejection that is kept has no answer of its own', [REJECT_ALWAYS], []);

check(
  'a rule of the session answers at once, and names its rule',
  [rule('s', 'session', 'bash(npm test)')],
  [session('s', 'bash(npm test)')],
);
check('a session grant without a rule', [rule('s', 'session')], [session('s')]);
check(
  'each rule stands once, with its destinations in the order of the host',
  [
    rule('s', 'session', 'a', ['x', 'y']),
    rule('w', 'workspace', 'a', ['x', 'y']),
    rule('u', 'user', 'b'),
  ],
  [
    session('s', 'a'),
    always([
      {
        rule: 'a',
        alsoMatches: ['x', 'y'],
        destinations: [
          { optionId: 's', name: 'a', label: 'inSession', longLabel: 'keptInSession' },
          { optionId: 'w', name: 'a', label: 'inWorkspace', longLabel: 'keptInWorkspace' },
        ],
      },
      {
        rule: 'b',
        alsoMatches: [],
        destinations: [{ optionId: 'u', name: 'b', label: 'everywhere', longLabel: 'keptForUser' }],
      },
    ]),
  ],
);
check(
  'a session grant without a rule is no rule to choose',
  [rule('s', 'session'), rule('w', 'workspace', 'a')],
  [
    session('s'),
    always([
      {
        rule: 'a',
        alsoMatches: [],
        destinations: [
          { optionId: 'w', name: 'a', label: 'inWorkspace', longLabel: 'keptInWorkspace' },
        ],
      },
    ]),
  ],
);
check(
  'an "always" of another agent names neither rule nor destination',
  [{ optionId: 'all', name: 'Always', kind: 'allow_always' }],
  [
    always([
      { rule: 'Always', alsoMatches: [], destinations: [{ optionId: 'all', name: 'Always' }] },
    ]),
  ],
);

test('no answer that adds a rule has a key', () => {
  const actions = askActions({
    options: [ONCE, rule('s', 'session', 'a'), rule('u', 'user', 'a')],
  });
  const keyed = actions.filter((action) => action.needs === 'nothing' && action.shortcut);
  assert.deepEqual(
    keyed.map(({ id }) => id),
    ['allowOnce'],
  );
});

test('no other file lists answers', () => {
  const source = path.resolve(import.meta.dirname, '../../../../src');
  const files = ['extension', 'webview'].flatMap((folder) =>
    readdirSync(path.join(source, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => path.join(folder, file)),
  );
  const listing = files.filter((file) =>
    /'(?:allowOnce|allowSession|allowAlways|denyWithReason)'/.test(
      readFileSync(path.join(source, file), 'utf8'),
    ),
  );
  assert.deepEqual(
    listing.map((file) => path.basename(file)),
    // The second is the type of all keys.
    ['askActions.ts', 'stringKeys.ts'],
  );
});

function rule(
  optionId: string,
  destination: 'session' | 'workspace' | 'user',
  pattern?: string,
  alsoMatches?: readonly string[],
): AskOption {
  return {
    ...{ optionId, name: pattern ?? 'Allow for session', kind: 'allow_always', destination },
    ...(pattern !== undefined && { rule: pattern }),
    ...(alsoMatches !== undefined && { alsoMatches }),
  };
}

function session(optionId: string, pattern?: string) {
  return {
    ...{ id: 'allowSession', label: 'allowSession', kind: 'approve', needs: 'nothing', optionId },
    ...(pattern !== undefined && { rule: pattern }),
  };
}

function always(rules: readonly object[]) {
  return { id: 'allowAlways', label: 'allowAlways', kind: 'approve', needs: 'rule', rules };
}

function check(name: string, options: readonly AskOption[], expected: readonly object[]) {
  test(name, () => assert.deepEqual(askActions({ options }), expected));
}
