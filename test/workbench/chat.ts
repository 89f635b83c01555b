import type { Frame, FrameLocator, Locator } from 'playwright-core';
import { again, clickUntil, LOST, until } from './processes.ts';
import type { Workbench } from './workbench.ts';

export type ItemKind = 'user' | 'agent' | 'thought' | 'tool' | 'note' | 'error';

/** In which a view that was opened stays open. Milliseconds. */
const REOPENED = 3000;

/** The chat as a user, or a screen reader, finds it: by role and name. */
export class Chat {
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  /** Opens Gatehouse in the activity bar and waits until one can type. */
  static async open(workbench: Workbench): Promise<Chat> {
    const chat = new Chat(workbench);
    // A window that opens its views again after a reload may close with our click what it just opened. Only
    // a closed one is clicked again.
    await until('the chat', async () => {
      await workbench.openView('Gatehouse');
      return chat.composer.waitFor({ timeout: REOPENED }).then(
        () => true,
        () => false,
      );
    });
    return chat;
  }

  get frame(): FrameLocator {
    return this.#workbench.webview();
  }

  /** The page itself, for scripts that look at all of it. */
  async document(): Promise<Frame> {
    const frame = await (await this.frame.owner().elementHandle())?.contentFrame();
    if (!frame) throw new Error('The chat is not open.');
    return frame;
  }

  get composer(): Locator {
    return this.frame.getByRole('textbox', { name: 'Message' });
  }

  get log(): Locator {
    return this.frame.getByRole('log', { name: 'Conversation' });
  }

  get alert(): Locator {
    return this.frame.getByRole('alert');
  }

  button(name: string): Locator {
    return this.frame.getByRole('button', { name, exact: true });
  }

  items(kind: ItemKind): Locator {
    return this.log.locator(`article[data-kind="${kind}"]`);
  }

  /** The card of a tool call whose title holds `text`. */
  card(text: string | RegExp): Locator {
    return this.items('tool').filter({ hasText: text });
  }

  /** Opens a card; one that is open stays so. */
  async expand(card: Locator): Promise<void> {
    const toggle = card.locator('.tool-toggle').first();
    const isOpen = async () => (await toggle.getAttribute('aria-expanded')) === 'true';
    if (!(await isOpen())) await clickUntil('an open card', toggle, isOpen);
  }

  permission(text: string | RegExp = ''): Locator {
    return this.frame.locator('[data-ask="permission"]').filter({ hasText: text });
  }

  question(text: string | RegExp = ''): Locator {
    return this.frame.locator('[data-ask="question"]').filter({ hasText: text });
  }

  /** Begins a conversation of its own by the view's button. */
  async startSession(): Promise<void> {
    const button = this.#workbench.page
      .locator('.pane-header, .composite.title')
      .getByRole('button', { name: 'New Session' })
      .first();
    const isEmpty = async () => (await this.log.locator('article').count()) === 0;
    await clickUntil('a new session', button, isEmpty);
  }

  async send(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.#pressEnter(text);
  }

  /** The same by keys alone. */
  async sendByKeys(text: string): Promise<void> {
    const { keyboard } = this.#workbench.page;
    await this.composer.focus();
    await again(
      'the typed message',
      async () => {
        await keyboard.press('Control+A');
        await keyboard.type(text);
      },
      async () => (await this.composer.inputValue()) === text,
    );
    await this.#pressEnter(text);
  }

  /** Until the composer let go of the text: a pick that opens by itself may take the key. */
  async #pressEnter(text: string): Promise<void> {
    await again(
      'the message',
      () => this.composer.press('Enter', { timeout: LOST }),
      async () => (await this.composer.inputValue()) !== text,
    );
  }

  /** Stops the turn, which may end by itself just then. */
  async stop(): Promise<void> {
    const button = this.button('Stop');
    const isIdle = async () => (await button.count()) === 0;
    await clickUntil('the end of the turn', button, isIdle);
  }

  /** Resolves when the agent has said `text`. */
  async said(text: string | RegExp): Promise<void> {
    await this.items('agent').filter({ hasText: text }).last().waitFor();
  }

  /** Resolves when no turn runs: one may send, and there is nothing to stop. */
  async idle(): Promise<void> {
    await this.button('Stop').waitFor({ state: 'detached' });
  }

  async status(card: Locator, expected: string): Promise<void> {
    await until(
      `the status ${expected}`,
      async () => (await card.first().getAttribute('data-status')) === expected || undefined,
    );
  }
}
