import type * as vscode from 'vscode';
import { Emitter } from '../../../src/base/event.ts';
import type { PickWindow } from '../../../src/extension/asks/safePick.ts';
import { FakeClock } from './fakeClock.ts';

interface Pick extends vscode.QuickPick<vscode.QuickPickItem> {
  readonly visible: boolean;
}

/** A fake quick pick with VS Code's risky behavior: typing activates the first item. */
export class FakePickWindow implements PickWindow {
  readonly clock = new FakeClock();
  readonly backButton = { iconPath: { id: 'back' } };
  readonly picks: FakePick[] = [];
  readonly inputs: (string | undefined)[] = [];
  readonly #undrawn: (() => void)[] = [];
  #stalled = false;

  createQuickPick<Item extends vscode.QuickPickItem>(): vscode.QuickPick<Item> {
    const pick = new FakePick();
    this.picks.push(pick);
    // The fake accepts items of any type.
    return pick as unknown as vscode.QuickPick<Item>;
  }

  /** Answers the next input boxes in order. */
  showInputBox = async (): Promise<string | undefined> => this.inputs.shift();

  /** From now on nothing is drawn until `draw`. */
  stall(): void {
    this.#stalled = true;
  }

  draw(): void {
    this.#stalled = false;
    this.picks.at(-1)?.activateFirst();
    for (const listener of this.#undrawn.splice(0)) listener();
  }

  whenDrawn(listener: () => void): void {
    if (this.#stalled) this.#undrawn.push(listener);
    else listener();
  }

  get shown(): FakePick {
    const pick = this.picks.at(-1);
    if (pick === undefined) throw new Error('No quick pick is shown.');
    return pick;
  }
}

class FakePick implements Partial<Pick> {
  readonly #value = new Emitter<string>();
  readonly #active = new Emitter<readonly vscode.QuickPickItem[]>();
  readonly #accept = new Emitter<void>();
  readonly #hide = new Emitter<void>();
  readonly #button = new Emitter<vscode.QuickInputButton>();
  readonly onDidChangeValue = this.#value.event;
  readonly onDidChangeActive = this.#active.event;
  readonly onDidAccept = this.#accept.event;
  readonly onDidHide = this.#hide.event;
  readonly onDidTriggerButton = this.#button.event;
  readonly #itemButton = new Emitter<vscode.QuickPickItemButtonEvent<vscode.QuickPickItem>>();
  readonly onDidTriggerItemButton = this.#itemButton.event;
  title = '';
  placeholder = '';
  value = '';
  ignoreFocusOut = false;
  canSelectMany = false;
  step = 0;
  totalSteps = 0;
  buttons: readonly vscode.QuickInputButton[] = [];
  items: readonly vscode.QuickPickItem[] = [];
  activeItems: readonly vscode.QuickPickItem[] = [];
  selectedItems: readonly vscode.QuickPickItem[] = [];
  visible = false;

  show(): void {
    this.visible = true;
    this.#activate(this.items.slice(0, 1));
  }

  /** VS Code activates the first row when it draws a pick, except in a multi-select. */
  activateFirst(): void {
    if (!this.canSelectMany) this.#activate(this.items.slice(0, 1));
  }

  hide(): void {
    this.visible = false;
    this.#hide.fire();
  }

  dispose(): void {
    this.visible = false;
  }

  get labels(): readonly string[] {
    return this.items.map(({ label }) => label);
  }

  /** Simulates keys meant for another input: VS Code filters and activates the first match. */
  type(text: string): void {
    this.value = text;
    this.#value.fire(text);
    this.#activate(this.items.slice(0, 1));
  }

  /** The user moves to a row, or several rows in a multi-select. */
  moveTo(...labels: readonly string[]): void {
    const rows = this.items.filter(({ label }) => labels.includes(label));
    this.selectedItems = this.canSelectMany ? rows : [];
    this.#activate(rows.slice(-1));
  }

  /** Like VS Code, ignores a click on a selected item. */
  click(label: string): void {
    const rows = this.items.filter((row) => row.label === label);
    this.#activate(rows);
    if (rows[0] === this.selectedItems[0]) return;
    this.selectedItems = rows;
    this.#accept.fire();
  }

  /** Clicks the first button of a row. */
  clickButton(label: string): void {
    const item = this.items.find((row) => row.label === label);
    const button = item?.buttons?.[0];
    if (item === undefined || button === undefined) throw new Error(`${label} has no button.`);
    this.#itemButton.fire({ item, button });
  }

  enter(): void {
    this.#accept.fire();
  }

  back(): void {
    const [button] = this.buttons;
    if (button) this.#button.fire(button);
  }

  #activate(rows: readonly vscode.QuickPickItem[]): void {
    this.activeItems = rows;
    this.#active.fire(rows);
  }
}
