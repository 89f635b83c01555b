import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommitQuery } from '../../../../src/acp/gatehouse/session.ts';
import {
  type CommitMessageParts,
  generateCommitMessage,
} from '../../../../src/extension/git/commitMessage.ts';
import { english } from '../english.ts';

/** A repository as the Git extension shows it. */
function repository(path: string, value = '') {
  const rootUri = { path, fsPath: path, toString: () => `file://${path}` };
  return { rootUri, inputBox: { value } } as never as {
    readonly rootUri: { toString(): string };
    readonly inputBox: { value: string };
  };
}

function open(change: { [Name in keyof CommitMessageParts]?: unknown } = {}) {
  const told: string[] = [];
  const asked: CommitQuery[] = [];
  const cancel = new AbortController();
  const tell = async (text: string) => void told.push(text);
  const parts = {
    window: { showErrorMessage: tell, showInformationMessage: tell, showQuickPick: tell },
    t: english,
    repositories: async () => [],
    sessionId: () => 's1',
    during: (work: (signal: AbortSignal) => Promise<void>) => work(cancel.signal),
    ask: async (query: CommitQuery) => {
      asked.push(query);
      return { message: 'Add a' };
    },
    ...change,
  };
  return { parts: parts as unknown as CommitMessageParts, told, asked, cancel };
}

test('the message is in the input of the repository whose button was used', async () => {
  const [one, two] = [repository('/w/one'), repository('/w/two', 'Ad')];
  const { parts, asked } = open({ repositories: async () => [one, two] });
  await generateCommitMessage(parts, { rootUri: two.rootUri });
  assert.deepEqual([one.inputBox.value, two.inputBox.value], ['', 'Add a']);
  assert.deepEqual(asked, [{ root: '/w/two', sessionId: 's1', draft: 'Ad' }]);
});

test('without the Git extension, or when it is off, a sentence says so', async () => {
  for (const repositories of [async () => undefined, () => Promise.reject(new Error('off'))]) {
    const { parts, told } = open({ repositories });
    await generateCommitMessage(parts);
    assert.match(told.join(), /Git extension is missing or turned off/);
  }
  const { parts, told } = open();
  await generateCommitMessage(parts);
  assert.deepEqual(told, ['No Git repository is open in this window.']);
});

test('of several repositories the user chooses one, and may choose none', async () => {
  const both = [repository('/w/one'), repository('/w/two')];
  const window = {
    showQuickPick: async (rows: readonly { label: string }[]) =>
      rows.find(({ label }) => label === 'two'),
  };
  const { parts } = open({ repositories: async () => both, window });
  await generateCommitMessage(parts);
  assert.deepEqual(
    both.map(({ inputBox }) => inputBox.value),
    ['', 'Add a'],
  );
  const none = open({ repositories: async () => both });
  await generateCommitMessage(none.parts);
  assert.deepEqual(none.asked, []);
});

test('what was typed meanwhile stays unless the user replaces it', async () => {
  for (const answer of [undefined, 'Replace']) {
    const only = repository('/w', '');
    const { parts } = open({
      repositories: async () => [only],
      window: { showInformationMessage: async () => answer },
      ask: async () => {
        only.inputBox.value = 'mine';
        return { message: 'Add a' };
      },
    });
    await generateCommitMessage(parts);
    assert.equal(only.inputBox.value, answer === undefined ? 'mine' : 'Add a');
  }
});

test('a failure is told and leaves the input alone', async () => {
  const only = repository('/w', 'mine');
  const ask = () => Promise.reject(new Error('Nothing is staged.'));
  const { parts, told } = open({ repositories: async () => [only], ask });
  await generateCommitMessage(parts);
  assert.deepEqual(
    [told, only.inputBox.value],
    [['No commit message was written: Nothing is staged.'], 'mine'],
  );
});

test('Cancel ends the request, leaves the input alone and says nothing', async () => {
  for (const arrives of [true, false]) {
    const only = repository('/w', 'mine');
    const asked: AbortSignal[] = [];
    const { parts, told, cancel } = open({
      repositories: async () => [only],
      ask: async (_: CommitQuery, signal: AbortSignal) => {
        asked.push(signal);
        cancel.abort();
        if (arrives) return { message: 'Add a' };
        throw new Error('Request cancelled');
      },
    });
    await generateCommitMessage(parts);
    assert.deepEqual([asked[0]?.aborted, told, only.inputBox.value], [true, [], 'mine']);
  }
});
