import type * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { toPlainRow } from '../text/plainLabel.ts';
import { guardPick } from './pickGuard.ts';

/** An item of a safe quick pick, and the value that it resolves with. Its texts show no icons. */
export interface PickRow<Value> {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly value: Value;
}

/**
 * Who opened a quick pick. One that opened by itself may receive keys that were meant for something
 * else: it doesn't filter, Enter in it accepts nothing, and what is typed is returned.
 */
export type OpenedBy = 'user' | 'itself';

/** A title that changes while the pick is open, such as "1 of 4" when more requests arrive. */
export interface LiveTitle {
  get(): string;
  readonly onDidChange: (listener: () => void) => Disposable;
}

export interface SafePickOptions<Value> {
  readonly title: string | LiveTitle;
  readonly placeholder: string;
  readonly rows: readonly PickRow<Value>[];
  readonly openedBy: OpenedBy;
  /** A line above the rows. */
  readonly hint?: string;
  readonly multiple?: boolean;
  readonly step?: number;
  readonly totalSteps?: number;
  /** Shows the back button. */
  readonly back?: boolean;
  readonly signal: AbortSignal;
}

export type SafePickResult<Value> =
  | { readonly kind: 'picked'; readonly values: readonly Value[] }
  | { readonly kind: 'back' }
  /** Text that was typed into a quick pick that opened by itself. The request is still pending. */
  | { readonly kind: 'typed'; readonly text: string }
  /** The quick pick was hidden; the request is still pending. */
  | { readonly kind: 'hidden' };

/** The part of `vscode.window` that is used, and VS Code's back button. */
export interface PickWindow {
  createQuickPick<Item extends vscode.QuickPickItem>(): vscode.QuickPick<Item>;
  readonly backButton: vscode.QuickInputButton;
  readonly clock: Clock;
  /** Runs the listener when the window has drawn everything that was shown before. */
  whenDrawn(listener: () => void): void;
}

export interface Item<Value> extends vscode.QuickPickItem {
  readonly row: PickRow<Value>;
}

/** How long typing must pause before the typed text is returned, in milliseconds. */
const TYPING_PAUSE = 300;

/**
 * A quick pick that can't be answered by accident: no item is active when it opens, an answer counts
 * only 600 ms after the window drew it and after the last key, an answer that comes too early starts
 * that time again, and hiding it is not an answer (claude-code#37955, vscode#301774).
 */
export function showSafePick<Value>(
  window: PickWindow,
  options: SafePickOptions<Value>,
): Promise<SafePickResult<Value>> {
  if (options.signal.aborted) return Promise.resolve({ kind: 'hidden' });
  const pick = createPick(window, options);
  const store = new DisposableStore();
  store.add(pick);
  store.add(showTitle(pick, options.title));
  return new Promise((resolve) => {
    const finish = (result: SafePickResult<Value>) => {
      if (store.disposed) return;
      store.dispose();
      resolve(result);
    };
    const typed = collectTyped(pick, options.openedBy, window.clock, store, finish);
    const guard = guardPick(pick, options.openedBy, window);
    store.add(guard);
    store.add(
      pick.onDidAccept(() => {
        const values = typed() === '' ? guard.accepted() : undefined;
        if (values !== undefined)
          finish({ kind: 'picked', values: values.map(({ row }) => row.value) });
      }),
    );
    store.add(pick.onDidTriggerButton(() => finish({ kind: 'back' })));
    const hidden = () => {
      const text = typed();
      finish(text === '' ? { kind: 'hidden' } : { kind: 'typed', text });
    };
    store.add(pick.onDidHide(hidden));
    options.signal.addEventListener('abort', hidden, { once: true });
    store.add({ dispose: () => options.signal.removeEventListener('abort', hidden) });
    pick.show();
    guard.shown();
  });
}

function createPick<Value>(window: PickWindow, options: SafePickOptions<Value>) {
  const pick = window.createQuickPick<Item<Value>>();
  pick.placeholder = options.placeholder;
  pick.ignoreFocusOut = true;
  pick.canSelectMany = options.multiple ?? false;
  pick.step = options.step;
  pick.totalSteps = options.totalSteps;
  pick.buttons = options.back ? [window.backButton] : [];
  const items = options.rows.map((row) => toItem(row, options.openedBy));
  // A separator can't be chosen, so it has the row that follows it.
  const [first] = items;
  const hint = first && options.hint !== undefined && { ...first, ...toSeparator(options.hint) };
  pick.items = hint ? [hint, ...items] : items;
  pick.activeItems = [];
  return pick;
}

function showTitle(pick: Pick<vscode.QuickInput, 'title'>, title: string | LiveTitle): Disposable {
  if (typeof title === 'string') {
    pick.title = title;
    return { dispose: () => undefined };
  }
  const update = () => {
    pick.title = title.get();
  };
  update();
  return title.onDidChange(update);
}

/** `vscode.QuickPickItemKind.Separator`. */
const SEPARATOR = -1;

function toSeparator(label: string) {
  return { label, kind: SEPARATOR } as const;
}

function toItem<Value>(row: PickRow<Value>, openedBy: OpenedBy): Item<Value> {
  const { label, description, detail } = row;
  return {
    row,
    ...toPlainRow({
      label,
      ...(description !== undefined && { description }),
      ...(detail !== undefined && { detail }),
    }),
    alwaysShow: openedBy === 'itself',
  };
}

/**
 * Collects what is typed into a quick pick that opened by itself, and returns it once typing pauses.
 * The pick's own value is never reset, because keys that arrive meanwhile would be lost.
 */
function collectTyped<Value>(
  pick: vscode.QuickPick<Item<Value>>,
  openedBy: OpenedBy,
  clock: Clock,
  store: DisposableStore,
  finish: (result: SafePickResult<Value>) => void,
): () => string {
  if (openedBy === 'user') return () => '';
  let text = '';
  let pause = clock.after(TYPING_PAUSE, () => undefined);
  store.add(
    pick.onDidChangeValue((value) => {
      text = value;
      pause.dispose();
      pause = clock.after(TYPING_PAUSE, () => {
        if (text !== '') finish({ kind: 'typed', text });
      });
    }),
  );
  store.add({ dispose: () => pause.dispose() });
  return () => text;
}
