import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  areOffered,
  askActions,
  findRisks,
  findSelectedParts,
  isRisky,
} from '../../../../src/webview/messages/askActions.ts';
import type { AskOption, ChosenRule, OfferedRule } from '../../../../src/webview/messages/asks.ts';

const ONCE: AskOption = { optionId: 'once', name: 'Allow once', kind: 'allow_once' };
const REJECT: AskOption = { optionId: 'no', name: 'Reject', kind: 'reject_once' };

const ALLOW_ONCE = {
  ...{ id: 'allowOnce', label: 'allowOnce', kind: 'approve', needs: 'nothing', optionId: 'once' },
  ...{ button: 'allow', shortcut: 'approve' },
};
const DENY = [
  {
    ...{ id: 'deny', label: 'deny', kind: 'reject', needs: 'nothing', optionId: 'no' },
    ...{ button: 'deny', shortcut: 'reject' },
  },
  {
    ...{ id: 'denyWithReason', label: 'denyWithReason', kind: 'reject', needs: 'reason' },
    ...{ button: 'deny', optionId: 'no' },
  },
];
const ALLOW_PARTS = [
  { part: 'npm test', rules: [offer('npm test', 'allow'), offer('npm *', 'allow')] },
  { part: 'ls', rules: [offer('ls', 'allow')] },
];
const DENY_PARTS = [{ part: 'npm test', rules: [offer('npm test', 'deny')] }];
const OFFERS = { allow: ALLOW_PARTS, deny: DENY_PARTS };

check('what every agent offers', [ONCE, REJECT], [ALLOW_ONCE, ...DENY]);
check('an order of the agent changes nothing', [REJECT, ONCE], [ALLOW_ONCE, ...DENY]);
check('what is not offered is not listed', [ONCE], [ALLOW_ONCE]);
check('nothing is offered', [], []);
check(
  'to run without the sandbox is an answer with its own button and no key, and not the allow',
  [{ optionId: 'outside', name: 'Run', kind: 'allow_once', outside: true }, REJECT],
  [
    ...DENY,
    {
      ...{ id: 'runOutside', label: 'runWithoutSandbox', kind: 'approve', needs: 'nothing' },
      ...{ button: 'own', optionId: 'outside' },
    },
  ],
);
test('issue 18: a plan can be approved and built in one answer, which has a button of its own and no key', () => {
  const plan = { label: 'plan.md', rows: [], added: 1, removed: 0, document: true } as never;
  const ask = { options: [ONCE, REJECT], offers: { allow: [], deny: [] }, diff: true };
  const own = (asked: object) =>
    askActions({ ...ask, ...asked } as never).filter(({ button }) => button === 'own');
  assert.deepEqual(own({ toolKind: 'switch_mode', diffs: [plan] }), [
    {
      ...{ id: 'approveAndBuild', label: 'approveAndBuild', kind: 'approve', needs: 'nothing' },
      ...{ button: 'own', optionId: 'once', build: true },
    },
  ]);
  const all = askActions({ ...ask, toolKind: 'switch_mode', diffs: [plan] } as never);
  assert.deepEqual(
    all.slice(0, 2).map(({ id }) => id),
    [all[0]?.id, 'approveAndBuild'],
    'right after the plain approval',
  );
  assert.equal(all[0]?.label, 'approvePlan', 'a plan is approved, and allows nothing');
  assert.deepEqual(own({ toolKind: 'edit', diffs: [plan] }), [], 'no other document');
  assert.deepEqual(own({ toolKind: 'switch_mode', diffs: [] }), []);
});

check('a session grant without a rule', [rule('s', 'session')], [session('s', 'allowSession')]);

const COVERED = [
  ['command', undefined, 'sessionCommand'],
  ['commands', undefined, 'sessionCommands'],
  ['edits', undefined, 'sessionEdits'],
  ['edits', 'src', 'sessionEditsIn'],
  ['file', undefined, 'sessionFile'],
  ['files', '3', 'sessionFiles'],
  ['folder', 'notes', 'sessionFolder'],
  ['host', 'a.example', 'sessionHost'],
  ['tool', 'mcp:db:query', 'sessionTool'],
  ['rules', 'repo_clone a.example, fs.write {workspace}/b', 'sessionHost'],
  ['call', undefined, 'sessionCall'],
  ['exact', undefined, 'sessionExact'],
] as const;
for (const [kind, name, label] of COVERED) {
  const covers = { kind, ...(name !== undefined && { name }) };
  check(
    `"for this session" is worded by what it covers: ${label}`,
    [{ ...rule('s', 'session', 'a'), covers }],
    [{ ...session('s', label, 'a'), ...(name !== undefined && { value: name }) }],
  );
}

check(
  '"never" for exactly this call is answered at once',
  [{ ...rule('n', 'session', 'a'), kind: 'reject_always', covers: { kind: 'exact' } }],
  [
    {
      ...{ id: 'denySession', label: 'denySession', kind: 'reject', button: 'more' },
      ...{ needs: 'nothing', optionId: 'n', rule: 'a' },
    },
  ],
);

check(
  '"always" offers the rules of each part, and its destinations in the order of the host',
  [rule('s', 'session', 'a'), rule('w', 'workspace', 'a'), rule('u', 'user', 'a')],
  [
    always('allow', [
      { optionId: 's', name: 'a', label: 'inSession', longLabel: 'keptInSession' },
      { optionId: 'w', name: 'a', label: 'inWorkspace', longLabel: 'keptInWorkspace' },
      { optionId: 'u', name: 'a', label: 'everywhere', longLabel: 'keptForUser' },
    ]),
  ],
);
check(
  '"always deny" is as "always"',
  [{ ...rule('n', 'workspace', 'a'), kind: 'reject_always' }],
  [
    always('deny', [
      { optionId: 'n', name: 'a', label: 'inWorkspace', longLabel: 'keptInWorkspace' },
    ]),
  ],
);

