import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addUserRules,
  answered,
  isUserSettings,
  removeListedUserRule,
  removeUserRule,
  type UserSettings,
} from '../../../../../src/extension/rules/files/userRules.ts';
import type { SettingsRule } from '../../../../../src/settings/ruleStore.ts';
import { FakeClock, settle } from '../../fakeClock.ts';

const NPM: SettingsRule = { permission: 'bash', pattern: 'npm test', action: 'allow' };
const LS: SettingsRule = { permission: 'bash', pattern: 'ls', action: 'allow' };
const RM: SettingsRule = { permission: 'bash', pattern: 'rm *', action: 'deny' };

interface Given {
  /** What VS Code has of the user's rules. */
  readonly rules?: unknown;
  /** The text of the settings file; an error if it can't be read, null if there is none. */
  readonly text?: string | Error | null;
  readonly profiles?: readonly string[];
  /** Makes `update` or the editor fail, or never answer. */
  readonly update?: Error | 'silent';
  readonly editor?: Error | 'silent';
}

/** Settings of a user in VS Code. `editor` is the text that is open and unsaved after an edit. */
function open(given: Given) {
  const { rules, text = null, profiles = [], update, editor } = given;
  const clock = new FakeClock();
  const done = { updated: undefined as unknown, edited: undefined as string | undefined };
  const fail = (how: Error | 'silent' | undefined) => {
    if (how === 'silent') return new Promise<never>(() => undefined);
    return how === undefined ? undefined : Promise.reject(how);
  };
  const settings: UserSettings = {
    clock,
    rules: () => rules,
    update: async (next) => {
      await fail(update);
      done.updated = next;
    },
    read: async () => {
      if (text instanceof Error) throw text;
      return text ?? undefined;
    },
    readProfiles: async () => profiles,
    edit: async (change) => {
      await fail(editor);
      const own = typeof text === 'string' ? text : '{}\n';
      const source = profiles[0] ?? own;
      done.edited = change(source);
      return done.edited !== undefined;
    },
  };
  return { clock, settings, done };
}

let files = 0;

/** What comes of adding a rule, however long it waits. */
async function add(given: Given) {
  const { clock, settings, done } = open(given);
  files += 1;
  const file = `/u/User/${files}/settings.json`;
  const outcome = addUserRules(settings, () => [NPM], file).then(
    ({ unsaved }) => (unsaved ? 'in the editor' : 'saved'),
    (error: unknown) => String(error),
  );
  let result: string | undefined;
  void outcome.then((text) => (result = text));
  for (let ticks = 0; result === undefined && ticks < 1000; ticks += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    await settle();
    clock.tick(100);
  }
  return { result: result ?? 'silent', file, ...done };
}

const inFile = (...rules: readonly unknown[]) =>
  JSON.stringify({ 'gatehouse.permissions': rules }, undefined, 2);

test('a rule is saved through the API while that loses nothing', async () => {
  for (const text of [null, '', inFile()])
    assert.deepEqual([(await add({ text })).updated], [[NPM]]);
  const { result, updated } = await add({ rules: [LS], text: inFile(LS) });
  assert.deepEqual([result, updated], ['saved', [LS, NPM]]);
});

test('comments, a second list and unsaved or damaged settings are edited as text', async () => {
  const commented = inFile(LS).replace('[', '[ // mine\n');
  const twice = `{ "gatehouse.permissions": [], "gatehouse.permissions": ${JSON.stringify([LS])} }`;
  const dirty = new Error(
    'Unable to write into user settings because the file has unsaved changes.',
  );
  for (const given of [
    { rules: [LS], text: commented },
    { rules: [LS], text: twice },
    { rules: [LS], text: inFile(LS), update: dirty },
  ]) {
    const { result, updated, edited } = await add(given);
    assert.deepEqual([result, updated], ['in the editor', undefined]);
    assert.match(edited ?? '', /"ls"[\s\S]*"npm test"/);
  }
});

test('settings that this machine has not, as in a remote window, are edited as text if they have rules', async () => {
  const { result, updated } = await add({ rules: [LS], text: null });
  assert.deepEqual([result, updated], ['in the editor', undefined]);
  const unreadable = new Error('EACCES: permission denied');
  assert.equal((await add({ rules: [LS], text: unreadable })).result, 'in the editor');
  assert.equal((await add({ text: unreadable })).result, 'saved');
});

test('the settings of another profile keep their comments too', async () => {
  const others = inFile({ ...LS, pattern: 'other' });
  const plain = await add({ rules: [LS], text: '{}', profiles: [others, inFile(LS)] });
  assert.deepEqual([plain.result, plain.updated], ['saved', [LS, NPM]]);
  const commented = inFile(LS).replace('[', '[ // mine\n');
  const kept = await add({ rules: [LS], text: '{}', profiles: [commented, others] });
  assert.deepEqual([kept.result, kept.updated], ['in the editor', undefined]);
  assert.ok(kept.edited?.includes('// mine'));
  const unknown = await add({ rules: [LS], text: '{}', profiles: [others] });
  assert.equal(unknown.result, 'in the editor');
});

