import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionConfigOption } from '@agentclientprotocol/sdk';
import { ChatSession } from '../../../../src/extension/chat/chatSession.ts';
import {
  type ChoiceParts,
  choose,
  toChoices,
  toOptionUpdate,
} from '../../../../src/extension/chat/sessionChoices.ts';
import type { StateChange } from '../../../../src/webview/messages/chatState.ts';
import { english } from '../english.ts';

const APPROVAL: SessionConfigOption = {
  ...{ id: 'approval', name: 'Approval', type: 'select', currentValue: 'ask' },
  options: [
    { value: 'ask', name: 'Ask', description: '**Ask**\nfirst.' },
    { value: 'readOnly', name: 'Read Only' },
  ],
};

const MODEL: SessionConfigOption = {
  ...{ id: 'model', name: 'Model', type: 'select', currentValue: 'gone' },
  options: [
    { group: 'fast', name: 'Fast', options: [{ value: 'a', name: 'A' }] },
    { group: 'smart', name: 'Smart', options: [{ value: 'b', name: 'B' }] },
  ],
};

const THINKING: SessionConfigOption = {
  ...{ id: 'thinking', name: 'Thinking', type: 'boolean', currentValue: false },
};

test('an option that is on or off becomes a switch, and a type that ACP adds later is left out', () => {
  const later = { id: 'budget', name: 'Budget', type: 'number', currentValue: 3 };
  const options = [THINKING, later as unknown as SessionConfigOption];
  const expected = { id: 'thinking', name: 'Thinking', current: undefined, values: [], on: false };
  assert.deepEqual(toChoices(options), [expected]);
});

test('options become choices, with their groups, and a value that is not listed is unknown', () => {
  assert.deepEqual(toChoices([APPROVAL, MODEL]), [
    {
      ...{ id: 'approval', name: 'Approval' },
      current: { value: 'ask', name: 'Ask', description: 'Ask first.' },
      values: [
        { value: 'ask', name: 'Ask', description: 'Ask first.' },
        { value: 'readOnly', name: 'Read Only' },
      ],
    },
    {
      ...{ id: 'model', name: 'Model', current: undefined },
      values: [
        { value: 'a', name: 'A', group: 'Fast' },
        { value: 'b', name: 'B', group: 'Smart' },
      ],
    },
  ]);
});

interface Item {
  readonly label: string;
  readonly description?: string;
  readonly kind?: number;
}

/** A session whose host has it or not, and a user who picks the items with these labels. */
function createBed(picks: readonly string[], options: readonly SessionConfigOption[] = []) {
  const changes: StateChange[] = [];
  const shown: string[][] = [];
  const sent: object[] = [];
  const session = new ChatSession({
    key: 'chat-1',
    shared: {
      header: { model: '', tour: false },
      workspace: { trusted: true, folder: true, brokenRules: 0, waitingRules: 0 },
      options: { sendKey: 'enter', expandTools: 'failed', answerInChat: true },
    },
    label: (path) => path,
    onChange: (change) => changes.push(change),
  });
  const left = [...picks];
  const showQuickPick = async (items: readonly Item[]) => {
    shown.push(
      items.map(({ label, kind, description }) =>
        [kind === -1 ? `# ${label}` : label, description].filter(Boolean).join(' – '),
      ),
    );
    const next = left.shift();
    return items.find(({ label }) => label === next);
  };
  const setConfigOption = async (change: { configId: string; value: unknown }) => {
    sent.push(change);
    if (change.value === 'autopilot') throw new Error('Autopilot needs the sandbox.');
    if (typeof change.value === 'boolean') {
      return { configOptions: [{ ...THINKING, currentValue: change.value }] };
    }
    const changed = { ...APPROVAL, currentValue: String(change.value) } as SessionConfigOption;
    return { configOptions: [changed] };
  };
  const parts = {
    window: { showQuickPick },
    chats: {
      ensure: async () => {
        if (session.state.choices === undefined) session.update(toOptionUpdate([...options]));
        return 's1';
      },
    },
    link: { connection: async () => ({ setConfigOption }) },
    t: english,
  } as unknown as ChoiceParts;
  return { parts, session, shown, sent };
}

