import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { QuestionAsk } from '../../src/webview/messages/asks.ts';
import type { ChatItem, ChatState } from '../../src/webview/messages/chatState.ts';
import { ChatPage, type ChatPageOptions } from '../workbench/chatPage.ts';
import { until } from '../workbench/processes.ts';
import { chatState, longChat, toolItem } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

const QUESTION: QuestionAsk = {
  ...{ kind: 'question', id: 'q', message: 'Which one?', since: 0 },
  fields: [{ key: 'name', title: 'Name', required: true, input: { type: 'text' } }],
};

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

test('a compaction is a card that opens to its summary by keyboard', async () => {
  const compaction = { kind: 'compaction', id: 'c1', status: 'completed' } as const;
  const page = await openPage(
    chatState([
      {
        ...{ ...compaction, messages: 8 },
        text: 'Green tests are **wanted**.\n\n- `a.ts`\n\n<img src=x onerror=alert(1)><script>alert(1)</script>',
      },
      { ...compaction, id: 'c2', text: '', outputs: 3 },
      { ...compaction, id: 'c3', text: '', status: 'in_progress' },
      { ...compaction, id: 'c4', text: 'The model is away.', status: 'failed' },
    ]),
  );
  const headings = log(page).locator('article[data-kind="compaction"] h3');
  await until('the cards', async () => (await headings.count()) === 4 || undefined);
  assert.deepEqual(
    (await headings.allInnerTexts()).map((text) => text.trim()),
    [
      'Compacted: 8 messages → summary',
      'Compacted: 3 old outputs left out of requests',
      'Compacting the conversation…',
      'The conversation was not compacted',
    ],
  );
  assert.equal(await article(page, 'The model is away.').count(), 1);
  assert.equal(await article(page, 'Green tests').count(), 0);
  await log(page).locator('summary').first().focus();
  await page.page.keyboard.press('Enter');
  await until('the summary', async () => (await article(page, 'Green tests').count()) || undefined);
  // As an answer is drawn, and as safe.
  const card = article(page, 'Green tests');
  assert.equal(await card.locator('strong').innerText(), 'wanted');
  assert.equal(await card.locator('li code').innerText(), 'a.ts');
  assert.equal(await card.locator('img, script').count(), 0);
  assert.deepEqual(await page.faults(), []);
});

const log = (page: ChatPage) => page.page.getByRole('log', { name: 'Conversation' });
const article = (page: ChatPage, text: string) =>
  log(page).locator('article').filter({ hasText: text });

/** Resolves when the end of the transcript is in view. */
async function atEnd(page: ChatPage): Promise<void> {
  await until('the end', async () => (await toEnd(page)) < 2 || undefined);
}

function toEnd(page: ChatPage): Promise<number> {
  return log(page).evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
}

/** Pixels from the top of the view to the top of an element. */
function offset(page: ChatPage, text: string): Promise<number> {
  return article(page, text)
    .first()
    .evaluate((element) => {
      const box = element.closest('[role="log"]');
      return element.getBoundingClientRect().top - (box?.getBoundingClientRect().top ?? 0);
    });
}

/** Resolves when an element is where it was, which takes some frames: its font loads. */
async function isAt(page: ChatPage, text: string, expected: number): Promise<void> {
  await until(`${text} at ${expected}`, async () => {
    return Math.abs((await offset(page, text)) - expected) < 2 || undefined;
  });
  await settled(page);
  assert.ok(Math.abs((await offset(page, text)) - expected) < 2);
}

async function scrollBy(page: ChatPage, pixels: number): Promise<void> {
  await log(page).hover();
  await page.page.mouse.wheel(0, pixels);
}

/** Two frames later whatever would have moved has moved. */
async function settled(page: ChatPage): Promise<void> {
  await page.page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
}

/** Resolves when scrolling has ended. */
async function atRest(page: ChatPage): Promise<number> {
  let before = -1;
  return until('scrolling to end', async () => {
    await settled(page);
    const top = await log(page).evaluate((box) => box.scrollTop);
    const rests = top === before;
    before = top;
    return rests ? { top } : undefined;
  }).then(({ top }) => top);
}

/** The row and the tag that have the focus. */
function focused(page: ChatPage): Promise<string> {
  return page.page.evaluate(() => {
    const { activeElement } = document;
    const row = activeElement?.closest<HTMLElement>('.row-box');
    return `${row?.dataset['index'] ?? '-'} ${activeElement?.tagName.toLowerCase()}`;
  });
}

test('5,000 messages open at the end, and few of them are drawn', async () => {
  const page = await openPage(chatState(longChat(1667)));
  await article(page, 'Answer 1666, part 0').waitFor();
  await atEnd(page);
  assert.ok((await log(page).locator('article').count()) < 60);
  await scrollBy(page, -4000);
  await until('earlier rows', async () => (await toEnd(page)) > 3000 || undefined);
  await settled(page);
  assert.ok((await log(page).locator('article').count()) < 60);
  assert.deepEqual(await page.faults(), []);
});

