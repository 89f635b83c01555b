import type * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { ARM_DELAY } from '../../webview/messages/asks.ts';
import type { OpenedBy, PickWindow } from './safePick.ts';

/** Decides which accepts of a quick pick count. */
export interface PickGuard<Item> extends Disposable {
  /** Call it after the pick is shown. */
  shown(): void;
  /**
   * The items that the user accepted; undefined if the accept doesn't count. One that comes too early
   * starts the delay again.
   */
  accepted(): readonly Item[] | undefined;
}

/** How long after drawing to undo VS Code's activation of the first item, in milliseconds. */
const SETTLE = 150;
/**
 * A click activates an item and accepts it at once; keys take longer. Milliseconds between the two
 * events at most.
 */
const CLICK = 8;
/** How often to check that the extension host is responsive, and the longest delay, in milliseconds. */
const BEAT = 50;
const STALLED = 150;

export function guardPick<Item extends vscode.QuickPickItem>(
  pick: vscode.QuickPick<Item>,
  openedBy: OpenedBy,
  window: Pick<PickWindow, 'clock' | 'whenDrawn'>,
): PickGuard<Item> {
  const { clock } = window;
  const store = new DisposableStore();
  // A stalled window shows the pick long after the extension host asked for it.
  let drawn = false;
  let since = clock.now();
  const settling = () => !drawn || clock.now() - since < SETTLE;
  const restart = () => {
    since = clock.now();
  };
  const clear = () => {
    if (pick.activeItems.length > 0) pick.activeItems = [];
  };
  store.add(pick.onDidChangeValue(restart));
  store.add(
    pick.onDidChangeActive(() => {
      if (settling() && pick.value === '') clear();
    }),
  );
  const onlyClicks = openedBy === 'itself' && !pick.canSelectMany;
  // An arrow key moved to a row; it counts as typing. VS Code itself activates the first row on show.
  const moved = () => {
    if (!settling()) restart();
    clear();
  };
  const isClick = onlyClicks ? watchClicks(pick, clock, store, moved) : () => true;
  return {
    shown() {
      clear();
      window.whenDrawn(() => {
        if (store.disposed) return;
        drawn = true;
        restart();
        store.add(clock.after(SETTLE, () => pick.value === '' && clear()));
      });
    },
    accepted() {
      const age = clock.now() - since;
      const early = !drawn || (age >= 0 && age < ARM_DELAY);
      // Checked items were checked on purpose. A click on OK moves focus out of the list.
      const items = pick.canSelectMany ? pick.selectedItems : pick.activeItems.slice(0, 1);
      if (!early && isClick() && items.length > 0) return items;
      if (early) restart();
      // VS Code ignores a click on a selected item.
      if (!pick.canSelectMany) pick.selectedItems = [];
      return undefined;
    },
    dispose: () => store.dispose(),
  };
}

/**
 * Tells clicks from Enter. Only a click activates and accepts an item in one go; after a key, `moved`
 * leaves no item active. A click activates one item only, but arrow keys that a stalled window delivers
 * in one go pass others on their way to an item inside the list. While the extension host is stalled,
 * events arrive together and keys can't be told from a click, so nothing counts.
 */
function watchClicks(
  pick: vscode.QuickPick<vscode.QuickPickItem>,
  clock: Clock,
  store: DisposableStore,
  moved: () => void,
): () => boolean {
  let activations = 0;
  let beat = clock.now();
  let next: Disposable | undefined;
  const tick = () => {
    beat = clock.now();
    next = clock.after(BEAT, tick);
  };
  tick();
  store.add({ dispose: () => next?.dispose() });
  store.add(
    pick.onDidChangeActive((items) => {
      if (items.length === 0) return;
      activations += 1;
      const end = clock.after(CLICK, () => {
        activations = 0;
        moved();
      });
      store.add(end);
    }),
  );
  return () => activations === 1 && clock.now() - beat < STALLED;
}
