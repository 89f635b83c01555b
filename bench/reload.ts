import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { startScriptedModel } from '../test/browser/model.ts';
import { Chat } from '../test/workbench/chat.ts';
import { copySample } from '../test/workbench/sample.ts';
import { startServer } from '../test/workbench/server.ts';
import { storeState } from '../test/workbench/storedState.ts';
import { packFixture } from '../test/workbench/vsix.ts';
import { Workbench } from '../test/workbench/workbench.ts';
import { median, type Row } from './row.ts';

const PACKAGE = 'dist/gatehouse.vsix';
const ROUNDS = 5;
const KEPT = 8_000;
const ANSWER = 'I will remember this.';
const BLANK = 'Blank page.';

/** Milliseconds from the reload of a window. */
interface Reloading {
  /** Until the text can be seen, in the live page or in the last screen that was kept of it. */
  readonly shown: number;
  /** Until it can be seen in the live page, and a message can be written below it. */
  readonly live: number;
}

/** A window of the real editor that can be reloaded until a text is shown in its side bar. */
interface Reloaded {
  reload(): Promise<Reloading>;
  close(): Promise<void>;
}

/**
 * Reloading a window of the real editor until the session in the side bar is drawn, against one whose
 * side bar has a page of one word: what the editor itself needs for a page of an extension.
 */
export async function reloadRows(browser: Browser): Promise<readonly Row[]> {
  const { blank, of } = await measureReloads(browser, ROUNDS, [PACKAGE]);
  const [times] = of;
  if (times === undefined) return [];
  const shown = median(times.map((each) => each.shown)) - blank;
  const live = median(times.map((each) => each.live)) - blank;
  const goal = 'reload until the session is shown, beyond that of a blank page';
  return [
    { goal, anchor: '500 ms', ratio: shown / 500, limit: 1 },
    {
      ...{ goal: 'reload until the live session replaces its last screen, beyond a blank page' },
      ...{ anchor: '500 ms', ratio: live / 500, limit: 1 },
    },
  ];
}

/** The reloads of each of these packages, in turn with those of a blank page, whose median is given. */
export async function measureReloads(
  browser: Browser,
  rounds: number,
  packages: readonly string[],
): Promise<{ readonly blank: number; readonly of: readonly (readonly Reloading[])[] }> {
  const windows: Reloaded[] = [];
  try {
    for (const vsix of packages) windows.push(await openGatehouse(browser, vsix));
    const blank = await openBlank(browser);
    windows.push(blank);
    // The first reload fills VS Code's caches.
    for (const each of windows) await each.reload();
    const times: Reloading[][] = windows.map(() => []);
    for (let round = 0; round < rounds; round += 1)
      for (const [at, each] of windows.entries()) times[at]?.push(await each.reload());
    console.log('reload:', JSON.stringify(times));
    const blanks = (times.pop() ?? []).map((each) => each.shown);
    return { blank: median(blanks), of: times };
  } finally {
    for (const each of windows) await each.close();
  }
}

async function openGatehouse(browser: Browser, vsix: string): Promise<Reloaded> {
  const model = await startScriptedModel();
  model.script({ text: ANSWER });
  const settings = { 'gatehouse.model.baseUrl': model.url, 'gatehouse.model.id': 'scripted' };
  const server = await startServer({ vsix, settings });
  const window = await openWindow(browser, server, ANSWER);
  const chat = await Chat.open(window.workbench);
  await chat.send('remember');
  await chat.said(ANSWER);
  await chat.idle();
  // The page keeps its last screen some seconds after a change.
  await delay(KEPT);
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
 * Has every page in the window tell when it shows the text, because Playwright looks for it only now and
 * then. What is returned waits for the next times, in milliseconds since the epoch.
 */
function watchText(page: Page, text: string): () => Promise<Reloading> {
  let told: (at: Reloading) => void = () => undefined;
  const script = `(${DRAWN})(${JSON.stringify(text)})`;
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) return;
    // The page may navigate on, or be closed with its window.
    frame.evaluate<Reloading>(script).then(
      (at) => told(at),
      () => undefined,
    );
  });
  return () =>
    new Promise((resolve) => {
      told = resolve;
    });
}

/**
 * Runs in a page. Resolves with the times of the frames in which the text can be seen, at all and outside of what
 * was kept of an earlier page. The editor hides the page until it is loaded.
 */
const DRAWN = `(text) => new Promise((resolve) => {
  const visible = { visibilityProperty: true };
  const isShown = (from) => {
    const frame = window.frameElement;
    if (from === null || (frame !== null && !frame.checkVisibility(visible))) return false;
    const texts = document.createTreeWalker(from, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { nodeValue, parentElement } = texts.currentNode;
      if (nodeValue.includes(text) && parentElement.checkVisibility(visible)) return true;
    }
    return false;
  };
  let shown;
  const look = () => {
    const now = Date.now();
    const root = document.getElementById('root');
    if (shown === undefined && isShown(document)) shown = now;
    const kept = document.querySelector('.kept') !== null;
    const live = !kept && isShown(root ?? document) && (root === null || root.querySelector('textarea') !== null);
    if (live) resolve({ shown, live: now });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
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
      const { shown: first, live } = await shown;
      return { shown: first - start, live: live - start };
    },
    async close() {
      await workbench.close();
      await server.stop();
      sample.dispose();
    },
  };
}
