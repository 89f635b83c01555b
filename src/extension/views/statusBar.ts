import type * as vscode from 'vscode';
import type { Translate } from '../text/translate.ts';

export interface StatusFacts {
  readonly running: boolean;
  readonly waiting: number;
}

/** What the status bar item shows; colours are ids of the theme. */
export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  readonly command: string;
  readonly warning: boolean;
}

/** Idle, running, or how much waits; what waits wins, because nothing goes on without it. */
export function statusText({ running, waiting }: StatusFacts, t: Translate): StatusText {
  if (waiting > 0) {
    const tooltip =
      waiting === 1
        ? t('Gatehouse: 1 request waits for you')
        : t('Gatehouse: {0} requests wait for you', waiting);
    return {
      text: `$(shield) ${waiting}`,
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
  const tooltip = t('Gatehouse: open the chat');
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