test('a screen reader is told which of all messages each is, also of what is not drawn', async () => {
  const page = await openPage(chatState(longChat(100), { activity: 'running' }));
  await atEnd(page);
  const numbers = () =>
    log(page).evaluate((box) =>
      [...box.querySelectorAll<HTMLElement>('.row-box')].flatMap((row) => {
        const found = row.querySelector('article');
        const [at, of] = ['posinset', 'setsize'].map((name) => found?.getAttribute(`aria-${name}`));
        return found === null ? [] : [`${Number(row.dataset['index']) + 1}: ${at} of ${of}`];
      }),
    );
  const right = (shown: readonly string[]) =>
    shown.filter((each) => !/^(\d+): \1 of 300$/.test(each));
  const last = await numbers();
  assert.deepEqual(right(last), []);
  assert.equal(last.at(-1), '300: 300 of 300');
  await scrollBy(page, -9000);
  await atRest(page);
  const before = await numbers();
  assert.deepEqual(right(before), []);
  assert.ok(!before.includes('300: 300 of 300'));
  const more: ChatItem = { kind: 'note', id: 'more', text: 'More.' };
  await page.post({
    ...{ type: 'changes', session: 'one' },
    changes: [{ type: 'item', item: more }],
  });
  await until('one more', async () => (await numbers())[0]?.endsWith(' of 301') || undefined);
});

test('what is in view stays where it is while the answer grows', async () => {
  const items = longChat(60);
  const open: ChatItem = { kind: 'agent', id: 'open', text: 'It grows.', done: false };
  const page = await openPage(chatState([...items, open], { activity: 'running' }));
  await atEnd(page);
  await page.post({
    ...{ type: 'changes', session: 'one' },
    changes: [{ type: 'append', id: 'open', text: '\n\nmore\n\n'.repeat(40) }],
  });
  await atEnd(page);

  await scrollBy(page, -3000);
  await page.page.getByRole('button', { name: /^(New messages|Go to End)$/ }).waitFor();
  await atRest(page);
  const anchor = await log(page).evaluate((box) => {
    const top = box.getBoundingClientRect().top;
    const seen = [...box.querySelectorAll('article')].find(
      (each) => each.getBoundingClientRect().bottom > top + 40,
    );
    seen?.setAttribute('data-anchor', '');
    return seen?.getBoundingClientRect().top ?? 0;
  });
  await page.post({
    ...{ type: 'changes', session: 'one' },
    changes: [{ type: 'append', id: 'open', text: 'much more\n\n'.repeat(60) }],
  });
  await settled(page);
  const after = await log(page)
    .locator('[data-anchor]')
    .evaluate((element) => element.getBoundingClientRect().top);
  assert.ok(Math.abs(after - anchor) < 2, `${anchor} → ${after}`);

  await page.page.getByRole('button', { name: /^(New messages|Go to End)$/ }).click();
  await atEnd(page);
});

test('a card that is opened at the end stays where it was clicked', async () => {
  const output = 'a line\n'.repeat(40);
  const end: ChatItem = { kind: 'agent', id: 'end', text: 'Done.', done: true };
  const page = await openPage(chatState([...longChat(10), toolItem('last', { output }), end]));
  await atEnd(page);
  const before = await offset(page, 'Call last');
  await article(page, 'Call last').getByRole('button').click();
  await article(page, 'Call last').locator('.output').waitFor();
  await settled(page);
  await isAt(page, 'Call last', before);
  await page.page.getByRole('button', { name: /^(New messages|Go to End)$/ }).waitFor();
});

test('a session is found as it was left: its position, open cards and half an answer', async () => {
  const question = chatState(longChat(40), {
    request: { askId: 'q', position: 1, total: 1, agent: '', session: '' },
    asks: [QUESTION],
  });
  const page = await openPage(question);
  await page.page.getByLabel('Name').fill('half an ans');
  await scrollBy(page, -2500);
  await page.page.getByRole('button', { name: /^(New messages|Go to End)$/ }).waitFor();
  await settled(page);
  await article(page, 'Call call-30').getByRole('button').first().click();
  await article(page, 'Call call-30').locator('.output').waitFor();
  await until('the kept place', async () => (await page.kept())?.sessions['one']?.position);
  await settled(page);
  const before = await offset(page, 'Call call-30');

  await page.show(chatState(longChat(3)), 'two');
  await article(page, 'Answer 2, part 0').waitFor();
  await page.show(question);
  await article(page, 'Call call-30').locator('.output').waitFor();
  await isAt(page, 'Call call-30', before);
  assert.equal(await page.page.getByLabel('Name').inputValue(), 'half an ans');

  // As when the editor throws the page away and loads it again.
  const kept = await page.kept();
  const next = await openPage(question, { ...(kept && { kept }) });
  await article(next, 'Call call-30').locator('.output').waitFor();
  await isAt(next, 'Call call-30', before);
  assert.equal(await next.page.getByLabel('Name').inputValue(), 'half an ans');
});

