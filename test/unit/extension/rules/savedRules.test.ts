import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SavedRule } from '../../../../src/extension/rules/files/ruleFiles.ts';
import { type DroppedRule, SavedRules } from '../../../../src/extension/rules/savedRules.ts';
import type { PermissionAsk } from '../../../../src/webview/messages/asks.ts';
import { english } from '../english.ts';
import { FakeClock, settle } from '../fakeClock.ts';

const NPM = { permission: 'bash', pattern: 'npm test', action: 'allow' } as const;
const LS = { permission: 'bash', pattern: 'ls', action: 'allow' } as const;

function open(button?: string, there: boolean | Error = true) {
  const errors: string[] = [];
  const logged: string[] = [];
  const clock = new FakeClock();
  const shown: string[] = [];
  const removed: SavedRule[] = [];
  const opened: SavedRule[] = [];
  const dropped: DroppedRule[] = [];
  const saved = new SavedRules({
    clock,
    t: english,
    notify: async (message, ...buttons) => {
      shown.push([message, ...buttons].join(' | '));
      return buttons.find((each) => each === button);
    },
    remove: async (each) => {
      if (there instanceof Error) throw there;
      removed.push(each);
      return there;
    },
    open: async (each) => {
      if (there instanceof Error) throw there;
      opened.push(each);
    },
    drop: async (each) => void dropped.push(each),
    showError: (message) => void errors.push(message),
    onError: (error) => void logged.push(String(error)),
  });
  return { clock, shown, removed, opened, dropped, saved, errors, logged };
}

const inFile = (rule: SavedRule['rule'], unsaved = false): SavedRule => ({
  ...{ rule, destination: 'workspace', file: '/w/.vscode/settings.json', unsaved },
});

test('the rules of one answer get one notification with Undo and Open', async () => {
  const { clock, shown, saved } = open();
  saved.add(inFile(NPM));
  clock.tick(100);
  saved.add(inFile(LS));
  clock.tick(299);
  assert.deepEqual(shown, []);
  clock.tick(1);
  await settle();
  assert.deepEqual(shown, [
    'Saved to settings.json: allow bash(npm test), allow bash(ls) | Undo | Open',
  ]);
});

test('Undo removes each rule from its file and from the host', async () => {
  const { clock, removed, dropped, saved } = open('Undo');
  saved.add(inFile(NPM));
  saved.add(inFile(LS));
  clock.tick(300);
  await settle();
  assert.deepEqual(
    removed.map(({ rule }) => rule),
    [NPM, LS],
  );
  const file = '/w/.vscode/settings.json';
  assert.deepEqual(dropped, [
    { rule: NPM, file },
    { rule: LS, file },
  ]);
});

test('Undo of a rule that is gone says so, and the host drops it all the same', async () => {
  const { clock, shown, dropped, saved } = open('Undo', false);
  saved.add(inFile(NPM));
  clock.tick(300);
  await settle();
  assert.match(shown[1] ?? '', /allow bash\(npm test\) is not in the settings any more/);
  assert.equal(dropped.length, 1);
});

test('Open opens the rule', async () => {
  const { clock, opened, saved } = open('Open');
  saved.add(inFile(NPM));
  clock.tick(300);
  await settle();
  assert.deepEqual(opened, [inFile(NPM)]);
});

test('a file with unsaved changes is named as such', async () => {
  const { clock, shown, saved } = open();
  saved.add(inFile(NPM, true));
  clock.tick(300);
  await settle();
  assert.match(shown[0] ?? '', /settings\.json, which has unsaved changes: .*Save it/);
});

test('rules of a session are told of too, and Undo makes the host drop them', async () => {
  const { shown, dropped, saved } = open('Undo');
  const option = {
    optionId: 'a',
    name: 'A',
    kind: 'allow_always',
    destination: 'session',
  } as const;
  const never = { ...option, optionId: 'n', kind: 'reject_always' } as const;
  const deny = { permission: 'call:bash', pattern: '{"command":"ls"}', action: 'deny' } as const;
  const rules = [{ rule: deny, text: 'call:bash', alsoMatches: [] }];
  const ask: Pick<PermissionAsk, 'options' | 'offers'> = {
    options: [option, never],
    offers: { allow: [], deny: [{ part: 'ls', rules }] },
  };
  saved.answered('s', ask, { kind: 'option', optionId: 'a', rules: [NPM] });
  await settle();
  assert.deepEqual(shown, ['Saved for this session: allow bash(npm test) | Undo']);
  assert.deepEqual(dropped, [{ rule: NPM, sessionId: 's' }]);
  saved.answered('s', ask, { kind: 'option', optionId: 'a' });
  await settle();
  assert.equal(shown.length, 1, '"for this session" is no rule that the user chose');
  saved.answered('s', ask, { kind: 'option', optionId: 'n' });
  await settle();
  assert.deepEqual(dropped.at(-1), { rule: deny, sessionId: 's' }, 'a denial can be undone');
});

test('rules of two files get a notification each, and many are counted', async () => {
  const { clock, shown, saved } = open();
  for (let at = 0; at < 11; at += 1) saved.add(inFile({ ...LS, pattern: `ls ${at}` }));
  saved.add({ ...inFile(NPM), destination: 'user', file: '/u/settings.json' });
  clock.tick(300);
  await settle();
  assert.deepEqual(shown, [
    'Saved 11 rules to settings.json. | Undo | Open',
    'Saved to the user settings: allow bash(npm test) | Undo | Open',
  ]);
});

for (const button of ['Undo', 'Open']) {
  test(`${button} that fails is told, not only logged`, async () => {
    const { clock, errors, logged, dropped, saved } = open(button, new Error('The file is gone.'));
    saved.add(inFile(NPM));
    clock.tick(300);
    await settle();
    assert.deepEqual(errors, ['Gatehouse: The file is gone.']);
    assert.deepEqual(logged, ['Error: The file is gone.']);
    assert.deepEqual(dropped, []);
  });
}