test('what is no list of rules is not overwritten, and the user is told what to mend', async () => {
  for (const value of [LS, 'x', 7, true]) {
    const text = JSON.stringify({ 'gatehouse.permissions': value });
    const { result, updated, edited } = await add({ rules: value, text });
    assert.match(result, /not saved: "gatehouse.permissions" .* is no list.*Fix it and try again/);
    assert.deepEqual([updated, edited], [undefined, undefined]);
  }
});

test('settings that can neither be written nor opened are named, with the reason and what to do', async () => {
  const broken = new Error('Unable to write into user settings. Correct errors in the file.');
  const closed = new Error('EISDIR: illegal operation on a directory.');
  const { result, file } = await add({ text: closed, update: broken, editor: closed });
  assert.match(result, /can't be opened: EISDIR: illegal operation on a directory\. Mend \//);
  assert.ok(result.includes(file));
  const array = await add({ text: '[]', update: broken });
  assert.match(array.result, /does not contain a JSON object\. Fix the file and try again/);
});

test('a VS Code that never answers ends in a message, and later rules are saved', async () => {
  const written = await add({ text: '{}', update: 'silent' });
  assert.match(written.result, /did not answer for 30 seconds .* write the user settings/);
  assert.equal(written.edited, undefined, 'the write may still come');
  const opened = await add({ rules: [LS], text: null, editor: 'silent' });
  assert.match(opened.result, /did not answer for 30 seconds .* open the user settings/);
  const { settings, done } = open({ text: '{}' });
  await addUserRules(settings, () => [NPM], written.file);
  assert.deepEqual(done.updated, [NPM]);
});

test('an answer in time leaves no timer behind', async () => {
  const clock = new FakeClock();
  assert.equal(await answered(clock, Promise.resolve(7), 'answer'), 7);
  assert.equal(clock.waiting, 0);
});

test('Undo removes only the rule, as text where the API would lose something', async () => {
  const file = '/u/User/settings.json';
  const saved = { rule: NPM, file, unsaved: false };
  const plain = open({ rules: [NPM, LS, NPM], text: inFile(NPM, LS, NPM) });
  assert.equal(await removeUserRule(plain.settings, saved), true);
  assert.deepEqual(plain.done.updated, [NPM, LS]);
  const commented = open({ rules: [LS, NPM], text: inFile(LS, NPM).replace('[', '[ // mine\n') });
  assert.equal(await removeUserRule(commented.settings, saved), true);
  assert.equal(commented.done.edited, inFile(LS).replace('[', '[ // mine\n'));
  const gone = open({ rules: [LS], text: inFile(LS) });
  assert.equal(await removeUserRule(gone.settings, saved), false);
  assert.equal(gone.done.updated, undefined);
});

test('Undo of a rule that was removed in the list puts it where it was, unless the rules are others since', async () => {
  const saved = { rule: NPM, file: '/u/User/settings.json', unsaved: false };
  const remove = async () => {
    let rules: readonly unknown[] = [NPM, LS];
    const settings: UserSettings = {
      ...open({}).settings,
      rules: () => rules,
      read: async () => inFile(...rules),
      update: async (next) => {
        rules = next;
      },
    };
    const putBack = await removeListedUserRule(settings, saved);
    assert.deepEqual(rules, [LS]);
    assert.ok(putBack !== undefined);
    return { settings, putBack };
  };
  const same = await remove();
  await same.putBack();
  assert.deepEqual(same.settings.rules(), [NPM, LS]);
  const other = await remove();
  await addUserRules(other.settings, () => [RM], saved.file);
  await other.putBack();
  assert.deepEqual(other.settings.rules(), [LS, RM, NPM]);
  await other.putBack();
  assert.deepEqual(other.settings.rules(), [LS, RM, NPM], 'it is there again');
  assert.equal(
    await removeListedUserRule(open({ rules: [LS], text: inFile(LS) }).settings, saved),
    undefined,
  );
});

test('the settings of a workspace, which have the same name, are not taken for the user’s', () => {
  const check = (scheme: string, path: string, expected: boolean) =>
    assert.equal(isUserSettings({ scheme, path }), expected, path);
  check('vscode-userdata', '/home/u/.config/Code/User/settings.json', true);
  check('vscode-userdata', '/User/profiles/1f/settings.json', true);
  check('file', '/home/u/.config/Code/User/settings.json', true);
  check('vscode-remote', '/data/User/profiles/1f/settings.json', true);
  check('file', '/work/.vscode/settings.json', false);
  check('file', '/home/User/app/.vscode/settings.json', false);
  check('vscode-userdata', '/home/u/.config/Code/User/keybindings.json', false);
});