test('a session that is sent again, as when a window opens, stays where it is and says nothing', async () => {
  const state = chatState(longChat(40));
  const page = await openPage(state);
  const draft = page.page.getByRole('textbox', { name: 'Message' });
  await draft.fill('half a mess');
  await scrollBy(page, -2500);
  await page.page.getByRole('button', { name: /^(New messages|Go to End)$/ }).waitFor();
  await atRest(page);
  const before = await offset(page, 'Call call-30');
  await page.show(structuredClone(state));
  await settled(page);
  await isAt(page, 'Call call-30', before);
  assert.equal(await draft.inputValue(), 'half a mess');
  assert.ok(await draft.evaluate((field) => field === document.activeElement));
  const said = await page.page.locator('.hidden > [aria-live]').allInnerTexts();
  assert.equal(said.join('').trim(), '');
});

test('a request gets its card although the script of the cards did not load at first', async () => {
  const page = await ChatPage.open(await sharedBrowser());
  pages.push(page);
  let loads = 0;
  await page.page.route('**/later.js', (route) => {
    loads += 1;
    return loads === 1 ? route.abort() : route.continue();
  });
  const request = { askId: 'q', position: 1, total: 1, agent: '', session: '' };
  await page.show(chatState([], { activity: 'running', asks: [QUESTION], request }));
  await page.page.getByLabel('Name').waitFor();
  assert.equal(loads, 2);
});

for (const [fault, script] of [
  ['throws while it runs', "throw new Error('no memory');"],
  ['is cut off', 'var gatehouseLater = (() => {'],
] as const) {
  test(`a request gets its card although the script of the cards ${fault} at first`, async () => {
    const page = await ChatPage.open(await sharedBrowser());
    pages.push(page);
    let loads = 0;
    await page.page.route('**/later.js', (route) => {
      loads += 1;
      if (loads > 1) return route.continue();
      return route.fulfill({ contentType: 'text/javascript', body: script });
    });
    const request = { askId: 'q', position: 1, total: 1, agent: '', session: '' };
    await page.show(chatState([], { activity: 'running', asks: [QUESTION], request }));
    await page.page.getByLabel('Name').waitFor();
    assert.equal(loads, 2);
  });
}

/** A row that is not drawn yet gets the focus once it is. */
function focusIs(expected: string, focused: () => Promise<string>): Promise<unknown> {
  return until(`the focus on ${expected}`, async () => (await focused()) === expected || undefined);
}

test('the transcript is one stop of Tab, and arrow keys walk through it', async () => {
  const page = await openPage(chatState(longChat(20)));
  await atEnd(page);
  const { keyboard } = page.page;
  const focused = () =>
    page.page.evaluate(() => {
      const { activeElement } = document;
      const row = activeElement?.closest<HTMLElement>('.row-box');
      return `${row?.dataset['index'] ?? '-'} ${activeElement?.tagName.toLowerCase()}`;
    });
  await page.page.getByRole('textbox', { name: 'Message' }).focus();
  await keyboard.press('Shift+Tab');
  await focusIs('59 article', focused);
  await keyboard.press('ArrowUp');
  await focusIs('58 article', focused);
  await keyboard.press('Enter');
  await focusIs('58 button', focused);
  await keyboard.press('Enter');
  await log(page).locator('[data-index="58"] .output').waitFor();
  await keyboard.press('Tab');
  await focusIs('58 pre', focused);
  await keyboard.press('Escape');
  await focusIs('58 article', focused);
  await keyboard.press('Home');
  await until('the first row', async () => (await focused()) === '0 article' || undefined);
  await keyboard.press('End');
  await until('the last row', async () => (await focused()) === '59 article' || undefined);
  await keyboard.press('ArrowUp');
  await keyboard.press('Tab');
  await focusIs('- textarea', focused);
  await keyboard.press('Shift+Tab');
  await focusIs('58 article', focused);
  await keyboard.press('Shift+Tab');
  assert.equal((await focused()).startsWith('- '), true);
  const stops = await log(page).evaluate(
    (box) =>
      [box, ...box.querySelectorAll<HTMLElement>('*')].filter(({ tabIndex }) => tabIndex >= 0)
        .length,
  );
  assert.equal(stops, 1);
});

test('reads and searches in a row are one line that opens', async () => {
  const look = (id: string, toolKind: 'read' | 'search') => toolItem(id, { toolKind });
  const items = [look('a', 'read'), look('b', 'search'), look('c', 'read'), look('d', 'search')];
  const page = await openPage(chatState([...items, toolItem('run', { status: 'failed' })]));
  const fold = log(page).getByRole('button', { name: 'Read 2 files, searched 2 times' });
  assert.equal(await log(page).locator('article[data-kind="tool"]').count(), 1);
  await fold.click();
  await article(page, 'Call c').first().waitFor();
  assert.equal(await log(page).locator('article[data-kind="tool"]').count(), 5);
});

