import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { PermissionAsk } from '../../src/webview/messages/asks.ts';
import type { ChatItem, ChatState } from '../../src/webview/messages/chatState.ts';
import type { ScreenNode } from '../../src/webview/messages/screen.ts';
import { ChatPage, type ChatPageOptions, STRINGS } from '../workbench/chatPage.ts';
import { until } from '../workbench/processes.ts';
import { findPageFaults } from './axe.ts';
import { chatState, longChat, toolItem } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

const END = 'The end of it.';

const ITEMS: readonly ChatItem[] = [
  ...longChat(8),
  { kind: 'user', id: 'last-user', text: 'Show me\nthe function', done: true },
  toolItem('read', { title: 'notes.txt', toolKind: 'read' }),
  toolItem('run', {
    ...{ title: 'Run the tests', status: 'failed', command: 'npm test' },
    output: Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n'),
  }),
  {
    ...{ kind: 'agent', id: 'last', done: true },
    text: `In \`src/a.ts:10\`:\n\n\`\`\`ts\nexport const a: number = 1;\n\`\`\`\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n> quoted\n\n${END}`,
  },
];

const CHOICES: ChatState['choices'] = ['Agent', 'Model', 'Approval'].map((name) => ({
  ...{ id: name, name, values: [] },
  current: { value: name, name: `${name} now` },
}));

const LOADED = chatState(ITEMS, {
  choices: CHOICES,
  plan: [{ content: 'Do it', status: 'completed' } as never],
  usage: { used: 1_200, size: 100_000 },
});

async function open(t: TestContext, options?: ChatPageOptions): Promise<ChatPage> {
  const page = await ChatPage.open(await sharedBrowser(), { height: 700, ...options });
  t.after(() => page.close());
  return page;
}

/** What a page that shows the state hands on. */
async function keep(t: TestContext, state = LOADED): Promise<readonly ScreenNode[]> {
  const page = await open(t);
  await page.show(state);
  return settled(page);
}

/** The screen that the page hands on once its code is in color and nothing moves any more. */
async function settled(page: ChatPage): Promise<readonly ScreenNode[]> {
  await page.page.locator('#root .code span').first().waitFor();
  await until('the screen', async () => {
    const work = await page.pendingWork();
    return (work.length === 0 && (await page.screen())?.nodes !== undefined) || undefined;
  });
  assert.deepEqual(await page.faults(), []);
  return (await page.screen())?.nodes ?? [];
}

async function openKept(t: TestContext, nodes: readonly ScreenNode[], options?: ChatPageOptions) {
  return open(t, { last: { session: 'one', nodes }, ...options });
}

const starting = (page: ChatPage, session = 'one') => {
  const state = chatState([], { activity: 'starting' });
  return page.post({ type: 'snapshot', session, state, strings: STRINGS });
};

const isKept = async ({ page }: ChatPage) => (await page.locator('.kept').count()) > 0;

const handedOver = (page: ChatPage) => page.page.locator('.kept').waitFor({ state: 'detached' });

interface PlacedText {
  readonly text: string;
  /** Its right and upper edge and its height. */
  readonly place: readonly number[];
}

/** Every text that can be seen in an element. */
function readTexts(page: ChatPage, under: string): Promise<readonly PlacedText[]> {
  return page.page.evaluate((selector) => {
    const walker = document.createTreeWalker(
      document.querySelector(selector) ?? document.body,
      NodeFilter.SHOW_TEXT,
    );
    const texts: { text: string; place: number[] }[] = [];
    while (walker.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      const { right, y, width, height } = range.getBoundingClientRect();
      const hidden = walker.currentNode.parentElement?.closest('.hidden, .message-actions');
      const shown = walker.currentNode.nodeValue?.trim() !== '' && width > 0;
      // The live page has the hint of its input as a property.
      const hint = walker.currentNode.parentElement?.matches('.kept-field') === true;
      if (hidden || hint || !shown || y < 40 || y > innerHeight) continue;
      const text = walker.currentNode.nodeValue?.trim() ?? '';
      texts.push({ text, place: [right, y, height] });
    }
    return texts;
  }, under);
}

