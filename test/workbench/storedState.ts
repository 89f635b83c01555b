import type { Page } from 'playwright-core';
import { pause, until } from './processes.ts';

/** Consecutive looks at an unchanged storage after which VS Code has stored what it had to. */
const EQUAL_LOOKS = 10;

/**
 * Makes VS Code store the state of tabs and extensions, as it does when its window loses the focus,
 * and waits until it has. In a browser it stores some of it only a moment after a change, and a page
 * that is reloaded within that moment loses the change.
 */
export async function storeState(page: Page): Promise<void> {
  // While a page in the window, such as a chat, has the focus, the window itself counts as left already.
  await page.evaluate(`
    window.dispatchEvent(new Event('focus'));
    document.hasFocus = () => false;
    window.dispatchEvent(new Event('blur'));
  `);
  let last = '';
  let equal = 0;
  await until('the window to store its state', async () => {
    const state = await page.evaluate<string>(READ_STATE);
    equal = state === last ? equal + 1 : 0;
    last = state;
    await pause(20);
    return equal >= EQUAL_LOOKS;
  });
}

/**
 * All that the window has in VS Code's databases of the browser, as text. It is read when the page has
 * nothing else to do: VS Code stores then too, and on a busy machine that moment may be far away.
 */
const READ_STATE = `(async () => {
  await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 2000 }));
  const result = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const state = [];
  for (const { name } of await indexedDB.databases()) {
    if (!name.startsWith('vscode-web-state-db')) continue;
    const database = await result(indexedDB.open(name));
    for (const each of database.objectStoreNames) {
      const store = database.transaction(each).objectStore(each);
      state.push(await Promise.all([result(store.getAllKeys()), result(store.getAll())]));
    }
    database.close();
  }
  return JSON.stringify(state);
})()`;
