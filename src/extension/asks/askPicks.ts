import type * as vscode from 'vscode';
import type { AskAnswer, PermissionAsk } from '../../webview/messages/asks.ts';
import { ageText } from '../text/ageText.ts';
import type { Translate } from '../text/translate.ts';
import type { QueuedAsk } from './asks.ts';
import { pickPermission } from './permissionPick.ts';
import { pickAnswers } from './questionPick.ts';
import type { PickWindow } from './safePick.ts';

export interface AskPickParts {
  readonly window: PickWindow & Pick<typeof vscode.window, 'showInputBox'>;
  readonly t: Translate;
  showDetails(ask: PermissionAsk): void;
}

/** Shows a request as a quick pick. Resolves with undefined if it is still pending. */
export async function showAsk(
  parts: AskPickParts,
  { ask }: QueuedAsk,
  signal: AbortSignal,
): Promise<AskAnswer | undefined> {
  if (ask.kind === 'permission') return pickPermission(parts, ask, signal);
  const content = await pickAnswers(parts, ask, signal);
  return content && { kind: 'form', content };
}

/** Selects one of several asks. A single one is selected without a quick pick. */
export async function pickPending(
  window: Pick<typeof vscode.window, 'showQuickPick'>,
  pending: readonly QueuedAsk[],
  now: number,
  t: Translate,
): Promise<string | undefined> {
  if (pending.length <= 1) return pending[0]?.ask.id;
  const items = pending.map(({ ask }) => ({
    label: ask.kind === 'permission' ? ask.title : ask.message,
    description: ageText(now - ask.since, t),
    id: ask.id,
  }));
  const picked = await window.showQuickPick(items, { placeHolder: t('Waiting for you') });
  return picked?.id;
}
