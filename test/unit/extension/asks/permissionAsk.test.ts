import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type KnownCall,
  toPermissionAsk,
  toPermissionReply,
} from '../../../../src/extension/asks/permissionAsk.ts';
import { askActions } from '../../../../src/webview/messages/askActions.ts';

/** What an ask says of why it is asked, from what a host sent. */
function check(what: string, why: unknown, expected: string) {
  test(what, () => {
    const request = {
      sessionId: 's',
      toolCall: { toolCallId: 'c', title: 'Run it', rawInput: { command: 'rm -r a' } },
      options: [],
      _meta: { gatehouse: { why } },
    };
    assert.equal(toPermissionAsk(request, { diffs: [] }, 'ask', 0).why, expected);
  });
}

const RULE = { permission: 'bash', pattern: 'rm -r*', action: 'ask' };

check(
  'without a rule the sentence stands alone',
  { layer: 'rules', reason: 'No rule covers `rm -r a`.' },
  'No rule covers `rm -r a`.',
);
check(
  'a rule that Gatehouse ships is called that',
  {
    reason: 'The rule `bash rm -r*` asks about `rm -r a`.',
    rule: RULE,
    origin: { layer: 'default' },
  },
  'The rule `bash rm -r*` asks about `rm -r a`. The rule is shipped with Gatehouse.',
);
check(
  'a rule of the workspace leads to its file',
  {
    reason: 'The rule `bash rm -r*` asks about `rm -r a`.',
    rule: RULE,
    origin: { layer: 'workspace', file: '/w/.vscode/settings.json' },
  },
  'The rule `bash rm -r*` asks about `rm -r a`. The rule is in `/w/.vscode/settings.json`.',
);
check(
  'the path of the user settings is not shown, which may lie on another machine',
  {
    reason: 'The rule `bash rm -r*` asks about `rm -r a`.',
    rule: RULE,
    origin: { layer: 'user', file: '/home/u/.vscode-server/data/User/settings.json' },
  },
  'The rule `bash rm -r*` asks about `rm -r a`. The rule is in your user settings.',
);
check(
  'a host that sends only the rule has it shown',
  { rule: RULE },
  'The rule is `ask bash(rm -r*)`.',
);
check('a host that sends nothing has nothing shown', undefined, '');
check(
  'what cannot be seen is written out',
  { reason: 'No rule covers "a\u202Eb".' },
  'No rule covers "a␣U+202Eb".',
);

test('the subject comes from the host, never from the arguments', () => {
  const shown = (own: object | undefined, toolCall: object = {}) => {
    const request = {
      sessionId: 's',
      toolCall: {
        ...{ toolCallId: 'c', title: 'Run it', rawInput: { command: 'ls', path: '/other' } },
        ...toolCall,
      },
      options: [],
      ...(own && { _meta: { gatehouse: own } }),
    };
    return toPermissionAsk(request, { diffs: [] }, 'ask', 0).subject;
  };
  const subjects = [
    { permission: 'bash', target: 'ls', decision: 'allow' },
    { permission: 'bash', target: 'rm -r a', decision: 'ask' },
    { permission: 'edit', target: '/w/a', decision: 'ask' },
  ];
  assert.equal(shown({ subjects, command: 'ls; rm -r a > a' }), 'ls; rm -r a > a');
  assert.equal(shown({ subjects }), 'rm -r a\n/w/a');
  assert.equal(shown({ subjects: subjects.slice(0, 1) }), 'ls');
  assert.equal(shown(undefined), 'Run it');
  assert.equal(shown(undefined, { locations: [{ path: '/w/a' }, { path: '/w/b' }] }), '/w/a\n/w/b');
});

test('an invalid request is rejected instead of shown', () => {
  const request = { sessionId: 's', toolCall: { toolCallId: 'c' }, options: [] };
  for (const [own, field] of [
    [{ why: 'Because.' }, 'why'],
    [{ subjects: [{ target: 'ls' }] }, 'subjects[0].permission'],
    [{ command: 7 }, 'command'],
  ] as const) {
    assert.throws(
      () => toPermissionAsk({ ...request, _meta: { gatehouse: own } }, { diffs: [] }, 'a', 0),
      { name: 'WireError', field: `_meta.gatehouse.${field}` },
    );
  }
});

test('paths are shown in display form, commands unchanged', () => {
  const file = '/home/me/work/src/a.ts';
  const why = { reason: `No rule covers \`${file}\`.` };
  const shown = (own: object, locations: KnownCall['locations']) => {
    const toolCall = { toolCallId: 'c', title: 'Edit src/a.ts' };
    const request = {
      sessionId: 's',
      toolCall,
      options: [],
      _meta: { gatehouse: { why, ...own } },
    };
    const known = { diffs: [], ...(locations && { locations }) };
    const { subject, why: said, parts } = toPermissionAsk(request, known, 'ask', 0);
    return [subject, said, ...parts.flatMap((part) => part.reason ?? [])];
  };
  const places = [{ path: file, label: 'src/a.ts' }];
  assert.deepEqual(
    shown({ subjects: [{ permission: 'edit', target: file, decision: 'ask', ...why }] }, places),
    ['src/a.ts', why.reason.replace(file, 'src/a.ts'), 'No rule covers `src/a.ts`.'],
  );
  const command = `cat ${file}`;
  assert.deepEqual(shown({ command }, undefined), [command, `No rule covers \`${file}\`.`]);
});

