import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk';
import {
  toImageBlock,
  toLinesBlock,
  toLink,
  toTextBlock,
} from '../../../src/extension/context/blocks.ts';
import type { Script } from '../../tour/server.ts';
import { type Connected, connect, newSession, prompt, said } from './harness.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const BLOCKS: ContentBlock[] = [
  { type: 'text', text: 'Compare these.' },
  {
    type: 'resource',
    resource: { uri: 'file:///w/notes.md', mimeType: 'text/markdown', text: 'the embedded note' },
    annotations: { priority: 1 },
  },
  { type: 'resource_link', uri: 'file:///w/src/linked.ts', name: 'linked.ts' },
  { type: 'image', data: PNG, mimeType: 'image/png', uri: 'file:///w/shot.png' },
  { type: 'resource', resource: { uri: 'file:///w/a.zip', blob: 'AAAA' } },
  { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
];

/** What the model is sent for `BLOCKS`, in OpenAI's wire format. */
const SENT = [
  { type: 'text', text: 'Compare these.' },
  {
    type: 'text',
    text: '<attachment name="notes.md" uri="file:///w/notes.md" path="/w/notes.md" type="text/markdown">\nthe embedded note\n</attachment>',
  },
  {
    type: 'text',
    text: '<attachment name="linked.ts" uri="file:///w/src/linked.ts" path="/w/src/linked.ts">\nThe user attached only this link. Use a tool to read it if its content is needed.\n</attachment>',
  },
  {
    type: 'text',
    text: '<attachment name="shot.png" uri="file:///w/shot.png" path="/w/shot.png" type="image/png">\nThe image follows.\n</attachment>',
  },
  { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
  {
    type: 'text',
    text: '<attachment name="a.zip" uri="file:///w/a.zip" path="/w/a.zip" size="3 bytes">\nThis model does not accept files of type application/octet-stream, so the content (3 bytes) is missing.\n</attachment>',
  },
  {
    type: 'text',
    text: '<attachment name="audio" type="audio/wav" size="3 bytes">\nThis model does not accept files of type audio/wav, so the content (3 bytes) is missing.\n</attachment>',
  },
];

test('what is attached reaches the model, also after the session is opened again', async (t) => {
  const model = record();
  const first = await connect(t, { script: model.script });
  const sessionId = await newSession(first);
  await send(first, sessionId, BLOCKS);
  assert.deepEqual(userContent(model.bodies[0], 0), SENT);
  await first.stop();

  const { data, workspace } = first;
  const second = await connect(t, { script: model.script, data, workspace });
  await second.agent.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
  assert.deepEqual(userBlocks(second), BLOCKS);
  await prompt(second, sessionId, 'And now?');
  assert.deepEqual(userContent(model.bodies[1], 0), SENT);
  assert.deepEqual(userContent(model.bodies[1], 1), 'And now?');
});

test('each kind that the composer attaches reaches the model', async (t) => {
  const model = record();
  const host = await connect(t, { script: model.script });
  await send(host, await newSession(host), [
    toLink('file:///w/src', 'src'),
    toLinesBlock('file:///w/app.ts', { from: 10, to: 42 }, 'the selected lines'),
    toTextBlock('Problems', 'app.ts:3:7: error: Not found.'),
    toTextBlock('npm test', '$ npm test\n1 failed'),
    toTextBlock('Git changes', '+ a line', 'text/x-diff'),
    toImageBlock('shot.png', 'image/png', PNG),
  ]);
  const sent = JSON.stringify(userContent(model.bodies[0], 0));
  const expected = ['file:///w/src', 'app.ts#L10-42', 'the selected lines', 'Not found.'];
  for (const each of [...expected, '1 failed', '+ a line', PNG])
    assert.ok(sent.includes(each), each);
});

test('a session whose rows hold whole content blocks still reaches model and client', async (t) => {
  const model = record();
  const first = await connect(t, { script: model.script });
  const sessionId = await newSession(first);
  await send(first, sessionId, BLOCKS);
  await first.stop();
  storeAsBlocks(path.join(first.data, 'state', 'gatehouse.db'), BLOCKS);

  const { data, workspace } = first;
  const second = await connect(t, { script: model.script, data, workspace });
  await second.agent.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
  assert.deepEqual(userBlocks(second), BLOCKS);
  await prompt(second, sessionId, 'And now?');
  assert.deepEqual(userContent(model.bodies[1], 0), SENT);
});

test('a model that reads no images is sent none', async (t) => {
  const model = record();
  const host = await connect(t, { script: model.script });
  await writeFile(path.join(host.data, 'settings.json'), '{ "gatehouse.model.images": false }');
  await send(host, await newSession(host), [
    { type: 'image', data: PNG, mimeType: 'image/png', uri: 'file:///w/shot.png' },
  ]);
  const sent = String(userContent(model.bodies[0], 0));
  assert.match(sent, /name="shot\.png"/);
  assert.match(sent, /does not accept files of type image\/png/);
  assert.equal(JSON.stringify(model.bodies[0]).includes(PNG), false);
});

test('an attachment above its limit is refused with a reason, and nothing of it is stored', async (t) => {
  const model = record();
  const host = await connect(t, { script: model.script });
  const sessionId = await newSession(host);
  const text = 'x'.repeat(1024 * 1024 + 1);
  const large: ContentBlock = { type: 'resource', resource: { uri: 'file:///w/big.log', text } };
  const error = await send(host, sessionId, [large]).catch((reason: unknown) => reason);
  assert.ok(error instanceof RequestError, String(error));
  assert.match(error.message, /big\.log is larger than 1 MB/);
  assert.deepEqual(error.data, { kind: 'bad-prompt', retryable: false });
  await prompt(host, sessionId, 'Without it, then.');
  assert.equal(said(host), 'Done.');
  assert.deepEqual(userContent(model.bodies[0], 0), 'Without it, then.');
});

test('initialize offers images and embedded context, and no audio', async (t) => {
  const host = await connect(t);
  const [reply] = host.lines.flatMap(({ message }) =>
    Object(message.result).agentCapabilities === undefined ? [] : [Object(message.result)],
  );
  assert.deepEqual(reply.agentCapabilities.promptCapabilities, {
    embeddedContext: true,
    image: true,
  });
});

function send({ agent }: Connected, sessionId: string, blocks: ContentBlock[]) {
  return agent.request('session/prompt', { sessionId, prompt: blocks });
}

function record() {
  const bodies: Readonly<Record<string, unknown>>[] = [];
  const script: Script = ({ body }) => {
    bodies.push(body);
    return { text: 'Done.' };
  };
  return { bodies, script };
}

function userContent(body: Readonly<Record<string, unknown>> | undefined, index: number): unknown {
  const messages: readonly { role: string; content: unknown }[] = Object(body?.['messages']);
  return messages.filter(({ role }) => role === 'user')[index]?.content;
}

function userBlocks({ updates }: Connected): readonly ContentBlock[] {
  return updates.flatMap(({ update }) =>
    update.sessionUpdate === 'user_message_chunk' ? [update.content] : [],
  );
}

/** As versions before typed attachments wrote them. */
function storeAsBlocks(file: string, blocks: readonly ContentBlock[]) {
  const database = new DatabaseSync(file);
  const parts = database.prepare(`SELECT id FROM chat_parts WHERE type = 'file' ORDER BY "index"`);
  const write = database.prepare('UPDATE chat_parts SET data_json = ? WHERE id = ?');
  const files = blocks.filter(({ type }) => type !== 'text');
  for (const [index, { id }] of parts.all().entries()) {
    write.run(JSON.stringify({ type: 'file', data: files[index] }), String(id));
  }
  database.close();
}
