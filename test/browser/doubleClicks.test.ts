import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { clickUntil, pause } from '../workbench/processes.ts';
import { GAPS } from '../workbench/variants.ts';
import { goToFirst } from './card.ts';
import { clickTwice, clickTwiceUntil, withTwoClicks } from './clickTwice.ts';
import { ARMED, openRequest, pick } from './pick.ts';
import { openCurrentReview, titleButton } from './reviewEditor.ts';
import { edit, FILES, prepareFiles } from './reviewMode.ts';
import { openScene, type Scene } from './scene.ts';

const CALLS = FILES.map((file) => edit(file, 'second', `second of ${file}`));
const [ONE, TWO] = FILES;

async function askFour(scene: Scene) {
  const text = prepareFiles(scene);
  scene.model.script({ calls: CALLS }, { text: 'Done.' });
  await scene.chat.send('change four files');
  await goToFirst(scene, 4);
  return text;
}

const question = (header: string) => ({
  tool: 'question',
  input: {
    questions: [
      {
        ...{ header, question: `Which ${header}?`, multi_select: true },
        options: [{ label: 'src' }, { label: 'test' }],
      },
    ],
  },
});

/**
 * Stalls the window while a pick is on its way, and clicks its row the moment it is drawn, as a user
 * does who meant what was there before.
 */
async function clickAsDrawn(page: Page, label: string): Promise<void> {
  await page.evaluate(`{
    const { send } = WebSocket.prototype;
    let stalls = 3;
    WebSocket.prototype.send = function (data) {
      send.call(this, data);
      stalls -= 1;
      const end = Date.now() + 1500;
      while (stalls >= 0 && Date.now() < end);
    };
    const observer = new MutationObserver(() => {
      const rows = '.quick-input-widget .monaco-list-row[aria-label^="${label}"]';
      const row = document.querySelector(rows);
      if (row === null || row.offsetParent === null) return;
      observer.disconnect();
      WebSocket.prototype.send = send;
      const { left, top } = row.getBoundingClientRect();
      const options = { bubbles: true, cancelable: true, view: window, detail: 1 };
      const position = { clientX: left + 20, clientY: top + 5 };
      for (const type of ['mousedown', 'mouseup', 'click'])
        row.dispatchEvent(new MouseEvent(type, { ...options, ...position }));
      window.clickedAsDrawn = true;
    });
    observer.observe(document.body, { childList: true, subtree: true, attributes: true });
  }`);
}

test('a click that lands in a pick as a stalled window draws it answers nothing', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat } = scene;
  const text = await askFour(scene);
  if (await workbench.quickInput.isVisible()) await workbench.hideQuickInput();
  await workbench.quickInput.waitFor({ state: 'detached' });
  await clickAsDrawn(workbench.page, 'Allow Once');
  await openRequest(workbench);
  await workbench.page.waitForFunction('window.clickedAsDrawn');
  await pause(ARMED * 2);
  await chat.frame.getByText('1 of 4', { exact: true }).waitFor();
  for (const file of FILES) assert.ok(!text(file).includes('second of'), file);
  await pick(workbench, 'Deny');
  await chat.frame.getByText('1 of 3', { exact: true }).waitFor();
});

for (const gap of GAPS) {
  test(`two clicks ${gap} ms apart on Allow in the editor's title answer one request`, (t) =>
    withTwoClicks(gap, async (gap) => {
      const scene = await openScene(t);
      const { workbench, chat } = scene;
      const text = await askFour(scene);
      await openCurrentReview(workbench);
      await clickTwiceUntil(
        'the first file',
        async () => {
          await pause(ARMED);
          await clickTwice(workbench.page, titleButton(workbench, 'Allow'), gap);
        },
        async () => text(ONE).includes('second of'),
      );
      await chat.permission(TWO).waitFor();
      await pause(ARMED * 2);
      await chat.frame.getByText('1 of 3', { exact: true }).waitFor();
      for (const file of FILES.slice(1)) assert.ok(!text(file).includes('second of'), file);
    }));

  test(`two clicks ${gap} ms apart on OK of a question answer one question`, (t) =>
    withTwoClicks(gap, async (gap) => {
      const { workbench, chat, model } = await openScene(t);
      model.script({ calls: [question('folders'), question('files')] }, { text: 'Done.' });
      await chat.send('ask me twice');
      await chat.question('Which folders?').waitFor();
      await openRequest(workbench);
      await workbench.quickInputTitle.filter({ hasText: 'Which folders?' }).waitFor();
      await clickUntil('the choice', workbench.row('src'), () =>
        workbench.quickInput.getByText('1 Selected').isVisible(),
      );
      const ok = workbench.quickInput.getByRole('button', { name: 'OK' });
      await clickTwiceUntil(
        'the first answer',
        async () => {
          await pause(ARMED);
          await clickTwice(workbench.page, ok, gap);
        },
        () => chat.question('Which files?').isVisible(),
      );
      await pause(ARMED * 2);
      assert.equal(await chat.question().count(), 1);
      assert.equal(model.requests.length, 1, 'the second question still waits');
    }));
}
