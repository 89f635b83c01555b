import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect, newSession, prompt } from './harness.ts';

// A token in a document that is open in the editor and isn't saved. The file on disk holds none.

const CLIENTS = {
  ours: {
    fs: { readTextFile: true, writeTextFile: true },
    _meta: { gatehouse: { v: 1, documents: true } },
  },
  'another editor': { fs: { readTextFile: true, writeTextFile: true } },
};
const SAVED = 'registry=https://registry.npmjs.org/\n';
const TOKEN = `${SAVED}//registry.npmjs.org/:_authToken=npm_unsaved\n`;

interface Asked {
  /** How often the user was asked. */
  readonly asks: number;
  /** What the model was told. */
  readonly told: string;
}

/** One call in a session whose editor has `a/.npmrc` open with a text of its own; the user rejects what asks. */
async function call(
  t: TestContext,
  {
    tool,
    input,
    text,
    editor,
  }: {
    readonly tool: string;
    readonly input: object;
    readonly text: string;
    readonly editor: keyof typeof CLIENTS;
  },
): Promise<Asked> {
  let asks = 0;
  let told = '';
  const host = await connect(t, {
    script: ({ conversation }: { conversation: { results: readonly unknown[] } }) => {
      const [result] = conversation.results;
      if (result === undefined) return { calls: [{ tool, input }] };
      told = JSON.stringify(result);
      return { text: 'Ok.' };
    },
    client: {
      capabilities: CLIENTS[editor],
      permission: () => {
        asks += 1;
        return { outcome: { outcome: 'selected', optionId: 'reject' } };
      },
      other: (method) => {
        const file = path.join(host.workspace, 'a/.npmrc');
        const document = { path: file, uri: `file://${file}`, dirty: true, version: 2 };
        if (method === '_gatehouse/documents')
          return { documents: [{ ...document, encoding: 'utf8', eol: '\n' }] };
        return method === 'fs/read_text_file' ? { content: text } : undefined;
      },
    },
  });
  await mkdir(path.join(host.workspace, 'a'));
  await writeFile(path.join(host.workspace, 'a/.npmrc'), SAVED);
  await prompt(host, await newSession(host));
  return { asks, told };
}

for (const editor of ['ours', 'another editor'] as const)
  for (const [tool, input] of [
    ['read', { path: 'a/.npmrc' }],
    ['grep', { path: 'a/.npmrc', pattern: 'registry', hidden: true }],
  ] as const)
    test(`${tool} of a file asks about a token that is not saved (${editor})`, async (t) => {
      const asked = await call(t, { tool, input, text: TOKEN, editor });
      assert.equal(asked.asks, 1, asked.told);
      assert.ok(!asked.told.includes('npm_unsaved'), asked.told);
      const plain = await call(t, { tool, input, text: `${SAVED}# edited\n`, editor });
      assert.equal(plain.asks, 0, plain.told);
      assert.match(plain.told, /registry\.npmjs\.org/);
    });

test('grep of a folder shows no line of a file with a token that is not saved', async (t) => {
  const input = { path: 'a', pattern: 'registry', hidden: true };
  const asked = await call(t, { tool: 'grep', input, text: TOKEN, editor: 'ours' });
  assert.equal(asked.asks, 0, asked.told);
  assert.ok(!asked.told.includes('registry.npmjs.org'), asked.told);
  const plain = await call(t, { tool: 'grep', input, text: SAVED, editor: 'ours' });
  assert.match(plain.told, /registry\.npmjs\.org/);
});
