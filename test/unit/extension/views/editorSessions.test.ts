import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EditorSessions } from '../../../../src/extension/views/editorSessions.ts';

/** The state of a workspace, which VS Code stores as soon as it is set. */
function createState() {
  const values = new Map<string, unknown>();
  return {
    values,
    get: <Value>(key: string) => values.get(key) as Value,
    update: async (key: string, value: unknown) => void values.set(key, structuredClone(value)),
  };
}

const PARSER = { title: 'Read the parser', sessionId: 'ses_1' };
const TESTS = { title: 'Write the tests', sessionId: 'ses_2' };

test('an editor whose page kept nothing gets the session of its tab back after a reload', () => {
  const state = createState();
  const before = new EditorSessions(state);
  before.show({}, PARSER);
  before.show({}, TESTS);
  const after = new EditorSessions(state);
  assert.equal(after.find('Write the tests'), 'ses_2');
  assert.equal(after.find('New Chat'), undefined);
  // Those that are not in view are restored later, and after another reload.
  after.show({}, TESTS);
  assert.equal(after.find('Write the tests'), undefined);
  const last = new EditorSessions(state);
  assert.deepEqual(
    ['Read the parser', 'Write the tests'].map((title) => last.find(title)),
    ['ses_1', 'ses_2'],
  );
});

test('a closed editor, and one that shows a new chat, is not kept', () => {
  const state = createState();
  const sessions = new EditorSessions(state);
  const editor = {};
  sessions.show(editor, PARSER);
  sessions.show(editor, { ...PARSER, title: 'Renamed' });
  assert.equal(new EditorSessions(state).find('Renamed'), 'ses_1');
  sessions.show(editor, undefined);
  assert.equal(new EditorSessions(state).find('Renamed'), undefined);
});

test('what the state holds may be anything', () => {
  const state = createState();
  void state.update('gatehouse.editorSessions', [null, { title: 1 }, 'x', PARSER]);
  assert.equal(new EditorSessions(state).find('Read the parser'), 'ses_1');
});
