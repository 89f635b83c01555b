import type * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { toPlainLabel } from '../text/plainLabel.ts';
import type { Translate } from '../text/translate.ts';

export interface ArgumentQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly required: boolean;
}

export interface ArgumentParts {
  readonly window: Pick<typeof vscode.window, 'createQuickPick'>;
  readonly clock: Clock;
  readonly t: Translate;
  /** Values that the server suggests for what was typed. May reject. */
  suggest(typed: string): Promise<readonly string[]>;
}

interface ValueRow extends vscode.QuickPickItem {
  readonly value: string;
}

/** Milliseconds without another key before the server is asked. */
const PAUSE_MS = 150;

/** Asks for a value: what the user types, or one that the server suggests. Undefined: the user gave up. */
export function pickArgument(
  { window, clock, t, suggest }: ArgumentParts,
  { title, prompt, required }: ArgumentQuestion,
): Promise<string | undefined> {
  const store = new DisposableStore();
  const pick = store.add(window.createQuickPick<ValueRow>());
  pick.title = title;
  pick.placeholder = prompt;
  pick.ignoreFocusOut = true;
  let timer: Disposable | undefined;
  store.add({ dispose: () => timer?.dispose() });
  const show = (typed: string, values: readonly string[]) => {
    if (store.disposed || pick.value !== typed) return;
    const own: ValueRow = {
      label: t('Use "{0}"', toPlainLabel(typed)),
      value: typed,
      alwaysShow: true,
    };
    const others = values.filter((value) => value !== typed);
    const rows = others.map((value) => ({ label: toPlainLabel(value), value, alwaysShow: true }));
    const isUsable = typed !== '' || !required;
    pick.items = isUsable ? [own, ...rows] : rows;
  };
  const look = (typed: string) => {
    show(typed, []);
    timer?.dispose();
    timer = clock.after(typed === '' ? 0 : PAUSE_MS, () => {
      suggest(typed).then(
        (values) => show(typed, values),
        // What is typed counts all the same.
        () => undefined,
      );
    });
  };
  return new Promise((resolve) => {
    const finish = (value: string | undefined) => {
      if (store.disposed) return;
      store.dispose();
      resolve(value);
    };
    store.add(pick.onDidChangeValue(look));
    store.add(
      pick.onDidAccept(() => {
        const [row] = pick.selectedItems;
        if (row !== undefined) finish(row.value);
      }),
    );
    store.add(pick.onDidHide(() => finish(undefined)));
    look('');
    pick.show();
  });
}
