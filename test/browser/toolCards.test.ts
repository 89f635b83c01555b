import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import type { PermissionAsk, QuestionAsk } from '../../src/webview/messages/asks.ts';
import type {
  ChatItem,
  ChatState,
  StateChange,
  ToolItem,
} from '../../src/webview/messages/chatState.ts';
import { ChatPage, type ChatPageOptions } from '../workbench/chatPage.ts';
import { ROOT } from '../workbench/paths.ts';
import { clickUntil, until } from '../workbench/processes.ts';
import { chatState, toolItem } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

const ESC = '\u001B';
const LINES = Array.from({ length: 60 }, (_, at) => `line ${at}`);
const LONG_LINE = 'a_very_long_word_without_a_blank'.repeat(12);
const FAILED = toolItem('failed', {
  ...{ title: 'npm test', ended: 1, ranMs: 12_400, outputCut: true, terminals: ['t'] },
  output: [...LINES, LONG_LINE, `${ESC}[31m1 failed${ESC}[0m <b>`].join('\n'),
});

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

function card(page: ChatPage, item: Pick<ToolItem, 'id'>) {
  return page.page.locator(`article[data-id="${item.id}"]`);
}

async function change(page: ChatPage, ...changes: readonly StateChange[]): Promise<void> {
  await page.post({ type: 'changes', session: 'one', changes });
}

/** Clicks again until the page posts a message of a type. */
async function clickUntilPosted(page: ChatPage, name: string, type: string) {
  return until(`${type} is posted`, async () => {
    await page.page.getByRole('button', { name, exact: true }).first().click();
    return (await page.posted()).find((each) => each.type === type);
  });
}

function toEnd(page: ChatPage, item: Pick<ToolItem, 'id'>): Promise<number> {
  return card(page, item)
    .locator('.output')
    .evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
}

test('a failed command shows the end of its output, its exit code, its time and colors', async () => {
  const page = await openPage(chatState([FAILED]));
  const shown = card(page, FAILED);
  await shown.locator('.output').waitFor();
  await until('the end', async () => (await toEnd(page, FAILED)) < 2 || undefined);
  assert.match(await shown.locator('.tool-facts').innerText(), /12 s\s+exit 1/);
  assert.match(await shown.innerText(), /Only the end is shown\./);
  const red = shown.locator('.ansi-red-fg');
  assert.equal(await red.innerText(), '1 failed');
  await red.evaluate(() =>
    document.documentElement.style.setProperty('--vscode-terminal-ansiRed', 'rgb(1, 2, 3)'),
  );
  assert.equal(await red.evaluate((each) => getComputedStyle(each).color), 'rgb(1, 2, 3)');
  assert.deepEqual(await clickUntilPosted(page, 'Open Full Output', 'openOutput'), {
    ...{ type: 'openOutput', itemId: 'failed', session: 'one' },
  });
  assert.deepEqual(await clickUntilPosted(page, 'Copy Output', 'copyOutput'), {
    ...{ type: 'copyOutput', itemId: 'failed', session: 'one' },
  });
});

test('a short output has no buttons that only take its space', async () => {
  const ended = { ended: 1, status: 'failed' as const };
  const outputs = {
    line: 'one line\n',
    some: 'one\ntwo',
    wide: 'word '.repeat(40),
    many: 'line\n'.repeat(11),
  };
  const items = Object.entries(outputs).map(([id, output]) => toolItem(id, { ...ended, output }));
  const cut = toolItem('cut', { ...ended, output: 'the end', outputCut: true });
  const page = await openPage(chatState([...items, cut]));
  const shown = new Map<string, readonly string[]>();
  for (const { id } of [...items, cut]) {
    const one = card(page, { id: id ?? '' });
    await one.locator('.output').waitFor();
    shown.set(id ?? '', await one.locator('.buttons button').allInnerTexts());
  }
  assert.deepEqual(Object.fromEntries(shown), {
    line: [],
    some: ['Copy Output'],
    wide: ['Copy Output'],
    many: ['Copy Output', 'Open Full Output'],
    cut: ['Copy Output', 'Open Full Output'],
  });
});

