import type * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';

/** When another document takes the place of a preview, VS Code tells of it some time after the closed one. Milliseconds. */
export const REPLACED_MS = 250;

/** What is used of a change of tabs. */
interface TabChange<Tab> {
  readonly opened: readonly Tab[];
  readonly closed: readonly Tab[];
}

export interface UntilClosedParts<Tab> {
  readonly clock: Clock;
  readonly onDidChangeTabs: (listener: (change: TabChange<Tab>) => void) => vscode.Disposable;
  /** Whether the tab shows the document. */
  isIt(tab: Tab): boolean;
}

/** Resolves when the document is closed, with false if the user opened another one meanwhile. */
export function untilClosed<Tab>(parts: UntilClosedParts<Tab>): Promise<boolean> {
  const { clock, onDidChangeTabs, isIt } = parts;
  return new Promise((resolve) => {
    let left = false;
    let closing = false;
    const listening = onDidChangeTabs(({ opened, closed }) => {
      left ||= opened.some((tab) => !isIt(tab));
      if (closing || !closed.some(isIt)) return;
      closing = true;
      clock.after(REPLACED_MS, () => {
        listening.dispose();
        resolve(!left);
      });
    });
  });
}
