import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatPage } from '../workbench/chatPage.ts';
import { until } from '../workbench/processes.ts';
import { chatState, toolItem } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

/** Something that spins in each place: the turn, a running call, and a chip that is being read. */
const RUNNING = chatState([toolItem('build', { title: 'npm test', status: 'in_progress' })], {
  activity: 'running',
});

test('issue 15: with reduced motion nothing moves, whether the system or the editor asks for it', async (t) => {
  const page = await ChatPage.open(await sharedBrowser());
  t.after(() => page.close());
  const moving = () =>
    page.page.evaluate(() => {
      const { getAnimations } = document as unknown as {
        getAnimations(): readonly { readonly playState: string }[];
      };
      return getAnimations.call(document).filter(({ playState }) => playState === 'running').length;
    });
  await page.page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.show(RUNNING);
  await until('something that moves', async () => (await moving()) > 0);
  await page.page.emulateMedia({ reducedMotion: 'reduce' });
  await until('nothing that moves, by the system', async () => (await moving()) === 0, 5000);
  await page.page.emulateMedia({ reducedMotion: 'no-preference' });
  await until('something that moves again', async () => (await moving()) > 0);
  await page.page.evaluate(() => document.body.classList.add('vscode-reduce-motion'));
  await until('nothing that moves, by the editor', async () => (await moving()) === 0, 5000);
  assert.deepEqual(await page.faults(), []);
});