test('each text of the last screen has the place that it has in the live page, at three widths', async (t) => {
  const live = await open(t);
  await live.show(LOADED);
  for (const width of [220, 400, 900]) {
    await live.page.setViewportSize({ width, height: 700 });
    const nodes = await settled(live);
    // A page that is narrowed may be some pixels off its end.
    await live.page.getByRole('log').evaluate((log) => log.scrollTo(0, log.scrollHeight));
    const kept = await openKept(t, nodes, { width });
    await kept.page.locator('.kept').getByText(END).waitFor();
    // The page has drawn the kept screen where it was once its script has run.
    await until('the script', async () => (await kept.posted()).length > 0 || undefined);
    const [kepts, lives] = [await readTexts(kept, '.kept'), await readTexts(live, '#root')];
    assert.deepEqual(
      kepts.map(({ text }) => text),
      lives.map(({ text }) => text),
    );
    // A scrolled box stands at a whole pixel, one that is drawn from its end may not.
    const moved = kepts.filter(({ place }, at) => {
      return place.some((each, side) => Math.abs(each - (lives[at]?.place[side] ?? 0)) > 1);
    });
    assert.deepEqual(moved, []);
    assert.deepEqual(await kept.faults(), []);
    await kept.close();
  }
});

test('the live rows take the place of the last screen without a jump or a frame without the text', async (t) => {
  const nodes = await keep(t);
  const page = await openKept(t, nodes, {
    kept: { draft: 'half\na\ndraft', attached: [], sessions: {} },
  });
  await page.page.locator('.kept').getByText(END).waitFor();
  await page.page.evaluate(watchEnd, END);
  await starting(page);
  const field = page.page.getByRole('textbox', { name: 'Message' });
  assert.equal(await field.inputValue(), 'half\na\ndraft');
  await field.press('End');
  await field.pressSequentially(' more');
  assert.equal(await isKept(page), true);
  await page.show(LOADED);
  await handedOver(page);
  await page.page.locator('#root p').getByText(END).waitFor();
  const { missing, places } = await page.page.evaluate(() => Reflect.get(window, 'ends'));
  assert.equal(missing, 0);
  assert.ok(Math.max(...places) - Math.min(...places) <= 1, `places of the end: ${places}`);
  assert.equal(await field.inputValue(), 'half\na\ndraft more');
  assert.equal(await field.evaluate((element) => element === document.activeElement), true);
  // The browser tells that it does the rest of what a new size asks for in the next frame.
  const faults = (await page.faults()).filter((fault) => !fault.startsWith('ResizeObserver loop'));
  assert.deepEqual(faults, []);
});

/** Runs in the page: notes after each frame where the text can be seen, once the input has its draft. */
function watchEnd(text: string): void {
  const ends = { missing: 0, places: [] as number[] };
  Object.assign(window, { ends });
  const look = () => {
    const found = [...document.querySelectorAll('p')].find((each) => {
      const shown = each.checkVisibility({ visibilityProperty: true });
      return shown && each.textContent === text;
    });
    const input = document.querySelector('#root .composer-box');
    if (found === undefined) ends.missing += 1;
    else if (input !== null) {
      const place = Math.round(found.getBoundingClientRect().top);
      if (ends.places.at(-1) !== place) ends.places.push(place);
    }
    next();
  };
  // After the frame has been laid out.
  const next = () => requestAnimationFrame(() => setTimeout(look));
  next();
}

test('nothing of the last screen can be found, focused or pressed, and axe finds no fault', async (t) => {
  const page = await openKept(t, await keep(t));
  const { page: tab } = page;
  await tab.locator('.kept').getByText(END).waitFor();
  assert.deepEqual(await findPageFaults(tab), []);
  const count = await tab
    .locator(
      '.kept :is(button, input, textarea, select, a[href], [tabindex], [id], [style*="url"])',
    )
    .count();
  assert.equal(count, 0);
  for (const text of ['Send', 'Copy Output', 'src/a.ts:10']) {
    const box = await tab.locator('.kept').getByText(text).first().boundingBox();
    await tab.mouse.click((box?.x ?? 0) + 4, (box?.y ?? 0) + 4);
  }
  await tab.keyboard.press('Tab');
  await tab.keyboard.press('Enter');
  assert.equal(await tab.evaluate(() => document.activeElement?.closest('.kept') ?? null), null);
  // Without a session there is no key or click to tell of.
  const told = (await page.posted()).map(({ type }) => type);
  assert.deepEqual(
    told.filter((type) => type !== 'ready' && type !== 'focus'),
    [],
  );
  await starting(page);
  assert.deepEqual(await findPageFaults(tab), []);
  assert.equal(await isKept(page), true);
});

