import type * as vscode from 'vscode';
import type { Translate } from '../text/translate.ts';

export interface StatusFacts {
  readonly running: boolean;
  /** Pending requests. */
  readonly pending: number;
}

/** What the status bar item shows; colours are ids of the theme. */
export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  readonly command: string;
  readonly warning: boolean;
}

/** Idle, running, or the number of pending requests; those win, because the agent waits for them. */
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

/** Puts the text on the item. */
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
