import type * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { ARM_DELAY } from '../../webview/messages/asks.ts';

/** An item of a safe quick pick, and the value that it resolves with. */
export interface PickRow<Value> {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly value: Value;
}

export interface SafePickOptions<Value> {
  readonly title: string;
  readonly placeholder: string;
  readonly rows: readonly PickRow<Value>[];
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
  /** The quick pick was hidden; the request is still pending. */
  | { readonly kind: 'hidden' };

/** The part of `vscode.window` that is used, and VS Code's back button. */
export interface PickWindow {
  createQuickPick<Item extends vscode.QuickPickItem>(): vscode.QuickPick<Item>;
  readonly backButton: vscode.QuickInputButton;
  readonly clock: Clock;
}

/** How long after a key to undo VS Code's activation of the first match, in milliseconds. */
const SETTLE = 150;

interface Item<Value> extends vscode.QuickPickItem {
  readonly row: PickRow<Value>;
}

/**
 * A quick pick that can't be answered by accident: no item is active when it opens or after typing,
 * typing does not filter, Enter is ignored until 600 ms after both, and hiding it is not an answer
 * (claude-code#37955, vscode#301774).
 */
export function showSafePick<Value>(
  window: PickWindow,
  options: SafePickOptions<Value>,
): Promise<SafePickResult<Value>> {
  if (options.signal.aborted) return Promise.resolve({ kind: 'hidden' });
  const pick = createPick(window, options);
  const store = new DisposableStore();
  store.add(pick);
  return new Promise((resolve) => {
    const finish = (result: SafePickResult<Value>) => {
      store.dispose();
      resolve(result);
    };
    const guard = guardActive(pick, window.clock, store);
    store.add(
      pick.onDidAccept(() => {
        const values = acceptedValues(pick, guard.armed());
        if (values !== undefined) finish({ kind: 'picked', values });
        else guard.deselect();
      }),
    );
    store.add(pick.onDidTriggerButton(() => finish({ kind: 'back' })));
    store.add(pick.onDidHide(() => finish({ kind: 'hidden' })));
    const abort = () => finish({ kind: 'hidden' });
    options.signal.addEventListener('abort', abort, { once: true });
    store.add({ dispose: () => options.signal.removeEventListener('abort', abort) });
    pick.show();
    guard.reset();
  });
}

function createPick<Value>(window: PickWindow, options: SafePickOptions<Value>) {
  const pick = window.createQuickPick<Item<Value>>();
  pick.title = options.title;
  pick.placeholder = options.placeholder;
  pick.ignoreFocusOut = true;
  pick.canSelectMany = options.multiple ?? false;
  pick.step = options.step;
  pick.totalSteps = options.totalSteps;
  pick.buttons = options.back ? [window.backButton] : [];
  pick.items = options.rows.map(toItem);
  pick.activeItems = [];
  return pick;
}

function toItem<Value>(row: PickRow<Value>): Item<Value> {
  const { label, description, detail } = row;
  return {
    row,
    label,
    alwaysShow: true,
    ...(description !== undefined && { description }),
    ...(detail !== undefined && { detail }),
  };
}

/** Keeps all items inactive until the user navigates to one. */
function guardActive<Value>(
  pick: vscode.QuickPick<Item<Value>>,
  clock: Clock,
  store: DisposableStore,
) {
  let since = clock.now();
  const clear = () => {
    if (pick.activeItems.length > 0) pick.activeItems = [];
  };
  const reset = () => {
    since = clock.now();
    clear();
    store.add(clock.after(SETTLE, clear));
  };
  store.add(
    pick.onDidChangeValue((value) => {
      if (value !== '') {
        pick.value = '';
        reset();
      }
    }),
  );
  store.add(
    pick.onDidChangeActive(() => {
      if (clock.now() - since < SETTLE) clear();
    }),
  );
  // VS Code ignores a click on a selected item, so clear the selection after an ignored click.
  const deselect = () => {
    if (!pick.canSelectMany) pick.selectedItems = [];
  };
  return { reset, deselect, armed: () => clock.now() - since >= ARM_DELAY };
}

function acceptedValues<Value>(
  pick: vscode.QuickPick<Item<Value>>,
  armed: boolean,
): readonly Value[] | undefined {
  // Checked items were checked on purpose. A click on OK moves focus out of the list.
  const chosen = pick.canSelectMany ? pick.selectedItems : pick.activeItems.slice(0, 1);
  if (!armed) return undefined;
  const values = chosen.map(({ row }) => row.value);
  return values.length === 0 ? undefined : values;
}