test('code is colored when it is finished, by a script that loads then', async () => {
  const open: ChatItem = { kind: 'agent', id: 'a', text: '```ts\nconst a = 1;\n', done: false };
  const page = await openPage(chatState([open], { activity: 'running' }));
  await log(page).getByText('const a = 1;').waitFor();
  assert.equal(await log(page).locator('.hljs-keyword').count(), 0);
  const grow = (text: string) =>
    page.post({
      ...{ type: 'changes', session: 'one' },
      changes: [{ type: 'append', id: 'a', text }],
    });
  await grow(`${'// a long comment\n'.repeat(1200)}const b = 2;\n`);
  await log(page).getByText('const b = 2;').waitFor();
  await grow('```\n\nThat was it.');
  await log(page).locator('.hljs-keyword').first().waitFor();
  const shown = await log(page).locator('code').innerText();
  assert.equal(shown, `const a = 1;\n${'// a long comment\n'.repeat(1200)}const b = 2;\n`);
  assert.deepEqual(await page.faults(), []);
});

test('code that takes too long to color stays plain, and the next is colored', async () => {
  const endless = `\`\`\`markdown\n${'[a]('.repeat(7_000)}\n\`\`\``;
  const text = `${endless}\n\n\`\`\`ts\nconst a = 1;\n\`\`\`\n`;
  const page = await openPage(chatState([{ kind: 'agent', id: 'a', text, done: true }]));
  await log(page).locator('.hljs-keyword').waitFor();
  assert.deepEqual(await log(page).locator('code').first().locator('span').count(), 0);
  assert.deepEqual(await page.faults(), []);
});

test('find in chat goes to rows that were not drawn, and Escape returns', async () => {
  const page = await openPage(chatState(longChat(300)));
  await atEnd(page);
  const { keyboard } = page.page;
  await page.page.getByRole('textbox', { name: 'Message' }).press('Control+F');
  const field = page.page.getByRole('textbox', { name: 'Find in chat' });
  await field.fill('QUESTION 17');
  await page.page.getByText('11 of 11').waitFor();
  await article(page, 'Question 179').waitFor();
  await keyboard.press('Enter');
  await page.page.getByText('1 of 11').waitFor();
  await keyboard.press('Enter');
  await page.page.getByText('2 of 11').waitFor();
  await until('its place', async () => {
    if ((await article(page, 'Question 170').count()) === 0) return undefined;
    const top = await offset(page, 'Question 170');
    return (top > 0 && top < 600) || undefined;
  });
  const marked = await page.page.evaluate(() => CSS.highlights.get('found')?.size ?? 0);
  assert.ok(marked > 0, String(marked));
  await keyboard.press('Shift+Enter');
  await article(page, 'Question 17').first().waitFor();
  await field.fill('nowhere');
  await page.page.getByText('No results').waitFor();
  await keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  const inLog = await log(page).evaluate((box) => box.contains(document.activeElement));
  assert.equal(inLog, true);
});

test('the find bar covers no row that it finds, and a chat that is in view as a whole stays at its end', async () => {
  const page = await openPage(chatState(longChat(2)));
  await page.page.getByRole('textbox', { name: 'Message' }).press('Control+F');
  const field = page.page.getByRole('textbox', { name: 'Find in chat' });
  await field.fill('Question 0');
  await page.page.getByText('1 of 1').waitFor();
  const bar = await page.page.locator('.find').boundingBox();
  const row = await article(page, 'Question 0').boundingBox();
  assert.ok((row?.y ?? 0) >= (bar?.y ?? 0) + (bar?.height ?? 0), JSON.stringify([bar, row]));
  await page.posted();
  assert.equal(await page.page.getByRole('button', { name: 'Go to End' }).count(), 0);
  await page.show(chatState(longChat(40)));
  await article(page, 'Question 39').waitFor();
  await atEnd(page);
});

test('what is found very often is marked up to a limit', async () => {
  const text = '0'.repeat(200_000);
  const page = await openPage(chatState([{ kind: 'agent', id: 'a', text, done: true }]));
  await page.page.getByRole('textbox', { name: 'Message' }).press('Control+F');
  await page.page.getByRole('textbox', { name: 'Find in chat' }).fill('0');
  const marked = () => page.page.evaluate(() => CSS.highlights.get('found')?.size ?? 0);
  await until('the marks', async () => (await marked()) === 5_000 || undefined);
  assert.deepEqual(await page.faults(), []);
});

