import type { Browser } from 'playwright-core';
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
  const window = await openWindow(browser, server);
  const chat = await Chat.open(window.workbench);
  await chat.send('remember');
  await chat.said(ANSWER);
  await chat.idle();
  return {
    reload: () => window.reload(ANSWER),
    close: async () => {
      await window.close();
      await model.stop();
    },
  };
}

async function openBlank(browser: Browser): Promise<Reloaded> {
  const server = await startServer({ others: [packFixture('blankView')] });
  const window = await openWindow(browser, server);
  await window.workbench.openView('Blank');
  await window.workbench.webview().getByText('Blank page.').waitFor();
  return { reload: () => window.reload('Blank page.'), close: window.close };
}

type Server = Awaited<ReturnType<typeof startServer>>;

async function openWindow(browser: Browser, server: Server) {
  const sample = copySample();
  const workbench = await Workbench.open(browser, server, { folder: sample.folder });
  return {
    workbench,
    async reload(text: string) {
      await storeState(workbench.page);
      const start = performance.now();
      await workbench.page.reload();
      // Announced to screen readers, too.
      await workbench.webview().getByText(text).first().waitFor();
      return performance.now() - start;
    },
    async close() {
      await workbench.close();
      await server.stop();
      sample.dispose();
    },
  };
}
