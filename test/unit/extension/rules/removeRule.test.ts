import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isRemovable,
  type RemoveRuleParts,
  removeRule,
} from '../../../../src/extension/rules/removeRule.ts';
import { english } from '../english.ts';

const RULE = { permission: 'bash', pattern: 'npm test', action: 'allow' } as const;
const FILE = '/w/.vscode/settings.json';

/** A user who chooses this button, and the effects in their order. */
function user(button?: string, there: boolean | Error = true) {
  const done: string[] = [];
  const parts: RemoveRuleParts = {
    t: english,
    notify: async (message, ...buttons) => {
      done.push([message, ...buttons].join(' | '));
      return buttons.find((each) => each === button);
    },
    remove: async ({ destination, file }) => {
      if (there instanceof Error) throw there;
      done.push(`removes from ${destination} ${file}`);
      return there ? async () => done.push(`puts it back into ${file}`) : undefined;
    },
    drop: async ({ sessionId, file }) => void done.push(`drops ${sessionId ?? file}`),
    configure: async () => void done.push('configures'),
    showError: (message) => done.push(`error ${message}`),
  };
  return { parts, done };
}

test('issue 15: a rule of the settings is removed from its file and from the host, and Undo puts it back', async () => {
  const { parts, done } = user('Undo');
  await removeRule(parts, { rule: RULE, layer: 'workspace', file: FILE }, 'ses');
  assert.deepEqual(done, [
    `removes from workspace ${FILE}`,
    `drops ${FILE}`,
    'Removed from settings.json: allow bash(npm test) | Undo',
    `puts it back into ${FILE}`,
    'configures',
  ]);
});

test('issue 15: a removed rule stays removed without Undo, and the user settings are named as such', async () => {
  const { parts, done } = user();
  await removeRule(parts, { rule: RULE, layer: 'user', file: '/home/settings.json' }, undefined);
  assert.deepEqual(done.slice(1), [
    'drops /home/settings.json',
    'Removed from the user settings: allow bash(npm test) | Undo',
  ]);
});

test('issue 15: a rule of the session is dropped by the host, and none is without a session', async () => {
  const { parts, done } = user();
  await removeRule(parts, { rule: RULE, layer: 'session' }, 'ses');
  await removeRule(parts, { rule: RULE, layer: 'session' }, undefined);
  assert.deepEqual(done, ['drops ses', 'Removed from this session: allow bash(npm test)']);
});

test('issue 15: a rule that is gone, or a file that can not be written, is told and nothing else happens', async () => {
  const gone = user('Undo', false);
  await removeRule(gone.parts, { rule: RULE, layer: 'workspace', file: FILE }, 'ses');
  assert.deepEqual(gone.done.slice(1), ['allow bash(npm test) is not in the settings any more.']);
  const failed = user('Undo', new Error('read only'));
  await removeRule(failed.parts, { rule: RULE, layer: 'workspace', file: FILE }, 'ses');
  assert.deepEqual(failed.done, ['error The rule was not changed: read only']);
});

test('issue 15: shipped rules, those of agents and of other folders can not be removed here', () => {
  const removable = ['default', 'manifest', 'folder', 'session', 'workspace', 'user'].map((layer) =>
    isRemovable({ layer, file: FILE }),
  );
  assert.deepEqual(removable, [false, false, false, true, true, true]);
  assert.equal(isRemovable({ layer: 'workspace' }), false);
});