test('an "always" of another agent names neither rule nor destination', () => {
  const options: AskOption[] = [{ optionId: 'all', name: 'Always', kind: 'allow_always' }];
  const [action] = askActions({ options, offers: { allow: [], deny: [] }, diff: false });
  assert.ok(action?.needs === 'rule');
  assert.deepEqual(action.parts, []);
  assert.deepEqual(action.destinations, [{ optionId: 'all', name: 'Always' }]);
});

test('arguments are edited as text, a proposal in its diff', () => {
  const edit = { form: 'command', text: 'npm test' } as const;
  const ids = (more: object) =>
    askActions({ options: [ONCE, REJECT], offers: OFFERS, diff: false, ...more }).map(
      ({ id }) => id,
    );
  assert.deepEqual(ids({}), ['allowOnce', 'deny', 'denyWithReason']);
  assert.deepEqual(ids({ edit }), ['allowOnce', 'edit', 'deny', 'denyWithReason']);
  assert.deepEqual(ids({ diff: true }), ['allowOnce', 'edit', 'deny', 'denyWithReason']);
});

test('only rules that are offered for the answer may be chosen', () => {
  const [npm, anyNpm] = ALLOW_PARTS[0]?.rules ?? [];
  assert.ok(npm && anyNpm);
  const offered = (rules: readonly ChosenRule[], kind: AskOption['kind']) =>
    areOffered(rules, kind, { offers: OFFERS });
  assert.equal(offered([npm.rule, anyNpm.rule], 'allow_always'), true);
  assert.equal(offered([npm.rule], 'reject_always'), false);
  assert.equal(offered([{ ...npm.rule, pattern: '*' }], 'allow_always'), false);
  assert.equal(offered([npm.rule, { ...npm.rule, permission: '*' }], 'allow_always'), false);
  assert.equal(offered([{ ...npm.rule, action: 'deny' }], 'reject_always'), true);
});

test('a part with a risk is named', () => {
  const parts = [
    { text: 'ls', decision: 'allow' },
    { text: 'rm -rf build', decision: 'ask', risk: 'destructive' },
  ] as const;
  assert.deepEqual(findRisks({ parts }), [{ text: 'rm -rf build', risk: 'destructive' }]);
});

test('no answer that adds a rule has a key', () => {
  const actions = askActions({
    options: [ONCE, rule('s', 'session', 'a'), rule('u', 'user', 'a')],
    ...{ offers: OFFERS, diff: false },
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
): AskOption {
  return {
    ...{ optionId, name: pattern ?? 'Allow for session', kind: 'allow_always', destination },
    ...(pattern !== undefined && { rule: pattern }),
  };
}

function session(optionId: string, label: string, pattern?: string) {
  return {
    ...{ id: 'allowSession', label, kind: 'approve', needs: 'nothing', button: 'more', optionId },
    ...(pattern !== undefined && { rule: pattern }),
  };
}

function always(action: 'allow' | 'deny', destinations: readonly object[]) {
  const allows = action === 'allow';
  const id = allows ? 'allowAlways' : 'denyAlways';
  return {
    ...{ id, label: id, kind: allows ? 'approve' : 'reject', needs: 'rule', button: 'more' },
    ...{ parts: OFFERS[action], destinations },
  };
}

function offer(pattern: string, action: 'allow' | 'deny'): OfferedRule {
  const text = `bash(${pattern})`;
  return { rule: { permission: 'bash', pattern, action }, text, alsoMatches: [] };
}

function check(name: string, options: readonly AskOption[], expected: readonly object[]) {
  test(name, () =>
    assert.deepEqual(askActions({ options, offers: OFFERS, diff: false }), expected),
  );
}

test('a risky part and hidden characters each make a request risky', () => {
  const plain = { text: 'ls', decision: 'ask' } as const;
  const risky = { text: 'rm -rf build', decision: 'ask', risk: 'destructive' } as const;
  assert.equal(isRisky({ parts: [plain], suspicious: false }), false);
  assert.equal(isRisky({ parts: [plain, risky], suspicious: false }), true);
  assert.equal(isRisky({ parts: [plain], suspicious: true }), true);
});

test('a part whose changes are all left out gives no reason any more', () => {
  const part = (text: string) => ({ text, decision: 'ask' }) as const;
  const parts = ['data.bin', 'run.sh', 'two', 'other'].map(part);
  const entry = (of: string, kept: boolean) => ({ id: of, part: of, text: `\`${of}\``, kept });
  const diff = { path: '/w/run.sh', label: 'run.sh', added: 1, removed: 0, more: 0 };
  const diffs = [{ ...diff, created: false, rows: [] }];
  const select = (...entries: readonly ReturnType<typeof entry>[]) =>
    findSelectedParts({ parts, entries, diffs }).map(({ text }) => text);
  assert.deepEqual(select(), ['data.bin', 'run.sh', 'two', 'other']);
  const both = [entry('two', false), entry('two', true)];
  assert.deepEqual(
    select(entry('data.bin', true), ...both),
    parts.map(({ text }) => text),
  );
  assert.deepEqual(
    select(entry('data.bin', false), entry('run.sh', false), entry('two', false)),
    ['run.sh', 'other'],
    'a text that stays keeps its reason when its mode is left out',
  );
});
