import type { Browser, Page } from 'playwright-core';
import { startScriptedModel } from '../test/browser/model.ts';
import { Chat } from '../test/workbench/chat.ts';
import { copySample } from '../test/workbench/sample.ts';
import { startServer } from '../test/workbench/server.ts';
import { storeState } from '../test/workbench/storedState.ts';
import { packFixture } from '../test/workbench/vsix.ts';
import { Workbench } from '../test/workbench/workbench.ts';
import { interleave, type Row } from './row.ts';

const ROUNDS = 5;
const ANSWER = 'I will remember this.';
const BLANK = 'Blank page.';

/** A window of the real editor that can be reloaded until a text is shown in its side bar. */
interface Reloaded {
  /** Milliseconds from the reload until the text is drawn. */
  reload(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Reloading a window of the real editor until the session in the side bar is drawn, against one whose
 * side bar has a page of one word: what the editor itself needs for a page of an extension.
 */
export async function reloadRows(browser: Browser): Promise<readonly Row[]> {
  const contenders = [await openGatehouse(browser), await openBlank(browser)] as const;
  const [gatehouse, blank] = contenders;
  try {
    // The first reload fills VS Code's caches.
    for (const each of contenders) await each.reload();
    const times = await interleave(ROUNDS, { ours: gatehouse.reload, blank: blank.reload });
    console.log('reload:', JSON.stringify(times));
    const goal = 'reload until the session is shown, beyond that of a blank page';
    return [{ goal, anchor: '500 ms', ratio: (times.ours - times.blank) / 500, limit: 1 }];
  } finally {
    for (const each of contenders) await each.close();
  }
}

async function openGatehouse(browser: Browser): Promise<Reloaded> {
  const model = await startScriptedModel();
  model.script({ text: ANSWER });
  const settings = { 'gatehouse.model.baseUrl': model.url, 'gatehouse.model.id': 'scripted' };
  const server = await startServer({ vsix: 'dist/gatehouse.vsix', settings });
  const window = await openWindow(browser, server, ANSWER);
  const chat = await Chat.open(window.workbench);
  await chat.send('remember');
  await chat.said(ANSWER);
  await chat.idle();
  return {
    reload: window.reload,
    close: async () => {
      await window.close();
      await model.stop();
    },
  };
}

async function openBlank(browser: Browser): Promise<Reloaded> {
  const server = await startServer({ others: [packFixture('blankView')] });
  const window = await openWindow(browser, server, BLANK);
  await window.workbench.openView('Blank');
  await window.workbench.webview().getByText(BLANK).waitFor();
  return window;
}

/**
 * Has every page in the window tell when it has drawn the text, because Playwright looks for it only now and
 * then. What is returned waits for the next time, in milliseconds since the epoch.
 */
function watchText(page: Page, text: string): () => Promise<number> {
  let told: (at: number) => void = () => undefined;
  const script = `(${DRAWN})(${JSON.stringify(text)})`;
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) return;
    // The page may navigate on, or be closed with its window.
    frame.evaluate<number>(script).then(
      (at) => told(at),
      () => undefined,
    );
  });
  return () =>
    new Promise((resolve) => {
      told = resolve;
    });
}

/** Runs in a page. Resolves with the time of the frame in which the text is shown. */
const DRAWN = `(text) => new Promise((resolve) => {
  const isShown = () => {
    const texts = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { nodeValue, parentElement } = texts.currentNode;
      if (nodeValue.includes(text) && parentElement.checkVisibility()) return true;
    }
    return false;
  };
  const look = () => {
    if (!isShown()) return false;
    changes.disconnect();
    requestAnimationFrame(() => resolve(Date.now()));
    return true;
  };
  const changes = new MutationObserver(look);
  if (!look()) changes.observe(document, { childList: true, subtree: true, characterData: true });
})`;

type Server = Awaited<ReturnType<typeof startServer>>;

async function openWindow(browser: Browser, server: Server, text: string) {
  const sample = copySample();
  const workbench = await Workbench.open(browser, server, { folder: sample.folder });
  const drawn = watchText(workbench.page, text);
  return {
    workbench,
    async reload() {
      await storeState(workbench.page);
      const shown = drawn();
      const start = Date.now();
      await workbench.page.reload();
      return (await shown) - start;
    },
    async close() {
      await workbench.close();
      await server.stop();
      sample.dispose();
    },
  };
}