test('headings go down level by level, wherever the reader is', async () => {
  const note: ChatItem = { kind: 'note', id: 'n', text: 'A note.' };
  const page = await openPage(chatState([note, ...longChat(60)]));
  await atEnd(page);
  const levels = () =>
    page.page.evaluate(() =>
      [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(({ tagName }) =>
        Number(tagName.slice(1)),
      ),
    );
  for (let at = 0; at < 5; at += 1) {
    const found = await levels();
    const jumps = found.filter((level, index) => level > (found[index - 1] ?? 0) + 1);
    assert.deepEqual(jumps, [], found.join(' '));
    await scrollBy(page, -900);
    await settled(page);
  }
});

test('links and tables of an answer follow the policy of the page', async () => {
  const wide = `| ${'averylongcolumnname | '.repeat(12)}\n|${' --: |'.repeat(12)}\n| ${'abcdefghij | '.repeat(12)}`;
  const text = `See \`src/app.ts:10\` and [the docs](docs/a.md).\n\n${wide}\n\n- [x] done\n- [ ] open`;
  const page = await openPage(chatState([{ kind: 'agent', id: 'a', text, done: true }]));
  await log(page).getByRole('link', { name: 'src/app.ts:10' }).click();
  await log(page).getByRole('link', { name: 'the docs' }).click();
  const links = (await page.posted()).flatMap((each) =>
    each.type === 'openLink' ? [each.href] : [],
  );
  assert.deepEqual(links, ['src/app.ts:10', 'docs/a.md']);
  const box = await log(page)
    .locator('.table')
    .evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }));
  assert.ok(box.scrollWidth > box.clientWidth + 100);
  const overflow = await log(page).evaluate((each) => each.scrollWidth - each.clientWidth);
  assert.equal(overflow, 0);
  const cell = log(page).locator('td').first();
  assert.equal(await cell.evaluate((each) => getComputedStyle(each).textAlign), 'right');
  const rows = await cell.evaluate((each) => each.getClientRects().length);
  assert.equal(rows, 1);
  await log(page).getByRole('img', { name: 'not done' }).waitFor();
  assert.deepEqual(await page.faults(), []);
});

test('the first drawing waits for no file, and the icons have their font', async () => {
  const page = await openPage(chatState([]));
  const { fetched, loaded } = await page.page.evaluate(async () => {
    const fonts = await document.fonts.load('16px codicon');
    const entries = performance.getEntriesByType('resource').map(({ name }) => new URL(name));
    const loaded = fonts.map(({ family, status }) => `${family} ${status}`);
    return { fetched: entries.map(({ pathname }) => pathname), loaded };
  });
  assert.deepEqual(loaded, ['codicon loaded']);
  assert.deepEqual(
    fetched.filter((each) => /^\/webview\.|\.ttf$/.test(each)),
    [],
  );
  assert.deepEqual(await page.faults(), []);
});

test('an open fence of 20 KB grows as text, and is colored once it closes', async () => {
  const item = { kind: 'agent', id: 'a', text: '```ts\n', done: false } as const;
  const page = await openPage(chatState([item], { activity: 'running' }));
  const lines = Array.from({ length: 1_000 }, (_, at) => `const value${at} = ${at};\n`).join('');
  assert.ok(lines.length > 20_000, `${lines.length}`);
  const append = (text: string) =>
    page.post({ type: 'changes', session: 'one', changes: [{ type: 'append', id: 'a', text }] });
  const code = log(page).locator('code');
  const step = 500;
  await append(lines.slice(0, step));
  await code.getByText('value20 ').waitFor();
  await code.evaluate((each) => Reflect.set(window, 'first', each.firstChild));
  for (let at = step; at < lines.length; at += step) await append(lines.slice(at, at + step));
  await code.filter({ hasText: 'value998 ' }).waitFor();
  const open = await code.evaluate((each) => ({
    elements: each.querySelectorAll('*').length,
    texts: each.childNodes.length,
    same: each.firstChild === Reflect.get(window, 'first'),
  }));
  assert.ok(open.texts < 10, `${open.texts} texts`);
  assert.deepEqual([open.elements, open.same], [0, true]);
  await append('```\n\nDone.\n');
  await code.locator('span').first().waitFor();
  assert.deepEqual(await page.faults(), []);
});

test('the page has one main heading, which only screen readers need, and one for each turn', async () => {
  const page = await openPage(chatState(longChat(3), { title: 'Fix the test' }));
  const headings = page.page.locator('h1, h2, h3');
  await until('the headings', async () => (await headings.count()) === 10 || undefined);
  const levels = await headings.evaluateAll((all) => all.map(({ tagName }) => tagName));
  const turn = ['H2', 'H3', 'H3'];
  assert.deepEqual(levels, ['H1', ...turn, ...turn, ...turn]);
  const main = page.page.getByRole('heading', { level: 1, name: 'Fix the test' });
  const { width, height } = (await main.boundingBox()) ?? { width: 0, height: 0 };
  assert.ok(width <= 1 && height <= 1, 'the title of the view shows it already');
});