test('a value is chosen from the list, sent to the agent, and shown as the agent answers', async () => {
  const { parts, session, shown, sent } = createBed(['Read Only'], [APPROVAL, MODEL]);
  await choose(parts, session, { id: 'approval' });
  assert.deepEqual(shown, [['Ask – current', 'Read Only']]);
  assert.deepEqual(sent, [{ sessionId: 's1', configId: 'approval', value: 'readOnly' }]);
  const [approval] = session.state.choices ?? [];
  assert.equal(approval?.current?.value, 'readOnly');
});

test('without a setting, the settings are listed first; groups are headings', async () => {
  const { parts, session, shown, sent } = createBed(['Model', 'B'], [APPROVAL, MODEL]);
  await choose(parts, session);
  assert.deepEqual(shown, [
    ['Approval – Ask', 'Model'],
    ['# Fast', 'A', '# Smart', 'B'],
  ]);
  assert.deepEqual(sent, [{ sessionId: 's1', configId: 'model', value: 'b' }]);
});

test('no name of an agent becomes an icon', async () => {
  const name = '$(trash) b';
  const option: SessionConfigOption = {
    ...{ id: 'x', name, type: 'select', currentValue: 'b' },
    options: [
      { group: 'g', name, options: [{ value: 'a', name, description: name }] },
      { group: 'h', name: 'h', options: [{ value: 'b', name }] },
    ],
  };
  const plain = '$\u200b(trash) b';
  const { parts, session, shown, sent } = createBed([plain, plain], [option]);
  await choose(parts, session);
  assert.deepEqual(shown, [
    [`${plain} – ${plain}`],
    [`# ${plain}`, plain, '# h', `${plain} – current`],
  ]);
  assert.deepEqual(sent, []);
});

test('a switch is set with its type at once, and from the list of settings by a pick', async () => {
  const request = { sessionId: 's1', configId: 'thinking', type: 'boolean' };
  const clicked = createBed([], [THINKING]);
  await choose(clicked.parts, clicked.session, { id: 'thinking', on: true });
  assert.deepEqual(clicked.sent, [{ ...request, value: true }]);
  assert.equal(clicked.session.state.choices?.[0]?.on, true);
  // A second click that the page sent before it showed the change.
  await choose(clicked.parts, clicked.session, { id: 'thinking', on: true });
  assert.equal(clicked.sent.length, 1);

  const picked = createBed(['Thinking', 'On'], [THINKING]);
  await choose(picked.parts, picked.session);
  assert.deepEqual(picked.shown, [['Thinking – Off'], ['On', 'Off – current']]);
  assert.deepEqual(picked.sent, [{ ...request, value: true }]);
});

test('a list that the page took for a switch is picked from', async () => {
  const { parts, session, shown } = createBed([], [APPROVAL]);
  await choose(parts, session, { id: 'approval', on: true });
  assert.deepEqual(shown, [['Ask – current', 'Read Only']]);
});

test('nothing is sent if the user leaves, keeps the value, or the setting is gone', async () => {
  for (const [picks, id] of [
    [[], 'approval'],
    [['Ask'], 'approval'],
    [['x'], undefined],
    [[], 'y'],
  ] as const) {
    const { parts, session, sent } = createBed(picks, [APPROVAL]);
    await choose(parts, session, id === undefined ? {} : { id });
    assert.deepEqual(sent, []);
  }
});

test('a value that the agent refuses is an error, and the old one stays', async () => {
  const refused: SessionConfigOption = {
    ...{ id: 'approval', name: 'Approval', type: 'select', currentValue: 'ask' },
    options: [
      { value: 'ask', name: 'Ask' },
      { value: 'autopilot', name: 'Autopilot' },
    ],
  };
  const { parts, session } = createBed(['Autopilot'], [refused]);
  await assert.rejects(choose(parts, session, { id: 'approval' }), /Autopilot needs the sandbox/);
  assert.equal(session.state.choices?.[0]?.current?.value, 'ask');
});

test('an update of the agent changes the choices, also while history loads', () => {
  const { session } = createBed([]);
  session.update(toOptionUpdate([APPROVAL]));
  session.beginLoad();
  assert.equal(session.state.choices?.length, 1);
  session.update(toOptionUpdate([APPROVAL, MODEL]));
  session.endLoad(true);
  assert.equal(session.state.choices?.length, 2);
});
