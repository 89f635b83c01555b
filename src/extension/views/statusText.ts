import type * as vscode from 'vscode';
import type { SandboxStatus } from '../../acp/gatehouse/configure.ts';
import type { CurrentAsk } from '../asks/asks.ts';
import { requestPosition } from '../text/requestPosition.ts';
import type { Translate } from '../text/translate.ts';

export interface StatusFacts {
  readonly running: boolean;
  /** The current request, if any is pending. */
  readonly current: CurrentAsk | undefined;
  readonly sandbox: SandboxStatus;
}

/** The content of the status bar item. */
export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  readonly command: string;
  readonly warning: boolean;
}

/** The status: pending requests first, because they block the agent, then running, then idle. */
export function statusText(facts: StatusFacts, t: Translate): StatusText {
  const status = activityText(facts, t);
  const sandbox = sandboxText(facts.sandbox, t);
  return sandbox === undefined ? status : { ...status, tooltip: `${status.tooltip}\n${sandbox}` };
}

function activityText({ running, current }: StatusFacts, t: Translate): StatusText {
  if (current !== undefined) {
    const { total, ask } = current;
    const title = ask.kind === 'permission' ? ask.title : ask.message;
    return {
      text: `$(shield) ${total}`,
      tooltip: [pendingText(total, t), title, requestPosition(current, t)].join('\n'),
      command: 'gatehouse.showPending',
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

/** Undefined while nothing has needed the sandbox. */
function sandboxText(
  { state, reason = '', required = false }: SandboxStatus,
  t: Translate,
): string | undefined {
  switch (state) {
    case 'untested':
      return undefined;
    case 'off':
      return t('Sandbox: off');
    case 'proven':
      return required ? t('Sandbox: tested, and required') : t('Sandbox: tested');
    case 'unproven':
      return t('Sandbox: not usable. {0}', reason);
  }
}

function pendingText(pending: number, t: Translate): string {
  return pending === 1
    ? t('Gatehouse: 1 pending request')
    : t('Gatehouse: {0} pending requests', pending);
}

/** The view's badge; undefined if nothing needs the user. `unread`: answers that weren't seen yet. */
export function toBadge(
  pending: number,
  unread: number,
  t: Translate,
): vscode.ViewBadge | undefined {
  if (pending + unread === 0) return undefined;
  const answers = unread === 1 ? t('1 unread answer') : t('{0} unread answers', unread);
  const parts = [
    ...(pending > 0 ? [pendingText(pending, t)] : []),
    ...(unread > 0 ? [answers] : []),
  ];
  return { value: pending + unread, tooltip: parts.join(', ') };
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
  item.accessibilityInformation = { label: status.tooltip.replaceAll('\n', ', ') };
}