test('named characters of an answer are those that Markdown knows', async () => {
  const names = '&copy; &amp;lt; &lt;b&gt; &semi; &ngE; &notit; &not &bogus; &#35; &#x1F600;';
  const text = `${names}\n\n[x](a.md "&copy;")`;
  const page = await openPage(chatState([{ kind: 'agent', id: 'a', text, done: true }]));
  const shown = await article(page, '©').locator('p').nth(0).innerText();
  assert.equal(shown, '© &lt; <b> ; ≧̸ &notit; &not &bogus; # 😀');
  assert.deepEqual(await page.faults(), []);
});

for (const width of [220, 400, 900]) {
  test(`the transcript keeps 40 % of the view, and the answers stay in it, at ${width} px`, async () => {
    const items = longChat(10);
    const state = chatState(items, {
      plan: Array.from({ length: 12 }, (_, at) => ({
        content: `Step ${at} of a plan that is long enough to wrap in a narrow view`,
        status: at === 3 ? ('in_progress' as const) : ('pending' as const),
      })),
      unreviewed: Array.from({ length: 9 }, (_, at) => ({
        ...{ path: `/w/src/file${at}.ts`, label: `src/file${at}.ts`, kind: 'changed' as const },
        ...{ added: 3, removed: 1 },
      })),
      request: { askId: 'q', position: 1, total: 3, agent: 'build', session: 'Fix it' },
      asks: [QUESTION],
    });
    const page = await openPage(state, { width, height: 640 });
    await page.page.getByText('· Step 3 of a plan').waitFor();
    await page.page.getByRole('textbox', { name: 'Name' }).waitFor();
    assert.deepEqual(await measure(page), { share: true, answers: true, overflow: 0 });
    for (const name of ['Plan', 'Unreviewed changes']) {
      await page.page.getByRole('region', { name }).locator('summary').click();
    }
    await page.page.getByText('Step 11 of a plan').waitFor();
    await page.page.getByText('file8.ts').waitFor();
    assert.deepEqual(await measure(page), { share: true, answers: true, overflow: 0 });
  });
}

// A side bar of 440 × 1,000 pixels has half as many of the page's at 200 % zoom.
test('§1, §6: at 200 % zoom nothing overflows, and the transcript keeps 40 % of the view', async () => {
  const text =
    'A word, `a_name_without_any_space_in_it_that_is_longer_than_the_view()`, and a table:\n\n' +
    '| one | two | three |\n|--|--|--|\n| a long cell | another long cell | the last one |\n';
  const card = toolItem('w', { title: 'npm run build -- --with-a-very-long-option' });
  const answer = { kind: 'agent', id: 'a', text, done: true } as const;
  const state = chatState([...longChat(3), answer, card], {
    plan: [
      { content: 'A step that is long enough to wrap in a narrow view', status: 'in_progress' },
    ],
    request: { askId: 'q', position: 1, total: 1, agent: 'build', session: 'Fix it' },
    asks: [QUESTION],
  });
  const page = await openPage(state, { width: 220, height: 500, zoom: 2 });
  await page.page.getByText('· A step that is').waitFor();
  await page.page.getByRole('textbox', { name: 'Name' }).waitFor();
  assert.deepEqual(await measure(page), { share: true, answers: true, overflow: 0 });
  const wider = await page.page
    .locator('.row-box, [data-ask], .composer *, .header *')
    .evaluateAll((all) =>
      all.flatMap((each) =>
        each.getBoundingClientRect().right > innerWidth ? each.outerHTML.slice(0, 80) : [],
      ),
    );
  assert.deepEqual(wider, []);
  assert.deepEqual(await page.faults(), []);
});

/** Whether the transcript has its share, whether *Answer* is in view, and pixels beyond the side. */
function measure(page: ChatPage) {
  return page.page.evaluate(() => {
    const rect = (selector: string) => {
      const found = document.querySelector(selector)?.getBoundingClientRect();
      return { top: found?.top ?? -1, bottom: found?.bottom ?? -1, height: found?.height ?? 0 };
    };
    const answers = rect('[data-ask] .answers');
    const composer = rect('.composer');
    return {
      share: rect('.transcript-frame').height >= 0.4 * window.innerHeight - 1,
      answers: answers.height > 20 && answers.bottom <= composer.top + 1,
      overflow: document.documentElement.scrollWidth - window.innerWidth,
    };
  });
}

test('a click beside the rows does not scroll, and arrow keys go on from there', async () => {
  const page = await openPage(chatState(longChat(60)));
  await atEnd(page);
  await scrollBy(page, -3000);
  const before = await atRest(page);
  const box = await log(page).boundingBox();
  assert.ok(box);
  await page.page.mouse.click(box.x + 2, box.y + 300);
  assert.equal(await atRest(page), before);
  await focusIs('- div', () => focused(page));
  await page.page.keyboard.press('ArrowUp');
  assert.match(await focused(page), /^\d+ article$/);
  assert.ok(Math.abs((await atRest(page)) - before) < 300);
});

