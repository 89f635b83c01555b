import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import type { ChatItem, StateChange } from '../../src/webview/messages/chatState.ts';
import type { SubagentStates } from '../../src/webview/messages/subagents.ts';
import { ChatPage, type ChatPageOptions } from '../workbench/chatPage.ts';
import { RESULTS } from '../workbench/paths.ts';
import { until } from '../workbench/processes.ts';
import { themed } from '../workbench/themes.ts';
import { LOOKS } from '../workbench/variants.ts';
import { findPageFaults } from './axe.ts';
import { chatState, toolItem } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

const ITEMS: readonly ChatItem[] = [
  { kind: 'user', id: 'user', text: 'Find out who calls the parser.', done: true },
  toolItem('task', {
    ...{ title: 'explore: Find all callers of parseMessage in the workspace', toolKind: 'other' },
    ...{ status: 'in_progress', output: 'I look.', subagent: 'ses_a' },
  }),
];

const SUBAGENTS: SubagentStates = {
  ses_a: {
    left: 12,
    items: [
      { kind: 'user', id: 'ses_a/user', text: 'Find all callers of parseMessage.', done: true },
      { kind: 'thought', id: 'ses_a/thought', text: 'Where to begin?', done: true },
      { kind: 'agent', id: 'ses_a/text', text: 'I **look** into `src/app.ts`.', done: true },
      toolItem('ses_a/grep', {
        ...{ title: 'Search "parseMessage" in src/extension/views', toolKind: 'search' },
        ...{ output: 'src/extension/views/chatView.ts:273', rule: 'grep: *' },
      }),
      toolItem('ses_a/edit', {
        ...{ title: 'Edit src/app.ts', toolKind: 'edit', output: '' },
        diffs: [
          {
            ...{ path: '/w/src/app.ts', label: 'src/app.ts', created: false },
            ...{ added: 1, removed: 0, more: 0, rows: [{ sign: '+', text: 'call();' }] },
          },
        ],
      }),
      toolItem('ses_a/inner', {
        ...{ title: 'explore: Read the tests', toolKind: 'other', subagent: 'ses_b' },
      }),
    ],
  },
};

const INNER: SubagentStates = {
  ses_b: {
    left: 0,
    items: [{ kind: 'agent', id: 'ses_b/text', text: 'Nothing tests it.', done: true }],
  },
};

const pages: ChatPage[] = [];
after(async () => {
  for (const page of pages) await page.close();
});

async function openPage(options?: ChatPageOptions): Promise<ChatPage> {
  const page = await ChatPage.open(await sharedBrowser(), options);
  pages.push(page);
  await page.show(chatState(ITEMS, { activity: 'running' }));
  return page;
}

const change = (page: ChatPage, ...changes: readonly StateChange[]) =>
  page.post({ type: 'changes', session: 'one', changes });

/** Opens the card by keyboard, as the page asks the extension for its rows. */
async function openCard(page: ChatPage, title: string, subagent: string): Promise<void> {
  const toggle = page.page.getByRole('button', { name: title });
  await toggle.focus();
  await page.page.keyboard.press('Enter');
  const asked = await until(`${subagent} is asked for`, async () =>
    (await page.posted()).find((each) => each.type === 'showSubagent'),
  );
  assert.deepEqual(asked, { type: 'showSubagent', subagent, session: 'one' });
}

test('the card of a task opens by keyboard to the rows of its subagent, which follow it', async () => {
  const page = await openPage();
  assert.equal((await page.posted()).filter(({ type }) => type === 'showSubagent').length, 0);
  await openCard(page, 'explore: Find all callers', 'ses_a');
  const section = page.page.getByRole('region', { name: 'What the subagent did' }).first();
  await section.getByText('Loading what the subagent did').waitFor();
  await change(page, { type: 'set', values: { subagents: SUBAGENTS } });
  await section.locator('strong', { hasText: 'look' }).waitFor();
  assert.deepEqual(
    await section
      .locator('article')
      .evaluateAll((all) => all.map((each) => each.getAttribute('data-kind'))),
    ['user', 'thought', 'agent', 'tool', 'tool', 'tool'],
  );
  assert.equal(await section.getByText('12 earlier entries are left out.').count(), 1);
  assert.equal(await section.getByRole('heading', { level: 2 }).count(), 0);
  // What is done with a call is its own session's.
  for (const name of ['Edit and Resend', 'Copy Output']) {
    assert.equal(await section.getByRole('button', { name }).count(), 0, name);
  }
  const more: ChatItem = {
    ...{ kind: 'agent', id: 'ses_a/more', text: 'Three callers.', done: false },
  };
  const grown = [...(SUBAGENTS['ses_a']?.items ?? []), more];
  const subagents = { ...SUBAGENTS, ses_a: { items: grown, left: 12 } };
  await change(page, { type: 'set', values: { subagents } });
  await section.getByText('Three callers.').waitFor();
  assert.deepEqual(await page.faults(), []);
});

