import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Attached, FoundContext } from '../../src/webview/messages/attached.ts';
import type { ChatState } from '../../src/webview/messages/chatState.ts';
import type { ToExtension, ToWebview } from '../../src/webview/messages/messages.ts';
import { ChatPage, type ChatPageOptions, STRINGS } from '../workbench/chatPage.ts';
import { RESULTS } from '../workbench/paths.ts';
import { until } from '../workbench/processes.ts';
import { themed } from '../workbench/themes.ts';
import { LOOKS } from '../workbench/variants.ts';
import { findPageFaults } from './axe.ts';
import { chatState } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

const CHIPS: readonly Attached[] = [
  { id: '1', kind: 'selection', label: 'app.ts:10–42' },
  { id: '2', kind: 'file', label: 'readme.md' },
  { id: '3', kind: 'image', label: 'shot.png' },
];

const pages: ChatPage[] = [];
after(async () => {
  for (const page of pages) await page.close();
});

async function openPage(state: ChatState, options?: ChatPageOptions): Promise<ChatPage> {
  const page = await ChatPage.open(await sharedBrowser(), options);
  pages.push(page);
  await page.show(state);
  return page;
}

/** A page to which the extension answers at once, before it has drawn anything. */
async function openAnswered(...messages: readonly ToWebview[]): Promise<ChatPage> {
  const page = await ChatPage.open(await sharedBrowser());
  pages.push(page);
  await page.page.addInitScript((all) => {
    const acquire: () => { postMessage(message: { type: string }): void } = Reflect.get(
      window,
      'acquireVsCodeApi',
    );
    Reflect.set(window, 'acquireVsCodeApi', () => {
      const editor = acquire();
      const postMessage = (message: { type: string }) => {
        editor.postMessage(message);
        if (message.type !== 'ready') return;
        for (const data of all) window.dispatchEvent(new MessageEvent('message', { data }));
      };
      return { ...editor, postMessage };
    });
  }, messages);
  await page.page.reload();
  return page;
}

const field = ({ page }: ChatPage) => page.getByRole('textbox', { name: 'Message' });
const chips = ({ page }: ChatPage) =>
  page.getByRole('list', { name: 'Attached' }).getByRole('button');

/** The page's messages of a kind, as soon as there is one. */
async function posted(page: ChatPage, type: ToExtension['type']): Promise<readonly ToExtension[]> {
  return until(type, async () => {
    const found = (await page.posted()).filter((message) => message.type === type);
    return found.length > 0 ? found : undefined;
  });
}

async function attach(page: ChatPage, attached = CHIPS): Promise<void> {
  await page.post({ type: 'focusComposer', session: 'one', text: '', attached });
  await until(
    'the chips',
    async () => (await chips(page).count()) === attached.length || undefined,
  );
}

/** The page attaches the entry of a list, and returns the request. */
async function attaches(page: ChatPage, id: string): Promise<string> {
  const [asked, ...others] = await posted(page, 'attach');
  assert.ok(asked?.type === 'attach');
  const { request, ...rest } = asked;
  assert.deepEqual([rest, ...others], [{ type: 'attach', session: 'one', id }]);
  return request;
}

test('chips are removed by keyboard, kept with the draft, and sent', async () => {
  const page = await openPage(chatState([]));
  await attach(page);
  await field(page).fill('Compare');
  await chips(page).nth(0).focus();
  await page.page.keyboard.press('ArrowRight');
  await page.page.keyboard.press('Delete');
  await until('two chips', async () => (await chips(page).count()) === 2 || undefined);
  await page.page.locator('[aria-label="Remove shot.png"]:focus').waitFor();
  const kept = await page.kept();
  assert.deepEqual(kept?.attached, [CHIPS[0], CHIPS[2]]);

  const next = await openPage(chatState([]), kept && { kept });
  assert.equal(await chips(next).count(), 2);
  await field(next).press('Enter');
  assert.deepEqual(await posted(next, 'send'), [
    { type: 'send', session: 'one', text: 'Compare', attached: [CHIPS[0], CHIPS[2]] },
  ]);
  await chips(next).first().waitFor({ state: 'detached' });
  assert.deepEqual((await next.kept())?.attached, []);
  assert.deepEqual(await next.faults(), []);
});

