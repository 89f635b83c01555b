import type * as vscode from 'vscode';
import type { Translate } from '../text/translate.ts';

export interface StatusFacts {
  readonly running: boolean;
  /** Pending requests. */
  readonly pending: number;
}

/** The content of the status bar item. */
export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  readonly command: string;
  readonly warning: boolean;
}

/** The status: pending requests first, because they block the agent, then running, then idle. */
export function statusText({ running, pending }: StatusFacts, t: Translate): StatusText {
  if (pending > 0) {
    const tooltip =
      pending === 1
        ? t('Gatehouse: 1 pending request')
        : t('Gatehouse: {0} pending requests', pending);
    return {
      text: `$(shield) ${pending}`,
      tooltip,
      command: 'gatehouse.focusPending',
      warning: true,
    };
  }
  if (running) {
    const text = '$(sync~spin) Gatehouse';
    return {
      text,
      tooltip: t('Gatehouse: the agent is working'),
      command: 'gatehouse.openChat',
      warning: false,
    };
  }
  const tooltip = t('Gatehouse: Open Chat');
  return { text: '$(shield) Gatehouse', tooltip, command: 'gatehouse.openChat', warning: false };
}

/** Applies the status to the item. */
export function showStatus(
  item: Pick<
    vscode.StatusBarItem,
    'text' | 'tooltip' | 'command' | 'backgroundColor' | 'accessibilityInformation'
  >,
  status: StatusText,
  warningColor: vscode.ThemeColor,
): void {
  item.text = status.text;
  item.tooltip = status.tooltip;
  item.command = status.command;
  item.backgroundColor = status.warning ? warningColor : undefined;
  item.accessibilityInformation = { label: status.tooltip };
}