test('closing find keeps the place, and focuses what was found or had the focus', async () => {
  const page = await openPage(
    chatState([...longChat(100), toolItem('i', { title: 'İİ question' })]),
  );
  await atEnd(page);
  const { keyboard } = page.page;
  const message = page.page.getByRole('textbox', { name: 'Message' });
  const field = page.page.getByRole('textbox', { name: 'Find in chat' });
  await message.press('Control+F');
  await field.fill('nowhere');
  await keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  await focusIs('- textarea', () => focused(page));

  await message.press('Control+F');
  await field.fill('Question 5');
  await page.page.getByText('11 of 11').waitFor();
  await article(page, 'Question 59').waitFor();
  await atRest(page);
  const before = await offset(page, 'Question 59');
  await message.focus();
  await keyboard.press('Control+F');
  await keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  await focusIs('177 article', () => focused(page));
  await atRest(page);
  const moved = (await offset(page, 'Question 59')) - before;
  // The browser scrolls by whole pixels.
  assert.ok(Math.abs(moved) < 1, `${moved}`);
  assert.deepEqual(await page.faults(), []);
});

test('the focus stays in the transcript while a turn runs, ends and is scrolled away', async () => {
  const page = await openPage(chatState(longChat(60), { activity: 'running' }));
  await atEnd(page);
  await page.page.getByRole('textbox', { name: 'Message' }).focus();
  await page.page.keyboard.press('Shift+Tab');
  await focusIs('180 p', () => focused(page));
  await page.show(chatState(longChat(60)));
  await log(page).locator('.activity').waitFor({ state: 'detached' });
  await until('a row', async () => /article/.test(await focused(page)) || undefined);
  for (let press = 0; press < 8; press += 1) {
    await page.page.keyboard.press('PageUp');
    await atRest(page);
    assert.match(await focused(page), /^\d+ article$/);
  }
  assert.equal(await log(page).locator('[data-index="179"]').count(), 0);
});

test('the button to the end gives the focus to the last message when it goes', async () => {
  const page = await openPage(chatState(longChat(60)));
  await atEnd(page);
  const { keyboard } = page.page;
  await page.page.getByRole('textbox', { name: 'Message' }).focus();
  await keyboard.press('Shift+Tab');
  await focusIs('179 article', () => focused(page));
  await keyboard.press('Home');
  await focusIs('0 article', () => focused(page));
  const button = page.page.getByRole('button', { name: /^(New messages|Go to End)$/ });
  await button.waitFor();
  await keyboard.press('Tab');
  await until('the button', () => button.evaluate((each) => each === document.activeElement));
  await keyboard.press('Enter');
  await button.waitFor({ state: 'detached' });
  await focusIs('179 article', () => focused(page));
  await atEnd(page);
});

test('rows have names of their own, and what they hold is no stop of Tab', async () => {
  const table = '|a|b|\n|-|-|\n|1|2|';
  const items: ChatItem[] = [
    { kind: 'note', id: 'n', text: 'A note.' },
    { kind: 'user', id: 'u', text: 'Why?', done: true },
    { kind: 'thought', id: 't', text: 'Hm', done: true },
    { kind: 'agent', id: 'a', text: table, done: true },
    toolItem('run'),
    { kind: 'error', id: 'e', text: 'It failed.', retry: false, commands: [] },
  ];
  const page = await openPage(chatState(items));
  const names = ['A note.', 'You: Why?', 'Reasoning', 'Gatehouse', 'Call run', 'Error'];
  for (const name of names) await log(page).getByRole('article', { name }).waitFor();
  const scroller = log(page).locator('.table');
  assert.equal(await scroller.evaluate(({ tabIndex }) => tabIndex), -1);
  await log(page).getByRole('article', { name: 'Gatehouse' }).focus();
  await page.page.keyboard.press('Enter');
  assert.equal(await scroller.evaluate((each) => each === document.activeElement), true);
  assert.equal(await scroller.evaluate(({ tabIndex }) => tabIndex), 0);
});

test('the page sends a link once, and hides the click from the editor', async () => {
  const page = await openPage(
    chatState([{ kind: 'agent', id: 'a', text: '[x](b.md)', done: true }]),
  );
  await page.page.evaluate(() =>
    document.body.addEventListener('click', () => document.body.setAttribute('data-seen', '')),
  );
  await log(page).getByRole('link', { name: 'x' }).click();
  const links = (await page.posted()).filter(({ type }) => type === 'openLink');
  assert.equal(links.length, 1);
  assert.equal(await page.page.locator('[data-seen]').count(), 0);
  await log(page).getByRole('link', { name: 'x' }).click({ button: 'right' });
  await log(page).getByRole('link', { name: 'x' }).click({ button: 'middle' });
  const later = (await page.posted()).filter(({ type }) => type === 'openLink');
  assert.equal(later.length, 1);
});

