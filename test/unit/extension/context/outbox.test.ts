import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { AttachedContents } from '../../../../src/extension/context/contents.ts';
import { Outbox } from '../../../../src/extension/context/outbox.ts';
import type { Attached } from '../../../../src/webview/messages/attached.ts';
import { english } from '../english.ts';
import { start, TOO_LARGE, until } from '../inProcessHost.ts';

const FILE: ContentBlock = { type: 'resource_link', uri: 'file:///work/a.ts', name: 'a.ts' };
const LINES: ContentBlock = {
  type: 'resource',
  resource: { uri: 'file:///work/app.ts#L10-42', text: 'the lines' },
};
const PICTURE: ContentBlock & { type: 'image' } = {
  ...{ type: 'image', mimeType: 'image/png', data: 'AAAA' },
  uri: 'gatehouse-context:/shot.png',
};

async function open(t: TestContext) {
  const started = start();
  const folder = await mkdtemp(path.join(tmpdir(), 'gatehouse-'));
  let kept = Promise.resolve();
  t.after(async () => {
    // What is put back may still be written when the test has seen its message.
    await kept;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const contents = new AttachedContents(path.join(folder, 'attached'));
  const returned: [string, readonly Attached[]][] = [];
  const errors: string[] = [];
  let shown = true;
  const hide = () => {
    shown = false;
  };
  const outbox = new Outbox({
    ...{ chats: started.chats, contents, t: english },
    views: {
      showing: () =>
        shown
          ? { addToMessage: (attached, text = '') => returned.push([text, attached]) }
          : undefined,
    },
    window: { showErrorMessage: (message) => errors.push(message) },
  });
  started.chats.onDidReturnText(({ attached }) => {
    kept = outbox.putBack(attached);
  });
  const chips = [
    await contents.add({ kind: 'file', label: 'a.ts' }, FILE),
    await contents.add({ kind: 'selection', label: 'app.ts:10–42' }, LINES),
    await contents.add({ kind: 'image', label: 'shot.png' }, PICTURE),
  ];
  const prompts = () =>
    started.calls.flatMap(([method, params]) =>
      method === 'session/prompt' ? [(params as { prompt: unknown }).prompt] : [],
    );
  return {
    ...started,
    folder,
    contents,
    outbox,
    chips,
    prompts,
    returned,
    errors,
    hide,
    kept: () => kept,
  };
}

test('what is attached is in the prompt after the text, and named in the transcript', async (t) => {
  const { outbox, chat, chips, prompts } = await open(t);
  await outbox.send(chat, 'Compare these.', chips);
  assert.deepEqual(prompts(), [[{ type: 'text', text: 'Compare these.' }, FILE, LINES, PICTURE]]);
  assert.deepEqual(
    chat.state.items.map((item) => 'text' in item && item.text),
    ['Compare these.\n[a.ts](file:///work/a.ts)\n(resource: app.ts:10–42)\n(image: shot.png)\n'],
  );
});

test('a message may be nothing but what is attached', async (t) => {
  const { outbox, chat, chips, prompts } = await open(t);
  await outbox.send(chat, '', chips.slice(0, 1));
  assert.deepEqual(prompts(), [[FILE]]);
});

test('messages arrive in the order they were sent, although reading takes time', async (t) => {
  const { outbox, chat, chips, prompts } = await open(t);
  await Promise.all([outbox.send(chat, 'one', chips), outbox.send(chat, 'two', [])]);
  await until(() => (prompts().length === 2 ? true : undefined));
  assert.deepEqual(prompts()[1], [{ type: 'text', text: 'two' }]);
});

test('a message whose attachment is gone is not sent but put back', async (t) => {
  const { outbox, chat, folder, chips, prompts, returned, errors } = await open(t);
  await rm(path.join(folder, 'attached'), { recursive: true });
  await outbox.send(chat, 'Look.', chips);
  assert.deepEqual(prompts(), []);
  assert.deepEqual(returned, [['Look.', chips]]);
  assert.deepEqual(errors, ['a.ts is no longer available. Attach it again.']);
});

test('it stays with its session if no view shows that by then', async (t) => {
  const { outbox, chat, contents, chips, returned, hide } = await open(t);
  const [first, , picture] = chips;
  assert.ok(first && picture);
  hide();
  await outbox.send(chat, 'Look.', [first, { ...picture, id: 'gone' }]);
  assert.deepEqual(returned, []);
  assert.deepEqual(chat.takeReturned(), [
    { text: 'Look.', attached: [{ chip: first, content: await contents.get(first.id) }] },
  ]);
});

test('a message from the queue keeps what is attached to it', async (t) => {
  const { outbox, chats, chat, chips, script, prompts, kept } = await open(t);
  const gate = Promise.withResolvers<void>();
  script.push(async () => {
    await gate.promise;
    return 'end_turn';
  });
  const first = outbox.send(chat, 'one', []);
  await until(() => (prompts().length === 1 ? true : undefined));
  void outbox.send(chat, 'two', chips);
  await until(() => (prompts().length === 2 ? true : undefined));
  const [entry] = chat.state.queue;
  await chats.removeQueued(chat, entry?.id ?? '');
  const [message] = chat.takeReturned();
  assert.deepEqual([message?.text, message?.attached.map(({ chip }) => chip)], ['two', chips]);
  gate.resolve();
  await first;
  await kept();
  await outbox.send(chat, 'two again', chips);
  assert.deepEqual(prompts().at(-1), [
    { type: 'text', text: 'two again' },
    ...[FILE, LINES, PICTURE],
  ]);
});

test('what was sent is removed when its turn ends, and can be put back', async (t) => {
  const { outbox, chat, contents, chips, folder } = await open(t);
  await outbox.send(chat, 'Look.', chips.slice(1));
  assert.deepEqual(await readdir(path.join(folder, 'attached')), [`${chips[0]?.id}.json`]);
  const [one, two] = chips.slice(1).map(({ id }) => id);
  await Promise.all([contents.putBack(one ?? '', LINES), contents.remove(two ?? '')]);
  assert.deepEqual(await contents.get(one ?? ''), LINES);
});

test('a file that is gone, or a folder that could not be made, does not end attaching', async (t) => {
  const { folder } = await open(t);
  const attached = path.join(folder, 'attached');
  await symlink(path.join(folder, 'gone'), path.join(attached, 'gone.json'));
  const next = new AttachedContents(attached);
  assert.ok(await next.add({ kind: 'file', label: 'a.ts' }, FILE));

  await writeFile(path.join(folder, 'late'), 'in the way');
  const late = new AttachedContents(path.join(folder, 'late'));
  await assert.rejects(late.add({ kind: 'file', label: 'a.ts' }, FILE));
  await rm(path.join(folder, 'late'));
  assert.ok(await late.add({ kind: 'file', label: 'a.ts' }, FILE));
  await rm(path.join(folder, 'late'), { recursive: true });
  await assert.rejects(late.add({ kind: 'file', label: 'a.ts' }, FILE));
  assert.ok(await late.add({ kind: 'file', label: 'a.ts' }, FILE));
});

test('a retry sends what was attached', async (t) => {
  const { outbox, chats, chat, chips, script, prompts } = await open(t);
  script.push(async () => {
    throw new Error('The model is down.');
  });
  await outbox.send(chat, 'Compare these.', chips);
  await chats.retry(chat);
  assert.deepEqual(prompts()[1], prompts()[0]);
});

test('a message that the host can not read is put back, and offers no retry', async (t) => {
  const { outbox, chat, chips } = await open(t);
  await outbox.send(chat, TOO_LARGE.text, chips);
  const last = chat.state.items.at(-1);
  assert.deepEqual(last?.kind === 'error' && [last.text, last.retry], [
    'The message is larger than 16 MB.',
    false,
  ]);
  const [message] = chat.takeReturned();
  assert.deepEqual(
    [message?.text, message?.attached.map(({ chip }) => chip)],
    [TOO_LARGE.text, chips],
  );
});

test('a queued message that the host can not read is put back with the reason', async (t) => {
  const { outbox, chat, chips, script, prompts } = await open(t);
  const gate = Promise.withResolvers<void>();
  script.push(async () => {
    await gate.promise;
    return 'end_turn';
  });
  const first = outbox.send(chat, 'one', []);
  await until(() => (prompts().length === 1 ? true : undefined));
  await outbox.send(chat, TOO_LARGE.text, chips);
  gate.resolve();
  await first;
  const told = await until(
    () =>
      chat.state.items.some(
        (item) => 'text' in item && item.text === 'The message is larger than 16 MB.',
      ) || undefined,
  );
  assert.deepEqual([told, chat.takeReturned().map(({ text }) => text)], [true, [TOO_LARGE.text]]);
});

test('attachments that are too large together are put back before anything is sent', async (t) => {
  const { outbox, contents, chat, prompts, returned, errors } = await open(t);
  const data = Buffer.alloc(7 * 1024 * 1024).toString('base64');
  const chips = [
    await contents.add({ kind: 'image', label: 'a.png' }, { ...PICTURE, data }),
    await contents.add({ kind: 'image', label: 'b.png' }, { ...PICTURE, data }),
  ];
  await outbox.send(chat, 'Compare these.', chips);
  assert.deepEqual([prompts(), returned], [[], [['Compare these.', chips]]]);
  assert.deepEqual(errors, [
    'The message with what is attached is larger than 16 MB, so it was not sent. Your text and all attachments are kept: remove one and send again.',
  ]);
  await outbox.send(chat, 'Look.', chips.slice(0, 1));
  assert.equal(prompts().length, 1);
});

test('contents outlive a window, for thirty days', async (t) => {
  const { folder, chips } = await open(t);
  const file = path.join(folder, 'attached', `${chips[0]?.id}.json`);
  await utimes(file, new Date(0), new Date(0));
  const next = new AttachedContents(path.join(folder, 'attached'));
  assert.deepEqual(await next.get(chips[1]?.id ?? ''), LINES);
  await next.add({ kind: 'file', label: 'a.ts' }, FILE);
  assert.equal(await next.get(chips[0]?.id ?? ''), undefined);
  assert.equal((await readdir(path.join(folder, 'attached'))).length, 3);
});

test('only an id of a content is read, whatever a page asks for', async (t) => {
  const { folder, contents } = await open(t);
  await writeFile(path.join(folder, 'secret.json'), JSON.stringify(FILE));
  assert.equal(await contents.get('../secret'), undefined);
});

test('a content above its limit is refused when it is attached, with what to do instead', async (t) => {
  const { contents } = await open(t);
  const text = 'x'.repeat(1024 * 1024 + 1);
  await assert.rejects(
    contents.add(
      { kind: 'terminal', label: 'log' },
      { type: 'resource', resource: { uri: 'file:///work/big.log', text } },
    ),
    /big\.log is larger than 1 MB\. Attach a link to the file, or a part of it\./,
  );
});

test('an image that no model accepts is refused when it is attached', async (t) => {
  const { contents } = await open(t);
  await assert.rejects(
    contents.add({ kind: 'image', label: 'shot.png' }, { ...PICTURE, mimeType: 'image/tiff' }),
    /Models accept no images of type image\/tiff/,
  );
});
