import type * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { ARM_DELAY } from '../../webview/messages/asks.ts';

/** A row of a safe quick pick. `value` is what choosing it means. */
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
  /** Hidden by whatever means: the request is still pending. */
  | { readonly kind: 'hidden' };

/** The part of `vscode.window` this needs, and the back button, which exists only there. */
export interface PickWindow {
  createQuickPick<Item extends vscode.QuickPickItem>(): vscode.QuickPick<Item>;
  readonly backButton: vscode.QuickInputButton;
  readonly clock: Clock;
}

/** After a key the editor makes the first match active by itself; that must not stay. */
const SETTLE = 150;

interface Item<Value> extends vscode.QuickPickItem {
  readonly row: PickRow<Value>;
}

/**
 * A quick pick that cannot be answered by accident: nothing is active on show nor after typing,
 * typing filters nothing, Enter counts only 600 ms after the last of both, and hiding it is no answer
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
        else guard.forget();
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

/** Keeps nothing active until the user moves to a row on purpose. */
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
  // The editor takes a second click on a selected row for none: what was ignored must be undone.
  const forget = () => {
    if (!pick.canSelectMany) pick.selectedItems = [];
  };
  return { reset, forget, armed: () => clock.now() - since >= ARM_DELAY };
}

function acceptedValues<Value>(
  pick: vscode.QuickPick<Item<Value>>,
  armed: boolean,
): readonly Value[] | undefined {
  // Rows that are ticked were ticked on purpose; a click on OK takes the focus off the list.
  const chosen = pick.canSelectMany ? pick.selectedItems : pick.activeItems.slice(0, 1);
  if (!armed) return undefined;
  const values = chosen.map(({ row }) => row.value);
  return values.length === 0 ? undefined : values;
}