test('what reads colors is loaded for the first output that has some', async () => {
  const page = await openPage(chatState([toolItem('plain', { ended: 1, status: 'failed' })]));
  const scripts = () => page.page.locator('head script[src*="outputStyler"]').count();
  await card(page, { id: 'plain' }).locator('.output').waitFor();
  assert.equal(await scripts(), 0);
  await change(page, { type: 'item', item: FAILED });
  await card(page, FAILED).locator('.ansi-red-fg').waitFor();
  assert.equal(await scripts(), 1);
  assert.deepEqual(await page.faults(), []);
});

for (const width of [220, 400, 900]) {
  test(`output cards fit ${width} pixels`, async () => {
    const items = [
      FAILED,
      toolItem('running', {
        ...{ title: 'npm run build', status: 'in_progress', startedAt: Date.now() - 65_000 },
        ...{ terminals: ['u'], output: `${ESC}[32m✓${ESC}[0m built\n40 %` },
      }),
      toolItem('done', { title: 'git status', ended: 0, ranMs: 300, terminals: ['v'] }),
    ];
    const page = await openPage(chatState(items, { activity: 'running' }), { width });
    await card(page, { id: 'running' }).locator('.output').waitFor();
    const wide = await page.page.evaluate(() =>
      [...document.querySelectorAll('article, article *')]
        .filter((each) => each.getBoundingClientRect().right > window.innerWidth + 1)
        .map((each) => each.className),
    );
    assert.deepEqual(wide, []);
    const box = card(page, FAILED).locator('.output');
    assert.ok(await box.evaluate((each) => each.scrollWidth <= each.clientWidth + 1));
    const file = path.join(ROOT, 'test-results/screenshots', `output-cards-${width}.png`);
    await page.page.screenshot({ path: file });
  });
}

test('a wait for the model counts down, and can be cut short', async () => {
  const retry = {
    ...{ kind: 'rate-limited', reason: 'Too many requests.', attempt: 1, maxAttempts: 4 },
    at: Date.now() + 60_000,
  };
  const page = await openPage(chatState([], { activity: 'running', retry }), { width: 220 });
  const line = page.page.locator('.retry');
  const count = async () => Number(/ (\d+) s/.exec(await line.innerText())?.[1]);
  assert.match(await line.innerText(), /Rate limited · attempt 2 of 4 · \d+ s/);
  const first = await count();
  await until('a lower count', async () => (await count()) < first || undefined);
  assert.deepEqual(await clickUntilPosted(page, 'Try Now', 'retryNow'), {
    ...{ type: 'retryNow', session: 'one' },
  });
  await change(page, { type: 'set', values: { retry: null } });
  await line.waitFor({ state: 'detached' });
  assert.deepEqual(await page.faults(), []);
});

test('the first button of an error card is the primary one, and helps', async () => {
  const error: ChatItem = {
    ...{ kind: 'error', id: 'e', text: 'There is no such model.', retry: true },
    ...{ commands: ['setModel', 'showLog'], helps: 'setModel' },
  };
  const page = await openPage(chatState([error]));
  const buttons = page.page.locator('[role="alert"] button');
  assert.deepEqual(await buttons.allInnerTexts(), ['Set Model…', 'Retry', 'Show Log']);
  assert.equal(await page.page.locator('[role="alert"] .primary').innerText(), 'Set Model…');
});

test('a model that is gone offers the next one by its name, before everything else', async () => {
  const error: ChatItem = {
    ...{ kind: 'error', id: 'e', text: 'There is no such model.', retry: true },
    ...{ commands: ['chooseModel'], helps: 'chooseModel', next: { ref: 'ollama:q', name: 'q' } },
  };
  const page = await openPage(chatState([error]));
  const buttons = page.page.locator('[role="alert"] button');
  const names = ['Use q', 'Choose Another Model…', 'Retry'];
  assert.deepEqual(await buttons.allInnerTexts(), names);
  assert.deepEqual(await page.page.locator('[role="alert"] .primary').allInnerTexts(), ['Use q']);
  assert.deepEqual(await clickUntilPosted(page, 'Use q', 'useNext'), {
    ...{ type: 'useNext', session: 'one', ref: 'ollama:q' },
  });
});

