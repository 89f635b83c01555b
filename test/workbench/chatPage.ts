import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { fill } from '../../src/base/fill.ts';
import { webviewStrings } from '../../src/extension/text/webviewStrings.ts';
import { type LastScreen, pageHtml } from '../../src/extension/views/page/pageHtml.ts';
import type { ChatState } from '../../src/webview/messages/chatState.ts';
import type { ToExtension, ToWebview } from '../../src/webview/messages/messages.ts';
import type { Strings } from '../../src/webview/messages/stringKeys.ts';
import type { Kept } from '../../src/webview/state/host.ts';
import { ROOT } from './paths.ts';

/** The chat's strings as they are without a translation. */
export const STRINGS = webviewStrings((text, ...values) =>
  values.length === 0 ? text : fill(text, ...values.map(String)),
);
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
};

export interface ChatPageOptions {
  /** Pixels. Default 400 × 800. */
  readonly width?: number;
  readonly height?: number;
  /** How many pixels of the screen one of the page's takes. Default 1. */
  readonly zoom?: number;
  /** What an earlier page kept. */
  readonly kept?: Kept;
  /** The screen that is kept of a session, as an earlier page posted it. */
  readonly last?: LastScreen;
  /** Without the page's policy, for a script of ours that it would refuse. */
  readonly unguarded?: true;
}

/**
 * The chat's page as it is built and under its own policy, in a browser without the editor. For what
 * the page does by itself: a window of the editor costs many times as much.
 */
export class ChatPage {
  readonly page: Page;
  readonly #server: Server;

  private constructor(page: Page, server: Server) {
    this.page = page;
    this.#server = server;
  }

  static async open(browser: Browser, options: ChatPageOptions = {}): Promise<ChatPage> {
    const { width = 400, height = 800, zoom = 1, kept, last, unguarded = false } = options;
    const server = createServer((request, response) => answer(request.url ?? '/', response, last));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const context = await browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: zoom,
      reducedMotion: 'reduce',
      bypassCSP: unguarded,
    });
    const page = await context.newPage();
    await page.addInitScript(standIn, kept);
    await page.goto(`http://127.0.0.1:${port}/`);
    return new ChatPage(page, server);
  }

  /** As the extension does. Resolves once the page has them all, which is before it has drawn them. */
  async post(...messages: readonly ToWebview[]): Promise<void> {
    await this.page.evaluate(async (all) => {
      let left = all.length;
      if (left === 0) return;
      const received = new Promise<void>((resolve) => {
        const count = () => {
          left -= 1;
          if (left > 0) return;
          window.removeEventListener('message', count);
          resolve();
        };
        window.addEventListener('message', count);
      });
      for (const each of all) window.postMessage(each, '*');
      await received;
    }, messages);
  }

  async show(state: ChatState, session = 'one', strings: Strings = STRINGS): Promise<void> {
    await this.post({ type: 'snapshot', session, state, strings });
    await this.page.locator('#root .chat').waitFor({ state: 'attached' });
    await this.#drawn();
  }

  /** What the page posted once it has drawn, and clears it. */
  async posted(): Promise<readonly ToExtension[]> {
    await this.#drawn();
    return this.page.evaluate(() => (window as unknown as StandIn).posted.splice(0));
  }

  /** The last screen that the page has handed on, if it has. */
  async screen(): Promise<ScreenMessage | undefined> {
    return this.page.evaluate(() => (window as unknown as StandIn).lastScreen);
  }

  /** What the page keeps once it has drawn: it keeps a change in an effect, a frame after it. */
  async kept(): Promise<Kept | undefined> {
    await this.#drawn();
    return this.page.evaluate(() => (window as unknown as StandIn).kept);
  }

  /** Two frames, and what was due after each. They do not count as the page's own work. */
  async #drawn(): Promise<void> {
    await this.page.evaluate(async () => {
      const { frame, timer } = window as unknown as StandIn;
      for (let frames = 0; frames < 2; frames++) {
        await new Promise((resolve) => frame(resolve));
        await new Promise((resolve) => timer(resolve));
      }
    });
  }

  /** Timers, frames and idle work that the page has asked for and that have not run. */
  async pendingWork(): Promise<readonly string[]> {
    return this.page.evaluate(() => [...(window as unknown as StandIn).work.values()]);
  }

  /** How many timers, frames and idle callbacks the page has asked for since it opened. */
  async askedWork(): Promise<number> {
    return this.page.evaluate(() => (window as unknown as StandIn).asked);
  }

  /** What the page's policy refused, and errors that nothing caught. */
  async faults(): Promise<readonly string[]> {
    return this.page.evaluate(() => (window as unknown as StandIn).faults);
  }

  async close(): Promise<void> {
    await this.page.context().close();
    this.#server.close();
  }
}