test('what comes while the page loads is drawn, and is in the composer', async () => {
  const page = await openAnswered(
    { type: 'snapshot', session: 'one', state: chatState([]), strings: STRINGS },
    { type: 'focusComposer', session: 'one', text: 'Fix this.', attached: CHIPS },
    { type: 'appendText', session: 'one', text: ' Now.' },
  );
  await page.page.locator('.chat').waitFor({ timeout: 5_000 });
  await until(
    'the text',
    async () => (await field(page).inputValue()) === 'Fix this. Now.' || undefined,
  );
  assert.equal(await chips(page).count(), CHIPS.length);
  assert.deepEqual(await page.faults(), []);
});

test('many chips with long names fit at every width', async () => {
  const long = Array.from({ length: 9 }, (_, index): Attached => {
    return { id: `${index}`, kind: 'file', label: `${'a-very-long-name-'.repeat(index)}.ts` };
  });
  for (const width of [220, 400, 900]) {
    const page = await openPage(chatState([]), { width });
    await attach(page, long);
    const { scroll, client } = await page.page.evaluate(() => {
      const { scrollWidth: scroll, clientWidth: client } = document.documentElement;
      return { scroll, client };
    });
    assert.ok(scroll <= client, `${width}: ${scroll} > ${client}`);
    await page.page.screenshot({
      path: path.join(RESULTS, 'screenshots', `composer-chips-${width}.png`),
    });
  }
});

const FOUND: readonly FoundContext[] = [
  { id: '1', kind: 'selection', label: 'Selection', description: 'app.ts:10–42' },
  {
    id: '2',
    kind: 'file',
    label: 'app.ts',
    description: 'src/a/very/deep/folder/of/the/workspace',
  },
  { id: '3', kind: 'folder', label: 'src' },
];

const options = ({ page }: ChatPage) => page.getByRole('listbox').getByRole('option');

/** Types `@` and shows what was found. */
async function lookUp(page: ChatPage): Promise<void> {
  await field(page).focus();
  await field(page).pressSequentially('@');
  const [asked] = await posted(page, 'lookUp');
  assert.ok(asked?.type === 'lookUp');
  await page.post({ type: 'found', session: 'one', request: asked.request, entries: FOUND });
  await until('the list', async () => (await options(page).count()) === FOUND.length || undefined);
}

test('the list after @ is used by keyboard, and Escape closes it and stops nothing', async () => {
  for (const width of [220, 400, 900]) {
    const page = await openPage(chatState([], { activity: 'running' }), { width });
    await lookUp(page);
    assert.equal(await field(page).getAttribute('aria-activedescendant'), 'suggestions-0');
    await field(page).press('ArrowDown');
    await until('the second entry', async () => {
      const active = await field(page).getAttribute('aria-activedescendant');
      return active === 'suggestions-1' || undefined;
    });
    const name = `composer-list-${width}.png`;
    await page.page.screenshot({ path: path.join(RESULTS, 'screenshots', name) });
    if (width !== 400) continue;
    await field(page).press('Enter');
    await attaches(page, '2');
    assert.equal(await field(page).inputValue(), '');

    await lookUp(page);
    await field(page).press('Escape');
    await until(
      'the end of the list',
      async () => (await options(page).count()) === 0 || undefined,
    );
    assert.equal(await page.page.getByText('Press Escape again').count(), 0);
    await field(page).press('Escape');
    await page.page.getByText('Press Escape again to stop.').first().waitFor();
    const before = await page.posted();
    assert.ok(!before.some(({ type }) => type === 'stop'));
    await field(page).press('Escape');
    assert.deepEqual(await page.faults(), []);
  }
});

for (const theme of LOOKS) {
  test(`the list after @ tells names from where they are, and can be read in ${theme}`, async () => {
    const page = await openPage(chatState([]));
    await themed(page.page, theme);
    await lookUp(page);
    // A selected row has the colors of a selection.
    const file = options(page).nth(1).locator('span[dir]');
    const colors = await file.evaluateAll((all) => all.map((each) => getComputedStyle(each).color));
    assert.equal(new Set(colors).size, 2, colors.join());
    assert.deepEqual(await findPageFaults(page.page), []);
  });
}

