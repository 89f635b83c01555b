import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { Editor, ROOT } from './editor.ts';

// What diagnostics and positions depend on besides the document: other files, and settings.

after(() => rmSync(ROOT, { recursive: true, force: true, maxRetries: 5 }));

test('a reference leads to a schema that was created after the last search for it', async () => {
  const editor = await new Editor().start();
  const text = '{"version":1,"tools":[{"input_schema":{"$ref":"schema:la|te"}}]}';
  const go = () => editor.ask('textDocument/definition', 'tools.json', text);
  assert.equal(await go(), null);
  mkdirSync(path.join(editor.folder, 'schemas'));
  writeFileSync(path.join(editor.folder, 'schemas/late.json'), '{}');
  assert.ok(await go());
});

test("the editor's limits.schemaMs is the time that compiling a schema may take", async () => {
  const editor = await new Editor({ 'tools/bin/x': '' }).start();
  const part = { anyOf: [{ type: 'string', minLength: 1 }, { not: { type: 'number' } }] };
  const properties = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`p${at}`, part]));
  const tool = { name: 'a', command: ['./tools/bin/x'], schema: { type: 'object', properties } };
  const set = (schemaMs: number) =>
    editor.connection.sendNotification('workspace/didChangeConfiguration', {
      settings: { gatehouse: { limits: { schemaMs } } },
    });
  await set(10);
  await editor.write('tools.json', JSON.stringify({ tools: [tool] }));
  const messages = () => editor.diagnostics('tools.json').map(({ message }) => message);
  await until(editor, () => messages().length > 0);
  assert.match(messages().join(), /compiling tool\[0\] "a": schema takes longer than 10 ms/);
  await set(60_000);
  await until(editor, () => messages().length === 0);
  assert.deepEqual(messages(), []);
});

/** Sends requests until the diagnostics that arrive meanwhile are as expected. */
async function until(editor: Editor, isMet: () => boolean): Promise<void> {
  const textDocument = { uri: editor.uri('tools.json') };
  for (let round = 0; round < 100_000 && !isMet(); round++) {
    await editor.connection.sendRequest('textDocument/documentSymbol', { textDocument });
  }
}
