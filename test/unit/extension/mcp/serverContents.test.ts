import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContentResult } from '../../../../src/acp/gatehouse/tools.ts';
import type { ServerContent } from '../../../../src/base/tools/serverContent.ts';
import { createServerContents } from '../../../../src/extension/mcp/serverContents.ts';
import { english } from '../english.ts';
import { FakeClock } from '../fakeClock.ts';

const CONTENT: ServerContent = {
  resources: [{ server: 'docs', uri: 'docs://a', name: 'Guide' }],
  templates: [
    {
      ...{ server: 'docs', template: 'docs://{book}/{page}', name: 'Page' },
      ...{ description: 'A **page** of\n`docs`.', completes: false },
    },
  ],
  prompts: [
    {
      ...{ server: 'docs', name: 'review', description: 'Reviews `a`.', completes: false },
      arguments: [
        { name: 'file', required: true, description: '[x](command:y)' },
        { name: 'style', required: false },
      ],
    },
  ],
};

interface SetUp {
  readonly result?: ContentResult;
  readonly typed?: readonly (string | undefined)[];
  readonly started?: boolean;
  list?(): Promise<ServerContent>;
}

function open({ result = { parts: [] }, typed = [], started = true, list }: SetUp = {}) {
  const called: unknown[] = [];
  const shown: (string | undefined)[] = [];
  const answers = [...typed];
  const clock = new FakeClock();
  const connection = async () => ({
    async call(name: string, params: unknown) {
      called.push([name, params]);
      if (name === 'readContent') return result;
      return list ? list() : CONTENT;
    },
  });
  const contents = createServerContents({
    link: () => ({ started, listsTools: true, connection }) as never,
    window: {
      async showInputBox(options: { prompt?: string } = {}) {
        shown.push(options.prompt);
        return answers.shift();
      },
    } as never,
    ...{ clock, t: english },
  });
  return { contents, called, shown, clock };
}

test('a resource is attached with its text, or as a picture', async () => {
  const { contents, called } = open({ result: { parts: [{ type: 'text', text: 'Hi.' }] } });
  const [guide] = await contents.resources();
  assert.deepEqual(
    [guide?.kind, guide?.label, guide?.description],
    ['resource', 'Guide', 'docs · docs://a'],
  );
  assert.deepEqual(await guide?.read(), {
    type: 'resource',
    resource: { uri: 'gatehouse-context:/docs%3A%20Guide', text: 'Hi.', mimeType: 'text/plain' },
  });
  await contents.resources();
  assert.deepEqual(called, [
    ['serverContent', {}],
    ['readContent', { server: 'docs', uri: 'docs://a' }],
  ]);
  const picture = { type: 'image', mimeType: 'image/png', data: 'AA==' } as const;
  const [second] = await open({ result: { parts: [picture] } }).contents.resources();
  assert.equal((await second?.read())?.type, 'image');
});

test('issue 18: a template is listed behind @, asks for its variables, and attaches what they lead to', async () => {
  const result = { parts: [{ type: 'text', text: 'Hi.' }] } as const;
  const { contents, called, shown } = open({ result, typed: ['a b', '7'] });
  const page = (await contents.resources()).find(({ label }) => label === 'Page…');
  assert.equal(page?.description, 'docs · A page of docs.');
  const attached = await page?.read();
  assert.deepEqual(shown, ['book', 'page']);
  assert.deepEqual(called.at(-1), ['readContent', { server: 'docs', uri: 'docs://a%20b/7' }]);
  assert.ok(attached?.type === 'resource');
  const given = open({ result, typed: ['a', undefined] });
  const again = (await given.contents.resources()).find(({ label }) => label === 'Page…');
  assert.equal(await again?.read(), undefined, 'the user gave up');
});

test('a prompt asks for its arguments, and gives the text that goes into the message', async () => {
  const result = { parts: [{ type: 'text', text: 'Review a.ts.' }] } as const;
  const { contents, called, shown } = open({ result, typed: ['a.ts', ''] });
  const [prompt] = await contents.prompts();
  assert.deepEqual([prompt?.label, prompt?.description], ['/docs:review', 'Reviews a.']);
  assert.deepEqual(await prompt?.fill?.(), { text: 'Review a.ts.', images: [] });
  assert.deepEqual(shown, ['file: x (command:y)', 'style (optional)']);
  const query = { server: 'docs', prompt: 'review', arguments: { file: 'a.ts' } };
  assert.deepEqual(called.at(-1), ['readContent', query]);
});

test('a user who gives up fills in nothing', async () => {
  const { contents, called } = open({ typed: [undefined] });
  const [prompt] = await contents.prompts();
  assert.equal(await prompt?.fill?.(), undefined);
  assert.deepEqual(called, [['serverContent', {}]]);
});

test('typing neither starts the host nor waits for servers that hang', async () => {
  const idle = open({ started: false });
  assert.deepEqual([await idle.contents.resources(), idle.called], [[], []]);
  const { contents, clock } = open({ list: () => new Promise(() => undefined) });
  const listed = contents.resources();
  await new Promise((resolve) => setImmediate(resolve));
  clock.tick(700);
  assert.deepEqual(await listed, []);
  const broken = open({ list: () => Promise.reject(new Error('No.')) });
  assert.deepEqual(await broken.contents.prompts(), []);
});