test('Tab walks from the card of a task through its rows, and a nested task opens to its own', async () => {
  const page = await openPage();
  await openCard(page, 'explore: Find all callers', 'ses_a');
  await change(page, { type: 'set', values: { subagents: SUBAGENTS } });
  const nested = page.page.getByRole('button', { name: 'explore: Read the tests' });
  await nested.waitFor();
  await until('the nested task has the focus', async () => {
    await page.page.keyboard.press('Tab');
    return nested.evaluate((each) => each === document.activeElement);
  });
  await openCard(page, 'explore: Read the tests', 'ses_b');
  await change(page, { type: 'set', values: { subagents: { ...SUBAGENTS, ...INNER } } });
  await page.page.getByText('Nothing tests it.').waitFor();
  await page.page.keyboard.press('Escape');
  const focused = () => page.page.evaluate(() => document.activeElement?.getAttribute('data-id'));
  assert.equal(await focused(), 'task', 'Escape goes back to the row');
});

test('the diff of a subagent opens, is reverted and found from its rows', async () => {
  const page = await openPage();
  await openCard(page, 'explore: Find all callers', 'ses_a');
  await change(page, { type: 'set', values: { subagents: SUBAGENTS } });
  const card = page.page.locator('[data-id="ses_a/edit"]');
  await card.getByRole('button', { name: 'Show Diff' }).click();
  await card.getByRole('button', { name: 'Revert' }).click();
  const posted = (await page.posted()).filter(({ type }) => /showDiff|revert/.test(type));
  assert.deepEqual(posted, [
    { type: 'showDiff', session: 'one', itemId: 'ses_a/edit', index: 0 },
    { type: 'revert', session: 'one', itemId: 'ses_a/edit' },
  ]);

  await page.page.keyboard.press('Control+F');
  const box = page.page.getByRole('textbox', { name: 'Find in chat' });
  const count = page.page.locator('.find-count');
  for (const [text, found] of [
    ['where to begin', '1 of 1'],
    ['chatView.ts:273', '1 of 1'],
    ['parseMessage', '1 of 1'],
    ['nowhere at all', 'No results'],
  ] as const) {
    await box.fill(text);
    await until(`${found} for ${text}`, async () => (await count.innerText()) === found);
  }
});

test('a card that was left open asks for its rows again after a reload of the page', async () => {
  const page = await openPage();
  await openCard(page, 'explore: Find all callers', 'ses_a');
  const kept = await page.kept();
  assert.ok(kept);
  const next = await openPage({ kept });
  await until('its rows are asked for', async () =>
    (await next.posted()).find((each) => each.type === 'showSubagent'),
  );
});

test('why a subagent could not be loaded stands in its card', async () => {
  const page = await openPage();
  await openCard(page, 'explore: Find all callers', 'ses_a');
  const fault = 'Could not load what the subagent did: locked';
  const subagents = { ses_a: { items: [], left: 0, fault } };
  await change(page, { type: 'set', values: { subagents } });
  await page.page.getByText(fault).waitFor();
  assert.equal(await page.page.getByText('Loading what the subagent did').count(), 0);
});

for (const theme of LOOKS) {
  test(`the rows of a subagent fit in ${theme}, and axe finds no fault`, async () => {
    for (const width of [220, 400, 900]) {
      const page = await openPage({ width });
      await themed(page.page, theme);
      await page.page.getByRole('button', { name: 'explore: Find all' }).click();
      await change(page, { type: 'set', values: { subagents: { ...SUBAGENTS, ...INNER } } });
      await page.page.getByRole('button', { name: 'explore: Read the tests' }).click();
      await page.page.getByText('Nothing tests it.').waitFor();
      await page.page.screenshot({
        path: path.join(RESULTS, 'screenshots', `subagent-${theme}-${width}.png`),
      });
      assert.deepEqual(await findWide(page), [], `at ${width}`);
      if (width === 400) assert.deepEqual(await findPageFaults(page.page), []);
    }
  });
}

/** What reaches beyond the page, or has no room for its words. */
function findWide({ page }: ChatPage): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const faults = scrollWidth > clientWidth ? [`page of ${scrollWidth}`] : [];
    for (const each of document.querySelectorAll('article, article button')) {
      const { right, width } = each.getBoundingClientRect();
      if (width > 0 && right > clientWidth + 1) faults.push(`${each.className} ends at ${right}`);
    }
    for (const each of document.querySelectorAll('.subagent .tool-name')) {
      const { width } = each.getBoundingClientRect();
      if (width < 60) faults.push(`"${each.textContent}" is ${width} wide`);
    }
    return faults;
  });
}

test('a subagent that names itself as its own is not drawn within itself', async () => {
  const page = await openPage();
  // A failed card is open.
  const itself = toolItem('ses_a/again', {
    ...{ title: 'explore: Again', toolKind: 'other', status: 'failed', subagent: 'ses_a' },
  });
  await openCard(page, 'explore: Find all callers', 'ses_a');
  const subagents = { ses_a: { items: [itself], left: 0 } };
  await change(page, { type: 'set', values: { subagents } });
  await page.page.getByRole('button', { name: 'explore: Again' }).waitFor();
  assert.equal(await page.page.getByRole('region', { name: 'What the subagent did' }).count(), 1);
  assert.deepEqual(await page.faults(), []);
});
