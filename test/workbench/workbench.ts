import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext, FrameLocator, Locator, Page } from 'playwright-core';
import { RESULTS } from './paths.ts';
import { LOST, PATIENCE, until } from './processes.ts';
import { testedRelease } from './release.ts';
import type { Server } from './server.ts';
import { storeState } from './storedState.ts';

export interface WorkbenchOptions {
  /** The folder to open; without it the window is empty. */
  readonly folder?: string;
  /** Pairs for the page's `payload`: an extension under development and its tests. */
  readonly payload?: readonly (readonly [string, string])[];
  /** Pixels. Default 1400 × 900. */
  readonly width?: number;
  readonly height?: number;
}

export type Theme = 'light' | 'dark' | 'highContrast' | 'highContrastLight';

interface ThemeMarks {
  /** The setting's value. */
  readonly name: string;
  /** What the workbench carries then: its kind, and the theme's file. */
  readonly className: string;
  readonly file: string;
}

/** Settings of a folder whose window is drawn in the theme. */
export function inTheme(theme: Theme): Readonly<Record<string, unknown>> {
  return { 'workbench.colorTheme': THEMES[theme].name };
}

const THEMES: Readonly<Record<Theme, ThemeMarks>> = {
  light: { className: 'vs', ...testedRelease().light },
  dark: { className: 'vs-dark', ...testedRelease().dark },
  highContrast: { name: 'Default High Contrast', className: 'hc-black', file: 'hc_black' },
  highContrastLight: {
    name: 'Default High Contrast Light',
    className: 'hc-light',
    file: 'hc_light',
  },
};

/** One window of the real workbench, in a browser context of its own. */
export class Workbench {
  readonly page: Page;
  readonly #folder: string | undefined;
  readonly #context: BrowserContext;

  private constructor(page: Page, context: BrowserContext, folder: string | undefined) {
    this.page = page;
    this.#folder = folder;
    this.#context = context;
  }

  static async open(
    browser: Browser,
    server: Pick<Server, 'url'>,
    options: WorkbenchOptions = {},
  ): Promise<Workbench> {
    const { width = 1400, height = 900 } = options;
    const context = await browser.newContext({
      viewport: { width, height },
      reducedMotion: 'reduce',
    });
    // The bare server does not answer this; with a key, secrets survive a reload of the page.
    await context.route('**/mint-key', (route) =>
      route.fulfill({ body: Buffer.alloc(32, 7), contentType: 'application/octet-stream' }),
    );
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    await slowDown(context, page);
    const workbench = new Workbench(page, context, options.folder);
    await page.goto(address(server, options));
    await workbench.ready();
    return workbench;
  }

  /** Resolves when the window is drawn. The extension host may still be starting. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench').waitFor();
  }

  /** Reloads the window, after VS Code stored what it restores afterwards. */
  async reload(): Promise<void> {
    await storeState(this.page);
    await this.page.reload();
    await this.ready();
  }

  /** Closes the window as a user does, so that its extension host ends with it. */
  async close(): Promise<void> {
    await this.page.goto('about:blank').catch(() => undefined);
    await this.#context.close();
  }

