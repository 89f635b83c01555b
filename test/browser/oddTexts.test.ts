import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { Attached } from '../../src/webview/messages/attached.ts';
import type { ChatItem } from '../../src/webview/messages/chatState.ts';
import { ChatPage } from '../workbench/chatPage.ts';
import { RESULTS } from '../workbench/paths.ts';
import { until } from '../workbench/processes.ts';
import { chatState, toolItem } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

const WORD = 'Donaudampfschifffahrt'.repeat(40);
const LINE = 'x'.repeat(10_000);

/** What models and users write that is not prose from left to right. */
const TEXTS: Readonly<Record<string, string>> = {
  rtl: 'שלום `src/app.ts:10` עולם\n\n- פריט **ראשון**\n- second item',
  emoji: '👩‍👩‍👧‍👦 🇩🇪 e\u0301 ﷽ ｆｕｌｌ Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L',
  line: LINE,
  code: `\`\`\`ts\nconst a = '${LINE}';\n\`\`\``,
  word: `${WORD} and https://a.example/${WORD}?q=${WORD}`,
  math: 'Let $x^2 + y_1$ and $$\\int_0^1 f(x)\\,dx$$ and \\(a_b\\).',
  mermaid: '```mermaid\ngraph TD; A-->B;\n```',
  html: '<img src=x onerror="document.title=1"><script>document.title=1</script><details open>d</details>',
  data: '![](data:image/png;base64,iVBORw0KGgo=) ![a picture](data:image/svg+xml,<svg/>) [x](data:text/html,hi)',
  lists: `${Array.from({ length: 12 }, (_, at) => `${'  '.repeat(at)}- level ${at}`).join('\n')}\n\n1. one\n   | a | b |\n   |---|---|\n   | \`x \\| y\` | ${WORD} |\n\n   > quote\n   > - in it\n`,
  open: '**not closed `nor this [nor](that\n\n| a | b |\n|---|',
  empty: ' \n\n\t\n',
};

const items = Object.entries(TEXTS).flatMap(([id, text]): readonly ChatItem[] => [
  { kind: 'user', id: `user-${id}`, text, done: true },
  { kind: 'agent', id: `agent-${id}`, text, done: true },
  toolItem(id, { title: text.slice(0, 300), output: text, ended: 1, status: 'failed' }),
]);

/** What is wider than the page, or moved by its content. */
const findOverflow = ({ page }: ChatPage) =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const log = document.querySelector('[role="log"]');
    const wide = [...document.querySelectorAll('article')].flatMap((each) =>
      each.getBoundingClientRect().right > clientWidth + 1 ? [each.textContent.slice(0, 20)] : [],
    );
    const scrolls = (log?.scrollWidth ?? 0) > (log?.clientWidth ?? 0);
    return [...wide, ...(scrollWidth > clientWidth || scrolls ? ['the page'] : [])];
  });

for (const width of [220, 900]) {
  test(`odd texts of models and users are shown as they are, without a scroll bar, at ${width} px`, async (t) => {
    const page = await ChatPage.open(await sharedBrowser(), { width });
    t.after(() => page.close());
    for (const [id, text] of Object.entries(TEXTS)) {
      const shown = items.filter((item) => item.id.endsWith(id));
      await page.show(chatState(shown), id);
      await page.page.locator(`article[data-id="${id}"]`).waitFor();
      await page.page.locator('article[data-kind="agent"]').waitFor();
      const name = `odd-${id}-${width}.png`;
      await page.page.screenshot({ path: path.join(RESULTS, 'screenshots', name) });
      assert.deepEqual(await findOverflow(page), [], id);
      assert.deepEqual(await page.faults(), [], id);
      const user = page.page.locator('article[data-kind="user"] .plain');
      assert.equal(await user.textContent(), text, id);
      const made = page.page.locator('.markdown').locator('img, script, details, svg, iframe');
      assert.equal(await made.count(), 0, id);
    }
  });
}