test('issue 18: what a server asks of the model is not titled as the call that runs', () => {
  const title = 'The MCP server "files" asks the model: Hi';
  const toolCall = { toolCallId: 'c', name: 'sampling', title };
  const known = { title: 'files: read {}', diffs: [] };
  const ask = toPermissionAsk({ sessionId: 's', toolCall, options: [] }, known, 'ask', 0);
  assert.equal(ask.title, title);
});

test('what is asked beside a running call is not titled as the call', () => {
  const title = 'web_fetch continues to https://b.example/';
  const request = {
    sessionId: 's',
    toolCall: { toolCallId: 'c', name: 'web_fetch', title },
    options: [],
    _meta: { gatehouse: { aside: true } },
  };
  const known = { title: 'Fetch https://a.example/', diffs: [] };
  assert.equal(toPermissionAsk(request, known, 'ask', 0).title, title);
});

test('what a command did in a copy has the title of the request, any other call that of its card', () => {
  const title = (isolation: KnownCall['isolation'], sent: string | undefined) => {
    const toolCall = { toolCallId: 'c', ...(sent !== undefined && { title: sent }) };
    const known = { title: 'make', diffs: [], ...(isolation && { isolation }) };
    return toPermissionAsk({ sessionId: 's', toolCall, options: [] }, known, 'ask', 0).title;
  };
  assert.equal(title('copy', 'Changes of: make\u202E'), 'Changes of: make␣U+202E');
  assert.equal(title('copy', undefined), 'make');
  assert.equal(title('unconfined', 'Run make'), 'make');
  assert.equal(title(undefined, 'Run make'), 'make');
});

test('what no diff shows is kept unless the answer leaves it out', () => {
  const request = {
    sessionId: 's',
    toolCall: { toolCallId: 'c', title: 'Changes of: make' },
    options: [],
    _meta: {
      gatehouse: {
        entries: [
          { id: '0', text: '`a\u202Eb`: deleted folder' },
          { id: '1', target: '/w/b', text: '`b`: new folder' },
        ],
      },
    },
  };
  const known = { diffs: [], locations: [{ path: '/w/b', label: 'b' }] };
  const ask = toPermissionAsk(request, known, 'ask', 0);
  assert.deepEqual(ask.entries, [
    { id: '0', text: '`a␣U+202Eb`: deleted folder', kept: true },
    { id: '1', text: '`b`: new folder', kept: true, part: 'b' },
  ]);
  const meta = (leftOut: readonly string[]) => {
    const answer = { kind: 'option', optionId: 'allow', leftOut } as const;
    return toPermissionReply(answer, { request, ask })._meta;
  };
  assert.deepEqual(meta(['0']), { gatehouse: { leftOut: ['0'] } });
  assert.equal(meta([]), undefined);
});

test('PR-024: a request with allow options only can be denied all the same, which selects none of them', () => {
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
  ] as const;
  const request = { sessionId: 's', toolCall: { toolCallId: 'c' }, options: [...options] };
  const ask = toPermissionAsk(request, { diffs: [] }, 'ask', 0);
  const actions = askActions(ask);
  const [deny, withReason] = actions.filter(({ kind }) => kind === 'reject');
  assert.deepEqual([deny?.label, withReason?.label], ['deny', 'denyWithReason']);
  const chosen = deny?.needs === 'nothing' ? deny.optionId : '';
  assert.ok(!options.some(({ optionId }) => optionId === chosen));
  const reply = (optionId: string) =>
    toPermissionReply({ kind: 'option', optionId }, { request, ask }).outcome;
  assert.deepEqual(reply(chosen), { outcome: 'cancelled' });
  assert.deepEqual(reply('yes'), { outcome: 'selected', optionId: 'yes' });
});

test('PR-024: a request without any option can only be denied', () => {
  const request = { sessionId: 's', toolCall: { toolCallId: 'c' }, options: [] };
  const actions = askActions(toPermissionAsk(request, { diffs: [] }, 'ask', 0));
  assert.deepEqual([...new Set(actions.map(({ kind }) => kind))], ['reject']);
});

test('an edit replaces the command, not another argument with the same text', () => {
  const rawInput = { description: 'rm -r a', command: 'rm -r a' };
  const request = {
    sessionId: 's',
    toolCall: { toolCallId: 'c', title: 'rm -r a', name: 'bash', rawInput },
    options: [{ optionId: 'allow', name: 'Allow once', kind: 'allow_once' as const }],
    _meta: { gatehouse: { editable: true, command: 'rm -r a' } },
  };
  const ask = toPermissionAsk(request, { diffs: [] }, 'ask', 0);
  const answer = { kind: 'option', optionId: 'allow', edited: 'ls a' } as const;
  const { _meta } = toPermissionReply(answer, { request, ask });
  assert.deepEqual(Object(_meta).gatehouse.editedInput, { ...rawInput, command: 'ls a' });
});