test('a card that the reader opened stays open when it folds', async () => {
  const look = (id: string) => toolItem(id, { toolKind: 'read' });
  const page = await openPage(chatState([look('a')]));
  await article(page, 'Call a').getByRole('button').first().click();
  await article(page, 'Call a').locator('.output').waitFor();
  await page.show(chatState([look('a'), look('b')]));
  await log(page).getByRole('button', { name: 'Read 2 files' }).waitFor();
  await log(page).getByText('output of a').waitFor();
});

test('the message that has the focus is copied as plain text, by key and for the menu', async () => {
  const agent: ChatItem = { kind: 'agent', id: 'a', text: '- **one** `two`', done: true };
  const page = await openPage(chatState([agent, toolItem('run')]));
  await page.page.evaluate(() =>
    document.addEventListener('copy', ({ clipboardData }) =>
      document.body.setAttribute('data-copied', clipboardData?.getData('text/plain') ?? ''),
    ),
  );
  const copied = async (expected: string) => {
    await page.page.keyboard.press('Control+C');
    return (await page.page.locator('body').getAttribute('data-copied')) === expected || undefined;
  };
  await log(page).getByRole('article', { name: 'Gatehouse' }).focus();
  await until('the message', () => copied('- one two'));
  await page.page.locator('[aria-live]').getByText('Copied').waitFor({ state: 'attached' });
  await log(page).getByRole('article', { name: 'Call run' }).focus();
  await until('nothing of a call', () => copied(''));

  await page.post({ type: 'copyMessage', session: 'one', id: 'a' });
  const sent = await until('the text', async () =>
    (await page.posted()).find(({ type }) => type === 'copyText'),
  );
  assert.deepEqual(sent, { type: 'copyText', session: 'one', text: '- one two' });
});

test('find goes to the matches in a row that is longer than the view', async () => {
  const filler = 'A paragraph of a long answer.\n\n'.repeat(60);
  const text = `The needle.\n\n${filler}A second needle.\n\n${filler}Its end.`;
  const long: ChatItem = { kind: 'agent', id: 'long', text, done: true };
  const page = await openPage(chatState([...longChat(40), long, ...longChat(30)]));
  await atEnd(page);
  const isInView = async (shown: string) => {
    const paragraph = log(page).getByText(shown);
    if ((await paragraph.count()) === 0) return undefined;
    const box = await log(page).boundingBox();
    const at = await paragraph.boundingBox();
    return (at && box && at.y > box.y && at.y + at.height < box.y + box.height) || undefined;
  };
  await page.page.keyboard.press('Control+F');
  const field = page.page.getByRole('textbox', { name: 'Find in chat' });
  await field.fill('needle');
  await until('the last one', () => isInView('A second needle.'));
  await until('the one above', async () => {
    await field.press('Shift+Enter');
    await atRest(page);
    return isInView('The needle.');
  });
  await page.page.getByText('1 of 1').waitFor();
  await until('the one below', async () => {
    await field.press('Enter');
    await atRest(page);
    return isInView('A second needle.');
  });
  assert.deepEqual(await page.faults(), []);
});

test('what is in view stays where it is when the view becomes narrower or wider', async () => {
  const sentence = 'A sentence of an answer that is long enough to wrap in a narrow view. ';
  const items = Array.from({ length: 120 }, (_, at): ChatItem => {
    const text = `Row ${at}. ${sentence.repeat(1 + (at % 5))}`;
    return { kind: 'agent', id: `row-${at}`, text, done: true };
  });
  const page = await openPage(chatState(items), { width: 900 });
  await atEnd(page);
  await scrollBy(page, -4000);
  await page.page.getByRole('button', { name: /^(New messages|Go to End)$/ }).waitFor();
  await atRest(page);
  const first = () =>
    log(page).evaluate((box) => {
      const { top } = box.getBoundingClientRect();
      const rows = [...box.querySelectorAll('article')];
      const row = rows.find((each) => each.getBoundingClientRect().top >= top);
      const at = (row?.getBoundingClientRect().top ?? 0) - top;
      return { text: /Row \d+\./.exec(row?.textContent ?? '')?.[0] ?? '', at };
    });
  const before = await first();
  for (const width of [400, 220, 900]) {
    await page.page.setViewportSize({ width, height: 800 });
    await atRest(page);
    await isAt(page, before.text, before.at);
  }
  // The rows above were measured at another width.
  await page.page.setViewportSize({ width: 300, height: 800 });
  await atRest(page);
  for (let step = 0; step < 6; step += 1) {
    const { text, at } = await first();
    await scrollBy(page, -400);
    await atRest(page);
    const moved = (await offset(page, text)) - at;
    assert.ok(Math.abs(moved - 400) < 3, `${text} moved by ${moved}`);
  }
});