test('text from right to left is aligned to the right, and code in it stays from left to right', async (t) => {
  const page = await ChatPage.open(await sharedBrowser());
  t.after(() => page.close());
  await page.show(chatState(items.filter(({ id }) => id.endsWith('rtl'))));
  const list = page.page.locator('.markdown ul');
  assert.equal(await list.evaluate((each) => getComputedStyle(each).direction), 'rtl');
  // The text of each line is at the side of its own direction.
  const sides = await page.page.locator('.markdown :is(p, li)').evaluateAll((lines) =>
    lines.map((line) => {
      const range = document.createRange();
      range.selectNodeContents(line);
      const [own, text] = [line.getBoundingClientRect(), range.getBoundingClientRect()];
      return own.right - text.right < text.left - own.left ? 'right' : 'left';
    }),
  );
  assert.deepEqual(sides, ['right', 'right', 'left']);
});

test('two hundred chips and a pasted log leave the transcript its part, and are sent whole', async (t) => {
  const page = await ChatPage.open(await sharedBrowser(), { width: 220 });
  t.after(() => page.close());
  await page.show(chatState(items.slice(0, 3)));
  const attached = Array.from(
    { length: 200 },
    (_, at): Attached => ({
      ...{ id: `${at}`, kind: 'file', label: `file-${at}.ts` },
    }),
  );
  await page.post({ type: 'focusComposer', session: 'one', text: '', attached });
  const chips = page.page.getByRole('list', { name: 'Attached' }).getByRole('button');
  await until('all chips', async () => (await chips.count()) === 200 || undefined);
  const field = page.page.getByRole('textbox', { name: 'Message' });
  const text = 'A line of a log that was pasted.\n'.repeat(8_000).trim();
  // As a paste does; typed line by line, the browser alone needs minutes.
  await field.evaluate((input: HTMLTextAreaElement, pasted) => {
    input.value = pasted;
    input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    input.focus();
    input.setSelectionRange(pasted.length, pasted.length);
  }, text);
  await page.page.keyboard.type(' Why?');
  const share = await page.page.evaluate(() => {
    const log = document.querySelector('[role="log"]');
    return (log?.clientHeight ?? 0) / document.documentElement.clientHeight;
  });
  assert.ok(share >= 0.4, `${share}`);
  assert.deepEqual(await findOverflow(page), []);
  await field.press('Enter');
  const sent = await until('the message', async () =>
    (await page.posted()).find((each) => each.type === 'send'),
  );
  assert.ok(sent.type === 'send' && sent.text === `${text} Why?` && sent.attached?.length === 200);
});

test('Enter that ends a composition sends nothing, and Escape in it stops nothing', async (t) => {
  const page = await ChatPage.open(await sharedBrowser());
  t.after(() => page.close());
  await page.show(chatState([], { activity: 'running' }));
  const field = page.page.getByRole('textbox', { name: 'Message' });
  await field.focus();
  const session = await page.page.context().newCDPSession(page.page);
  const compose = (text: string) =>
    session.send('Input.imeSetComposition', {
      ...{ text, selectionStart: text.length, selectionEnd: text.length },
    });
  const press = async (key: string, code: number) => {
    // As an input method sends it: the page sees key code 229 while it composes.
    for (const type of ['rawKeyDown', 'keyUp'] as const) {
      const windowsVirtualKeyCode = type === 'keyUp' ? code : 229;
      await session.send('Input.dispatchKeyEvent', { type, key, windowsVirtualKeyCode });
    }
  };
  await compose('にほん');
  await press('Enter', 13);
  await press('Escape', 27);
  await session.send('Input.insertText', { text: '日本' });
  assert.equal(await field.inputValue(), '日本');
  assert.equal(await page.page.getByText('Press Escape again').count(), 0);
  const acts = async () =>
    (await page.posted()).filter(({ type }) => type === 'send' || type === 'stop');
  assert.deepEqual(await acts(), []);
  await field.press('Enter');
  await until('the message', async () => (await acts()).length === 1 || undefined);
});