  /** Palette, quick picks and input boxes share one widget. */
  get quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible');
  }

  get quickInputBox(): Locator {
    return this.quickInput.locator('.quick-input-box input');
  }

  get quickInputTitle(): Locator {
    return this.quickInput.locator('.quick-input-title');
  }

  /** A row by the start of its label: its `aria-label` is "label, description". */
  row(label: string): Locator {
    return this.quickInput
      .locator(`.monaco-list-row[aria-label^=${JSON.stringify(label)}]`)
      .first();
  }

  /** The drawn rows; a long list draws only what is in view. */
  async rows(): Promise<string[]> {
    const labels = await this.quickInput
      .locator('.monaco-list-row')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label') ?? ''));
    return labels;
  }

  /** Runs a command by its palette title. An open palette does not learn new commands: reopen it. */
  async run(title: string): Promise<void> {
    const end = Date.now() + PATIENCE;
    for (let patience = 1500; ; patience *= 2) {
      if ((await this.#find(title, patience)) && (await this.#accept(title))) return;
      if (Date.now() > end) throw new Error(`No command "${title}" in the palette.`);
      if (await this.quickInput.isVisible()) await this.hideQuickInput();
    }
  }

  /** Clicks the command. Whether the palette took it; a pick of the extension may take its place. */
  async #accept(title: string): Promise<boolean> {
    try {
      await this.row(title).click({ timeout: LOST });
      await until('the command', async () => !(await this.isPaletteOpen()), LOST);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Whether the palette lists the command within so many milliseconds. The chat's page may swallow F1
   * while it loads, and a pick of the extension may take the palette's place.
   */
  async #find(title: string, patience: number): Promise<boolean> {
    try {
      await this.page.keyboard.press('F1');
      // A pick that is still there would take the text.
      await until('the palette', () => this.isPaletteOpen(), patience);
      await this.quickInputBox.fill(`>${title}`, { timeout: 10_000 });
      await this.row(title).waitFor({ timeout: patience });
      return true;
    } catch {
      return false;
    }
  }

  async isPaletteOpen(): Promise<boolean> {
    const [text] = await this.quickInputBox.evaluateAll((boxes) =>
      boxes.map((box) => ('value' in box ? String(box.value) : '')),
    );
    return text?.startsWith('>') ?? false;
  }

  /**
   * Escape in a palette or pick that is shown, once it takes the keys; nothing if it goes by itself.
   * Before that Escape would go to the chat, where it stops the turn.
   */
  async hideQuickInput(): Promise<void> {
    const isGone = async () => (await this.quickInput.count()) === 0;
    const focused = this.quickInput.locator(':focus');
    await until('no quick input', async () => {
      if (await isGone()) return true;
      if ((await focused.count()) === 0) {
        // The chat may have taken the focus from a pick that stays open.
        await this.quickInputBox.focus({ timeout: 1000 }).catch(() => undefined);
        return false;
      }
      await focused.press('Escape', { timeout: 2000 }).catch(() => undefined);
      return until('it', isGone, LOST).catch(() => false);
    });
  }

  /** Opens a view container by its title in the activity bar; one that is open stays so. */
  async openView(title: string): Promise<void> {
    const label = `.action-label[aria-label^=${JSON.stringify(title)}]`;
    await this.page.locator(`.activitybar ${label}`).waitFor();
    const open = this.page.locator(`.activitybar .action-item.checked ${label}`);
    const icon = this.page.locator(`.activitybar ${label}`);
    // By force: the badge of a view lies on all of its icon, and passes the click on.
    if (!(await open.isVisible())) await icon.click({ position: { x: 6, y: 6 }, force: true });
    // Away from the icon, or its tooltip stands in every picture.
    await this.page.mouse.move(700, 700);
  }

  /** The document inside the nth webview. */
  webview(n = 0): FrameLocator {
    return this.page
      .locator('iframe.webview.ready')
      .nth(n)
      .contentFrame()
      .frameLocator('#active-frame');
  }

  /** Waits for a notification. It leaves by itself after some seconds; the list of all of them keeps it. */
  async notice(text: string | RegExp): Promise<Locator> {
    const item = this.page.locator('.notification-list-item', { hasText: text }).first();
    await until(`the notification ${text}`, async () => {
      const shown = await item.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
      if (!shown) await this.run('Notifications: Show Notifications');
      return shown;
    });
    return item;
  }

  /** Waits for a notification and presses a button of it. */
  async answerNotification(text: string | RegExp, button: string): Promise<void> {
    await until(`an answer to ${text}`, async () => {
      const item = await this.notice(text);
      const all = this.page.locator('.notification-list-item', { hasText: text });
      const before = await all.count();
      const clicked = await item
        .getByRole('button', { name: button })
        .click({ timeout: LOST })
        .then(
          () => true,
          () => false,
        );
      const isGone = async () => (await all.count()) < before;
      return clicked && until('it', isGone, LOST).catch(() => false);
    });
  }

  get dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  tab(name: string | RegExp): Locator {
    return this.page.locator('.tabs-container .tab', { hasText: name });
  }

  get diff(): Locator {
    return this.page.locator('.editor-instance .monaco-diff-editor');
  }

  /** The drawn lines of one side of the diff editor, from the top. */
  async diffText(side: 'original' | 'modified'): Promise<string[]> {
    return this.#lines(`.monaco-diff-editor .editor.${side} .view-line`);
  }

  /** The drawn lines of the open text editor. */
  async editorText(): Promise<string[]> {
    return this.#lines('.editor-instance .monaco-editor .view-line');
  }

  /** The text of the terminal in view, without empty lines. */
  async terminalText(): Promise<string> {
    const rows = await this.page
      .locator('.terminal-wrapper.active .xterm-rows > div')
      .allTextContents();
    return rows.map(plain).filter(Boolean).join('\n');
  }

  /** The part below the editors, where terminals are. */
  get panel(): Locator {
    return this.page.locator('.part.panel');
  }

  statusItem(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item', { hasText: text });
  }

  /** Drags the border of the primary side bar until it is about `pixels` wide, and all has followed. */
  async resizeSideBar(pixels: number): Promise<void> {
    await until(`a side bar of ${pixels} pixels`, async () => {
      await this.#dragSideBar(pixels);
      await this.#settle();
      const bar = await this.page.locator('.part.sidebar').boundingBox();
      return Math.abs((bar?.width ?? 0) - pixels) < 20;
    });
  }

  async #dragSideBar(pixels: number): Promise<void> {
    const bar = await this.page.locator('.part.sidebar').boundingBox();
    if (bar === null) throw new Error('The side bar is not open.');
    const border = bar.x + bar.width;
    await this.page.mouse.move(border, bar.y + bar.height / 2);
    await this.page.mouse.down();
    await this.page.mouse.move(bar.x + pixels, bar.y + bar.height / 2, { steps: 8 });
    await this.page.mouse.up();
    // Away from the border, or it stays lit in every picture.
    await this.page.mouse.move(1000, 20);
    // A terminal shows its size for a moment.
    await this.page.locator('.terminal-resize-overlay.visible').waitFor({ state: 'detached' });
  }

  /** Waits until the parts of the window, and the pages in its views, have kept their sizes for a while. */
  async #settle(): Promise<void> {
    let last = '';
    let equal = 0;
    await until('a window that stands still', async () => {
      const boxes = await this.page
        .locator('.part, iframe.webview')
        .evaluateAll((all) => all.map((each) => JSON.stringify(each.getBoundingClientRect())));
      const pages = this.page.frames().map((frame) => frame.evaluate<string>(SIZE));
      const sizes = await Promise.all(pages.map((size) => size.catch(() => '')));
      await this.page.evaluate(TWO_FRAMES);
      const now = [...boxes, ...sizes].join();
      equal = now === last ? equal + 1 : 0;
      last = now;
      return equal >= 2;
    });
  }

  /**
   * Changes the folder's settings. (User settings are read once: this server does not watch its
   * own data folder.)
   */
  updateSettings(change: Readonly<Record<string, unknown>>): void {
    if (this.#folder === undefined)
      throw new Error('Without a folder there are no settings to change.');
    const file = path.join(this.#folder, '.vscode/settings.json');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ ...this.#settings(), ...change }, undefined, 2));
  }

  /** The folder's settings. */
  #settings(): Record<string, unknown> {
    const file = path.join(this.#folder ?? '', '.vscode/settings.json');
    return this.#folder !== undefined && existsSync(file)
      ? JSON.parse(readFileSync(file, 'utf8'))
      : {};
  }

  /** False while the editor writes the file: it empties it first. */
  #hasWholeSettings(): boolean {
    try {
      this.#settings();
      return true;
    } catch {
      return false;
    }
  }

  async useTheme(theme: Theme): Promise<void> {
    const { name, className, file } = THEMES[theme];
    const drawn = this.page.locator(
      `.monaco-workbench.${className}.vscode-theme-defaults-themes-${file}-json`,
    );
    await until('settings that are written as a whole', () => this.#hasWholeSettings());
    // The editor begins to watch the file some time after it opened the folder, and what was written
    // before that goes unseen: so it is written again until it is seen.
    if (this.#settings()['workbench.colorTheme'] === name) return drawn.waitFor();
    await until(`the theme ${name}`, () => {
      this.updateSettings({ 'workbench.colorTheme': name });
      return drawn.waitFor({ timeout: 3000 }).then(
        () => true,
        () => false,
      );
    });
  }

  /** Saves what the window shows as `test-results/screenshots/<name>.png`. */
  async screenshot(name: string): Promise<string> {
    const file = path.join(RESULTS, 'screenshots', `${name}.png`);
    mkdirSync(path.dirname(file), { recursive: true });
    await this.page.screenshot({ path: file, animations: 'disabled' });
    return file;
  }

  /** Lines are placed absolutely and reused, so their order in the document means nothing. */
  async #lines(selector: string): Promise<string[]> {
    const lines = await this.page.locator(selector).evaluateAll((found) =>
      found.map((line) => ({
        top: (line as { offsetTop?: number }).offsetTop ?? 0,
        text: line.textContent,
      })),
    );
    return lines.sort((a, b) => a.top - b.top).map(({ text }) => plain(text));
  }
}

const SIZE = `innerWidth + 'x' + innerHeight`;
/** Resolves when the page was drawn twice. */
const TWO_FRAMES = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(resolve));
})`;

/** `SLOW=4` lets the page think four times as slowly, which finds tests that depend on the time. */
async function slowDown(context: BrowserContext, page: Page): Promise<void> {
  const rate = Number(process.env['SLOW'] || 1);
  if (rate <= 1) return;
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}

function address(server: Pick<Server, 'url'>, { folder, payload }: WorkbenchOptions): string {
  const query = new URLSearchParams();
  if (payload !== undefined) query.set('payload', JSON.stringify(payload));
  // The workbench wants the folder's slashes as they are.
  const open = folder === undefined ? 'ew=true' : `folder=${encodeURI(folder)}`;
  return `${server.url}/?${open}${query.size > 0 ? `&${query}` : ''}`;
}

/** Editors and terminals draw spaces as no-break spaces. */
function plain(text: string): string {
  return text.replaceAll('\u00a0', ' ').trimEnd();
}
