import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toToken } from '../../../../src/extension/asks/cancellation.ts';
import { findServerInput } from '../../../../src/extension/mcp/serverInput.ts';
import { createSecrets } from '../../../../src/extension/setup/secrets.ts';
import { english } from '../english.ts';

const KEY = 'a'.repeat(64);
const QUERY = { server: 'srv$(trash)', key: KEY, again: false, input: { id: 'i', password: true } };
const TOKEN = toToken(new AbortController().signal);

function createBed(answers: readonly (string | undefined)[]) {
  const stored = new Map<string, string>();
  const boxes: { readonly [name: string]: unknown }[] = [];
  const left = [...answers];
  const window = {
    showInputBox: async (options: object) => {
      boxes.push({ ...options });
      return left.shift();
    },
    showQuickPick: async (items: readonly { readonly label: string }[], options: object) => {
      boxes.push({ ...options, items: items.map(({ label }) => label) });
      const value = left.shift();
      return items.find(({ label }) => label === value);
    },
  };
  const secrets = createSecrets({
    get: async (id) => stored.get(id),
    store: async (id, value) => void stored.set(id, value),
    delete: async (id) => void stored.delete(id),
  });
  return { stored, boxes, parts: { window: window as never, secrets, t: english } };
}

test('a password input is hidden, kept in the secret storage, and asked for once', async () => {
  const { parts, boxes, stored } = createBed(['s3cret', 'other']);
  assert.equal(await findServerInput(parts, QUERY, TOKEN), 's3cret');
  assert.equal(boxes[0]?.['password'], true);
  assert.equal(boxes[0]?.['title'], 'MCP server srv$\u200b(trash)', 'no icon of a file is drawn');
  assert.deepEqual([...stored], [[`gatehouse/mcp/input/${KEY}`, 's3cret']]);
  assert.equal(await findServerInput(parts, QUERY, TOKEN), 's3cret');
  assert.equal(boxes.length, 1);
  assert.equal(await findServerInput(parts, { ...QUERY, again: true }, TOKEN), 'other');
  assert.deepEqual([...stored.values()], ['other']);
});

test('an input box that is closed gives no value and keeps the stored one', async () => {
  const { parts, stored } = createBed([undefined]);
  stored.set(`gatehouse/mcp/input/${KEY}`, 'kept');
  assert.equal(await findServerInput(parts, { ...QUERY, again: true }, TOKEN), undefined);
  assert.deepEqual([...stored.values()], ['kept']);
});

test('an input with options is a pick, and one with an initial value starts from it', async () => {
  const { parts, boxes } = createBed(['b', 'x']);
  const input = { id: 'i', description: 'Which?', password: false };
  const pick = { ...QUERY, input: { ...input, options: ['a', 'b'] } };
  assert.equal(await findServerInput(parts, pick, TOKEN), 'b');
  assert.deepEqual(boxes[0]?.['items'], ['a', 'b']);
  await findServerInput(parts, { ...QUERY, again: true, input: { ...input, initial: 'q' } }, TOKEN);
  assert.deepEqual([boxes[1]?.['value'], boxes[1]?.['password']], ['q', false]);
});

test('the description of an input is no link that runs a command, and hides nothing', async () => {
  const { parts, boxes } = createBed(['x', 'x']);
  const description = '[`Token`](command:workbench.action.quit)\u202e \\[a\\](command:b)';
  const input = { id: 'i', description, password: true };
  await findServerInput(parts, { ...QUERY, input }, TOKEN);
  assert.equal(
    boxes[0]?.['prompt'],
    "Token (command:workbench.action.quit)␣U+202E [a] (command:b) (kept in VS Code's secret storage)",
  );
  const icons = { ...input, options: ['$(trash) a', '$(check) b'] };
  await findServerInput(parts, { ...QUERY, again: true, input: icons }, TOKEN);
  assert.deepEqual(boxes[1]?.['items'], ['$\u200b(trash) a', '$\u200b(check) b']);
});