test('a question and its answer stay, and long options wrap', async () => {
  const long = 'Use the port that the other service listens on already, '.repeat(4);
  const answered = toolItem('asked', {
    ...{ toolKind: 'other', title: 'Ask: Port', output: '8080', ended: 0 },
    questions: [
      { question: `Which port? ${long}`, answers: [long] },
      { question: 'Why?', answers: [] },
    ],
  });
  const values = [long, 'one_very_long_word_'.repeat(12)];
  const choices = values.map((value) => ({ value, label: value }));
  const ask: QuestionAsk = {
    ...{ kind: 'question', id: 'q', message: `Which one? ${long}`, since: 0 },
    fields: [
      {
        ...{ key: 'port', title: long, required: true },
        input: { type: 'choice', choices, multiple: false },
      },
    ],
  };
  const request = { askId: 'q', position: 1, total: 1, agent: '', session: '' };
  const state = chatState([answered], { activity: 'running', asks: [ask], request });
  const page = await openPage(state, { width: 220, height: 1200 });
  const given = card(page, answered).locator('.given-answers');
  assert.match(
    await given.innerText(),
    /Which port\?[\s\S]*Use the port[\s\S]*Why\?\s+Not answered/,
  );
  const option = page.page.locator('.option').first();
  await option.waitFor();
  const lines = await option.evaluate(
    (each) =>
      each.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(each).fontSize),
  );
  assert.ok(lines > 4, 'the text wraps');
  const wide = await page.page.evaluate(() =>
    [...document.querySelectorAll('.ask *, .given-answers *')]
      .filter((each) => each.getBoundingClientRect().right > window.innerWidth + 1)
      .map((each) => each.className),
  );
  assert.deepEqual(wide, []);
  const file = path.join(ROOT, 'test-results/screenshots', 'question-220.png');
  await page.page.screenshot({ path: file });
});

test('a running command follows its own end, unless the user looks further up, and can be stopped', async () => {
  const running = toolItem('running', {
    ...{ status: 'in_progress', startedAt: Date.now() - 5_000, terminals: ['t'] },
    output: LINES.join('\n'),
  });
  const page = await openPage(chatState([running], { activity: 'running' }));
  const box = card(page, running).locator('.output');
  const print = (text: string) =>
    change(page, {
      ...{ type: 'output', id: 'running', drop: 7, keep: 100_000, text, cut: true },
    });
  await print('\nmore\nand the last');
  await box.getByText('and the last').waitFor();
  await until('the end', async () => (await toEnd(page, running)) < 2 || undefined);
  assert.doesNotMatch(await box.innerText(), /^line 0\n/);

  await box.evaluate((each) => each.scrollTo({ top: 0 }));
  await print('\neven more');
  await box.getByText('even more').waitFor();
  assert.ok((await toEnd(page, running)) > 100);
  assert.match(await card(page, running).locator('.tool-time').innerText(), /^\d+(\.\d)? s$/);

  assert.deepEqual(await clickUntilPosted(page, 'Stop Command', 'stopCommand'), {
    ...{ type: 'stopCommand', itemId: 'running', session: 'one' },
  });
  assert.deepEqual(await clickUntilPosted(page, 'Continue in Background', 'continueInBackground'), {
    ...{ type: 'continueInBackground', itemId: 'running', session: 'one' },
  });
  const ended = { ...running, status: 'aborted', ranMs: 6_000, command: 'npm test' } as const;
  await change(page, { type: 'item', item: ended });
  assert.deepEqual(await clickUntilPosted(page, 'Run in Terminal', 'runInTerminal'), {
    ...{ type: 'runInTerminal', itemId: 'running', session: 'one' },
  });
  await page.page.getByRole('button', { name: 'Stop Command' }).waitFor({ state: 'detached' });
  assert.deepEqual(await page.faults(), []);
});