test('a second Escape stops, and a slash lists the commands', async () => {
  const commands = [
    { name: 'compact', description: 'Summarize the conversation', hint: 'what to keep' },
    { name: 'review', description: 'Review the changes' },
  ];
  const page = await openPage(chatState([], { activity: 'running', commands }));
  await until('the stop', async () => {
    await field(page).press('Escape');
    return (await page.posted()).some(({ type }) => type === 'stop') || undefined;
  });
  await field(page).pressSequentially('/com');
  await until('the commands', async () => (await options(page).count()) === 1 || undefined);
  assert.match((await options(page).textContent()) ?? '', /\/compact what to keep/);
  await field(page).press('Tab');
  await until(
    'the command',
    async () => (await field(page).inputValue()) === '/compact ' || undefined,
  );
});

test('prompts of servers join the commands behind a slash, and are taken into the message', async () => {
  const commands = [{ name: 'compact', description: 'Summarize the conversation' }];
  const page = await openPage(chatState([], { commands }));
  await field(page).focus();
  await field(page).pressSequentially('/');
  const [asked] = await posted(page, 'lookUp');
  assert.ok(asked?.type === 'lookUp' && asked.commands === true);
  const prompt = {
    id: '7',
    kind: 'prompt',
    label: '/docs:review',
    description: 'Reviews.',
  } as const;
  await page.post({ type: 'found', session: 'one', request: asked.request, entries: [prompt] });
  await until('the prompt', async () => (await options(page).count()) === 2 || undefined);
  await field(page).press('ArrowDown');
  await field(page).press('Enter');
  const [taken] = await posted(page, 'takePrompt');
  assert.deepEqual(taken, { type: 'takePrompt', session: 'one', id: '7' });
  await until('the field', async () => (await field(page).inputValue()) === '' || undefined);
  assert.ok(!(await page.posted()).some(({ type }) => type === 'attach' || type === 'send'));
  assert.deepEqual(await page.faults(), []);
});

test('Enter waits for the list of its query, and sends a command that is complete', async () => {
  const commands = [{ name: 'compact', description: 'Summarize the conversation' }];
  const page = await openPage(chatState([], { commands }));
  await lookUp(page);
  await field(page).press('ArrowDown');
  await field(page).pressSequentially('r');
  const asked = (await posted(page, 'lookUp')).at(-1);
  assert.ok(asked?.type === 'lookUp' && asked.query === 'r');
  await field(page).press('Enter');
  assert.deepEqual(
    (await page.posted()).filter(({ type }) => type === 'attach' || type === 'send'),
    [],
  );
  const rules: FoundContext = { id: '9', kind: 'file', label: 'rules.ts' };
  await page.post({
    ...{ type: 'found', session: 'one', request: asked.request, entries: [rules] },
  });
  const request = await attaches(page, '9');
  const attached = { id: 'c9', kind: 'file', label: 'rules.ts' } as const;
  await page.post({ type: 'attached', session: 'one', request, result: { attached } });
  await field(page).fill('/compact');
  await until('the command', async () => (await options(page).count()) === 1 || undefined);
  await field(page).press('Enter');
  assert.deepEqual(await posted(page, 'send'), [
    { type: 'send', session: 'one', text: '/compact', attached: [attached] },
  ]);
});

test('a dragged text is inserted, and so is the address of a page', async () => {
  const page = await openPage(chatState([]));
  const drop = (type: string, text: string) =>
    field(page).evaluate(
      (element, [kind, value]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData(kind, value);
        const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
        element.dispatchEvent(event);
        return event.defaultPrevented;
      },
      [type, text] as const,
    );
  // The browser inserts it where it is dropped.
  assert.equal(await drop('text/plain', 'some words'), false);
  assert.equal(await drop('text/uri-list', 'https://example.com/'), true);
  assert.equal(await field(page).inputValue(), 'https://example.com/');
});

test('the end of a long text that is added is in view', async () => {
  const page = await openPage(chatState([]));
  await page.post({ type: 'focusComposer', session: 'one', text: 'line\n'.repeat(300) });
  await until('the end', () =>
    field(page).evaluate((input) => {
      const { scrollTop, scrollHeight, clientHeight } = input;
      return (scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 2) || undefined;
    }),
  );
});

test('the menu of a message knows which one it is', async () => {
  const page = await openPage(chatState([{ kind: 'user', id: 'u1', text: 'Hello', done: true }]));
  const message = page.page.locator('article[data-kind="user"]');
  assert.deepEqual(JSON.parse((await message.getAttribute('data-vscode-context')) ?? ''), {
    ...{ webviewSection: 'message', messageId: 'u1', messageKind: 'user' },
  });
});

