import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setSearchKey } from '../../../../src/extension/setup/searchKey.ts';
import { english } from '../english.ts';

test('a search key is kept in the secret storage, and an empty one removes it', async () => {
  const calls: string[] = [];
  const keys = ['k', ''];
  const window = {
    showQuickPick: async (rows: readonly { label: string }[]) => rows[0],
    showInputBox: async () => keys.shift(),
    showInformationMessage: async () => undefined,
  };
  const secrets = {
    get: async () => undefined,
    set: async (id: string, value: string) => void calls.push(`set ${id} ${value}`),
    clear: async (id: string) => void calls.push(`clear ${id}`),
  };
  await setSearchKey(window as never, secrets, english);
  await setSearchKey(window as never, secrets, english);
  assert.deepEqual(calls, ['set search/brave k', 'clear search/brave']);
});