const PERMISSION: PermissionAsk = {
  ...{ kind: 'permission', id: 'p', toolCallId: 'c', title: 'npm publish', toolKind: 'execute' },
  ...{ subject: 'npm publish', length: 11, suspicious: false, why: 'No rule.', parts: [] },
  ...{ diff: false, diffs: [], since: 0, edit: { form: 'command', text: 'npm publish' } },
  options: [
    { optionId: 'once', name: 'Once', kind: 'allow_once' },
    { optionId: 'always', name: 'Always', kind: 'allow_always', destination: 'workspace' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ],
  offers: {
    allow: [
      {
        part: 'npm publish',
        rules: ['npm publish', 'npm *'].map((pattern) => ({
          rule: { permission: 'bash', pattern, action: 'allow' },
          ...{ text: `bash ${pattern}`, alsoMatches: [] },
        })),
      },
    ],
    deny: [],
  },
};

test('what is typed for an answer is kept while the card is not drawn, until it is sent', async () => {
  const request = { askId: 'p', position: 1, total: 2, agent: '', session: '' };
  const state = chatState([], { activity: 'running', asks: [PERMISSION], request });
  const page = await openPage(state);
  const region = ({ page }: ChatPage) => page.getByRole('region', { name: 'Permission needed' });
  const open = (name: string) =>
    until(name, async () => {
      const button = region(page).getByRole('button', { name });
      if ((await region(page).locator('.drawer').count()) === 0) await button.click();
      return (await region(page).locator('.drawer').count()) > 0 || undefined;
    });
  const reason = (each: ChatPage) => each.page.getByRole('region').locator('.reason input');
  await open('Deny…');
  await reason(page).fill('Not before the tests');

  // Another request is current for a while.
  await page.show(chatState([], { activity: 'running', request: { ...request, askId: 'other' } }));
  await region(page).waitFor({ state: 'detached' });
  await page.show(state);
  assert.equal(await reason(page).inputValue(), 'Not before the tests');

  const kept = await page.kept();
  const next = await openPage(state, kept && { kept });
  assert.equal(await reason(next).inputValue(), 'Not before the tests');
  // The message has it, as in each page that opens with the focus, and not what was typed for the request.
  assert.equal(await next.page.evaluate(() => document.activeElement?.tagName), 'TEXTAREA');
  await until('the answer', async () => {
    await reason(next).press('Enter');
    return (await next.posted()).find(
      (each) => each.type === 'answer' && JSON.stringify(each.answer).includes('Not before'),
    );
  });
  assert.deepEqual((await next.kept())?.sessions['one']?.answers, {});
});

test('an edited command and chosen rules are kept while the card is not drawn', async () => {
  const request = { askId: 'p', position: 1, total: 1, agent: '', session: '' };
  const state = chatState([], { activity: 'running', asks: [PERMISSION], request });
  const answers = (fields: Readonly<Record<string, string | readonly string[]>>) => ({
    kept: {
      ...{ draft: '', attached: [] },
      sessions: { one: { opened: {}, answers: { p: fields } } },
    },
  });
  const edited = await openPage(state, answers({ panel: 'edit', edited: 'npm publish --dry-run' }));
  const area = edited.page.getByRole('region').locator('textarea');
  assert.equal(await area.inputValue(), 'npm publish --dry-run');
  const rules = await openPage(state, answers({ panel: 'allowAlways' }));
  const radio = rules.page.getByRole('radio', { name: 'bash npm *' });
  // A card takes no clicks right after it moved.
  await clickUntil('the chosen rule', radio, async () => (await radio.isChecked()) || undefined);
  const kept = await rules.kept();
  const next = await openPage(state, kept && { kept });
  assert.equal(await next.page.getByRole('radio', { name: 'bash npm *' }).isChecked(), true);
  const gone = await openPage(state, answers({ panel: 'no longer offered' }));
  assert.equal(await gone.page.locator('.drawer').count(), 0);
});