test('the last screen goes when another session is shown, when it was deleted and when it could not be opened', async (t) => {
  const nodes = await keep(t);
  const other = await openKept(t, nodes);
  await starting(other, 'two');
  await handedOver(other);

  for (const items of [
    [{ kind: 'note', id: 'n', text: 'The session that was open here was deleted.' }],
    [{ kind: 'error', id: 'e', text: 'Could not open it.', commands: [], retry: false }],
    [],
  ] as readonly (readonly ChatItem[])[]) {
    const page = await openKept(t, nodes);
    await starting(page);
    assert.equal(await isKept(page), true);
    await page.post({
      ...{ type: 'changes', session: 'one' },
      changes: [
        ...items.map((item) => ({ type: 'item', item }) as const),
        { type: 'set', values: { activity: 'idle' } },
      ],
    });
    await handedOver(page);
    for (const item of items) await page.page.locator(`#root [data-kind="${item.kind}"]`).waitFor();
  }
});

test('a key or a click ends the wait for colors once the rows are there', async (t) => {
  const nodes = await keep(t);
  const page = await openKept(t, nodes);
  // The script that colors code never comes.
  await page.page.route(/highlighter/, () => undefined);
  await page.show(LOADED);
  await page.page.locator('#root .row-box > .item').first().waitFor({ state: 'attached' });
  await page.page.mouse.click(200, 200);
  await handedOver(page);
});

test('requests, the draft and what is for screen readers are not kept', async (t) => {
  const ask: PermissionAsk = {
    ...{ kind: 'permission', id: 'p', toolCallId: 'x', title: 'SECRET-REQUEST', length: 3 },
    ...{ subject: 'SECRET-REQUEST', toolKind: 'execute', suspicious: false, since: 0 },
    ...{ parts: [], diff: false, diffs: [], entries: [], options: [] },
    offers: { allow: [], deny: [] },
  } as never;
  const page = await open(t, {
    kept: { draft: 'SECRET-DRAFT', attached: [], sessions: {} },
  });
  const request = { askId: 'p', position: 1, total: 1, agent: '', session: '' };
  await page.show({ ...LOADED, asks: [ask], request });
  await page.page.locator('[data-ask]').waitFor();
  const kept = await until('the screen', async () => {
    const text = JSON.stringify((await page.screen())?.nodes);
    return text?.includes(END) ? text : undefined;
  });
  assert.doesNotMatch(kept, /SECRET|Edit and Resend|"button"|"textarea"|href/);
});

test('a screen is kept at the end of the transcript only, and at once when the page is hidden', async (t) => {
  const page = await open(t);
  await page.show(LOADED);
  await until('the screen', async () => (await page.screen())?.nodes);
  const log = page.page.getByRole('log');
  await log.evaluate((element) => element.scrollTo(0, 0));
  await until('the button', async () => (await page.page.locator('.jump').count()) || undefined);
  await hide(page);
  const before = JSON.stringify(await page.screen());
  assert.match(before, new RegExp(END), 'the end stays kept');
  await page.page.locator('.jump').click();
  const added: ChatItem = { kind: 'agent', id: 'more', text: 'One more.', done: true };
  await page.post({ type: 'changes', session: 'one', changes: [{ type: 'item', item: added }] });
  await page.page.getByText('One more.').waitFor();
  await page.posted();
  await hide(page);
  assert.match(JSON.stringify(await page.screen()), /One more\./);
});

/** As the browser tells a page that is no longer seen. */
function hide({ page }: ChatPage): Promise<void> {
  return page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
    Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true });
  });
}