test('queued messages are sent now, moved and resumed by keyboard', async () => {
  const queue = ['one', 'two', 'three'].map((text) => ({ id: text, text }));
  const page = await openPage(chatState([], { activity: 'running', queue }), { width: 400 });
  const press = async (name: string) => {
    await page.page.getByRole('button', { name, exact: true }).focus();
    await page.page.keyboard.press('Enter');
  };
  const session = 'one';
  await press('Send Now: two');
  assert.deepEqual(await posted(page, 'steer'), [{ type: 'steer', session, id: 'two' }]);
  await press('Move Up: three');
  await press('Move Down: one');
  await press('Move Down: two');
  assert.deepEqual(await posted(page, 'moveQueued'), [
    { type: 'moveQueued', session, id: 'three', before: 'two' },
    { type: 'moveQueued', session, id: 'one', before: 'three' },
    { type: 'moveQueued', session, id: 'two' },
  ]);
  await page.show(chatState([], { queue, queuePaused: true }));
  await press('Resume Queue');
  assert.deepEqual(await posted(page, 'resumeQueue'), [{ type: 'resumeQueue', session }]);
  assert.equal(await page.page.getByRole('button', { name: /^Send Now/ }).count(), 0);
});

test('a queued message is removed by its button or the key Delete, and the removal is undone', async () => {
  const queue = ['one', 'two', 'three'].map((text) => ({ id: text, text }));
  const page = await openPage(chatState([], { activity: 'running', queue }), { width: 400 });
  const button = (name: string) => page.page.getByRole('button', { name, exact: true });
  const session = 'one';
  await button('Remove: two').focus();
  await page.page.keyboard.press('Enter');
  await button('Edit: one').focus();
  await page.page.keyboard.press('Delete');
  assert.deepEqual(await posted(page, 'removeQueued'), [
    { type: 'removeQueued', session, id: 'two' },
    { type: 'removeQueued', session, id: 'one' },
  ]);
  const [removed] = queue;
  await page.show(
    chatState([], { activity: 'running', queue: queue.slice(2), removed: removed ?? null }),
  );
  await page.page.getByRole('status').filter({ hasText: 'Removed: one' }).waitFor();
  // The row that had the focus is gone.
  await button('Undo').and(page.page.locator(':focus')).waitFor();
  await page.page.keyboard.press('Enter');
  assert.deepEqual(await posted(page, 'restoreRemoved'), [{ type: 'restoreRemoved', session }]);
  await field(page).and(page.page.locator(':focus')).waitFor();
  await button('Dismiss').click();
  assert.deepEqual(await posted(page, 'dismissRemoved'), [{ type: 'dismissRemoved', session }]);
  await page.show(chatState([], { activity: 'running', queue, removed: null }));
  assert.equal(await button('Undo').count(), 0);
});

test('a queued message moves behind what is written, with its chips', async () => {
  const queue = [
    { id: 'q1', text: 'Then the tests', attachments: 1 },
    { id: 'q2', text: 'And the docs, with a very long sentence about each of them' },
  ];
  for (const width of [220, 400, 900]) {
    const page = await openPage(chatState([], { activity: 'running', queue }), { width });
    const list = page.page.getByRole('list', { name: 'Sent when this turn ends' });
    const edits = list.getByRole('button', { name: /^Edit: / });
    await until('both messages', async () => (await edits.count()) === 2 || undefined);
    assert.equal(await edits.nth(0).getAttribute('aria-label'), 'Edit: Then the tests');
    await attach(page, CHIPS.slice(0, 1));
    await field(page).fill('Half a sentence');
    const name = `composer-queue-${width}.png`;
    await page.page.screenshot({ path: path.join(RESULTS, 'screenshots', name) });
    if (width !== 400) continue;
    await edits.nth(0).focus();
    await page.page.keyboard.press('Enter');
    assert.deepEqual(await posted(page, 'unqueue'), [
      { type: 'unqueue', session: 'one', id: 'q1' },
    ]);
    await page.post({
      ...{ type: 'focusComposer', session: 'one' },
      ...{ text: 'Then the tests', attached: CHIPS.slice(0, 2) },
    });
    await until('both chips', async () => (await chips(page).count()) === 2 || undefined);
    assert.equal(await field(page).inputValue(), 'Half a sentence\n\nThen the tests');
  }
});
