import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { StartState } from '../../src/webview/messages/chatState.ts';
import { ChatPage } from '../workbench/chatPage.ts';
import { RESULTS } from '../workbench/paths.ts';
import { until } from '../workbench/processes.ts';
import { themed } from '../workbench/themes.ts';
import { LOOKS } from '../workbench/variants.ts';
import { findPageFaults } from './axe.ts';
import { chatState } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

const SUGGESTIONS = [
  { label: 'Fix the failing test', text: '`npm test` failed.' },
  { label: 'Explain src/a-folder/with-a-long-name/index.ts', text: 'Explain it.' },
];
const OFFERS = [
  { ref: 'vscode:a', label: 'Use GPT', detail: 'copilot · 64,000 tokens · price unknown' },
  {
    ref: 'ollama:b',
    label: 'Use qwen3-coder:30b-a3b-q4',
    detail: 'Ollama · context unknown · free',
  },
];
const STATES: Readonly<Record<string, StartState>> = {
  models: { offers: OFFERS, suggestions: [] },
  suggestions: { suggestions: SUGGESTIONS },
};

for (const theme of LOOKS) {
  test(`an empty chat fits in ${theme}: models to begin with, then suggestions, without a fault that axe finds`, async () => {
    for (const [name, start] of Object.entries(STATES)) {
      const page = await ChatPage.open(await sharedBrowser());
      await themed(page.page, theme);
      const model = name === 'models' ? '' : 'm';
      await page.show(chatState([], { header: { model, tour: false, start } }));
      for (const width of [220, 400, 900]) {
        await page.page.setViewportSize({ width, height: 700 });
        await page.kept();
        const file = path.join(RESULTS, 'screenshots', `start-${name}-${theme}-${width}.png`);
        await page.page.screenshot({ path: file });
        const wide = await page.page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${name} is ${wide} wide at ${width}`);
        if (width === 400) assert.deepEqual(await findPageFaults(page.page), []);
      }
      assert.deepEqual(await page.faults(), []);
      await page.close();
    }
  });
}

test('a model and a suggestion are one click each, and a double click is one', async () => {
  const page = await ChatPage.open(await sharedBrowser());
  await page.show(
    chatState([], {
      header: { model: '', tour: false, start: { offers: OFFERS, suggestions: [] } },
    }),
  );
  await page.posted();
  await page.page.getByRole('button', { name: /Use GPT/ }).dblclick();
  await page.show(
    chatState([], { header: { model: 'm', tour: false, start: { suggestions: SUGGESTIONS } } }),
  );
  await page.page.getByRole('button', { name: 'Fix the failing test' }).dblclick();
  const message = page.page.getByRole('textbox', { name: 'Message' });
  await page.show(chatState([{ kind: 'user', id: 'u', text: 'Fix it.', done: true }]));
  await until('the input has the focus of the button that is gone', () =>
    message.evaluate((each) => each === document.activeElement),
  );
  const actions = (await page.posted()).filter(
    ({ type }) => type === 'useModel' || type === 'send',
  );
  assert.deepEqual(
    actions.map((action) => ('ref' in action ? action.ref : 'text' in action && action.text)),
    ['vscode:a', '`npm test` failed.'],
  );
  await page.close();
});

test('by keyboard, Tab reaches every model and suggestion of an empty chat, and Enter uses it', async () => {
  const page = await ChatPage.open(await sharedBrowser());
  const { keyboard } = page.page;
  const focused = () => page.page.evaluate(() => document.activeElement?.textContent ?? '');
  const goTo = async (text: string, key: string) => {
    for (let stops = 0; stops < 10 && !(await focused()).startsWith(text); stops += 1) {
      await keyboard.press(key);
    }
    assert.match(await focused(), new RegExp(`^${text}`));
  };
  const start: StartState = { offers: OFFERS, suggestions: [] };
  await page.show(chatState([], { header: { model: '', tour: false, start } }));
  await page.page.getByRole('textbox', { name: 'Message' }).focus();
  await goTo('Other Model…', 'Shift+Tab');
  await goTo('Use qwen3', 'Shift+Tab');
  await goTo('Use GPT', 'Shift+Tab');
  await goTo('Use qwen3', 'Tab');
  await keyboard.press('Enter');
  await page.show(
    chatState([], { header: { model: 'm', tour: false, start: { suggestions: SUGGESTIONS } } }),
  );
  await page.page.getByRole('textbox', { name: 'Message' }).focus();
  await goTo('Explain', 'Shift+Tab');
  await goTo('Fix the failing test', 'Shift+Tab');
  await keyboard.press('Enter');
  const actions = await page.posted();
  assert.ok(actions.some((each) => each.type === 'useModel' && each.ref === 'ollama:b'));
  assert.ok(actions.some((each) => each.type === 'send' && each.text === SUGGESTIONS[0]?.text));
  await page.close();
});