type ScreenMessage = Extract<ToExtension, { type: 'screen' }>;

interface StandIn {
  /** All but the screens, which come some time after a change. */
  posted: ToExtension[];
  lastScreen: ScreenMessage | undefined;
  kept: Kept | undefined;
  faults: string[];
  asked: number;
  work: Map<string, string>;
  acquireVsCodeApi: unknown;
  /** The browser's own, which nothing watches. */
  frame(run: (value: unknown) => void): void;
  timer(run: (value: unknown) => void): void;
}

/** Runs in the page, before its script. */
function standIn(kept: Kept | undefined): void {
  const own = window as unknown as StandIn;
  own.posted = [];
  own.kept = kept;
  own.faults = [];
  own.asked = 0;
  own.work = new Map();
  own.frame = window.requestAnimationFrame.bind(window);
  own.timer = window.setTimeout.bind(window);
  watchWork(own.work);
  own.acquireVsCodeApi = () => ({
    postMessage: (message: ToExtension) => {
      if (message.type === 'screen') own.lastScreen = message;
      else own.posted.push(message);
    },
    getState: () => own.kept,
    setState: (state: Kept) => {
      own.kept = state;
    },
  });
  document.addEventListener('securitypolicyviolation', (event) =>
    own.faults.push(`${event.violatedDirective}: ${event.blockedURI}`),
  );
  window.addEventListener('error', (event) => own.faults.push(event.message));

  /** Notes what was asked for, by kind and handle, until it ran or was cancelled. */
  function watchWork(work: Map<string, string>): void {
    const kinds = [
      ['setTimeout', 'clearTimeout', true],
      ['setInterval', 'clearInterval', false],
      ['requestAnimationFrame', 'cancelAnimationFrame', true],
      ['requestIdleCallback', 'cancelIdleCallback', true],
    ] as const;
    for (const [ask, cancel, once] of kinds) {
      const own: (...args: unknown[]) => number = Reflect.get(window as object, ask);
      const asks = own.bind(window);
      const drop: (handle: number) => void = Reflect.get(window as object, cancel);
      const cancels = drop.bind(window);
      Reflect.set(window, ask, (callback: (...args: unknown[]) => void, ...rest: unknown[]) => {
        const handle = asks(
          (...args: unknown[]) => {
            if (once) work.delete(`${ask} ${handle}`);
            callback(...args);
          },
          ...rest,
        );
        (window as unknown as StandIn).asked += 1;
        work.set(`${ask} ${handle}`, `${ask}: ${String(callback).slice(0, 200)}`);
        return handle;
      });
      Reflect.set(window, cancel, (handle: number) => {
        work.delete(`${ask} ${handle}`);
        cancels(handle);
      });
    }
  }
}

function readBuiltFiles() {
  const read = (name: string) => readFileSync(path.join(ROOT, 'dist/webview', name), 'utf8');
  return {
    script: read('webview.js'),
    style: read('webview.css'),
    lastScreen: read('lastScreen.js'),
  };
}

function answer(
  url: string,
  response: import('node:http').ServerResponse,
  last: LastScreen | undefined,
): void {
  if (url === '/') {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const parts = { cspSource: "'self'", folder: '', language: 'en', inEditor: false };
    response.end(pageHtml({ ...parts, files: readBuiltFiles }, last));
    return;
  }
  const name = path.basename(new URL(url, 'http://localhost').pathname);
  try {
    const body = readFileSync(path.join(ROOT, 'dist/webview', name));
    response.setHeader('content-type', TYPES[path.extname(name)] ?? 'application/octet-stream');
    response.end(body);
  } catch {
    response.statusCode = 404;
    response.end();
  }
}
