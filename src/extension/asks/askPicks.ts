import type * as vscode from 'vscode';
import type { PermissionAsk } from '../../webview/messages/asks.ts';
import type { Translate } from '../text/translate.ts';
import type { CurrentAsk } from './asks.ts';
import { pickPermission } from './permissionPick.ts';
import type { PickOutcome } from './pickOutcome.ts';
import { pickAnswers } from './questionPick.ts';
import type { LiveTitle, OpenedBy, PickWindow } from './safePick.ts';

export interface AskPickParts {
  readonly window: PickWindow & Pick<typeof vscode.window, 'showInputBox'>;
  readonly t: Translate;
  readonly openedBy: OpenedBy;
  /** The request's position in the queue, its agent and session. */
  readonly position: LiveTitle;
  /** Keeps these entries of a proposal, and leaves out the others. */
  keepEntries(askId: string, kept: ReadonlySet<string>): PermissionAsk | undefined;
}

/** Shows a request as a quick pick. */
export function showAsk(
  parts: AskPickParts,
  { ask }: CurrentAsk,
  signal: AbortSignal,
): Promise<PickOutcome> {
  return ask.kind === 'permission'
    ? pickPermission(parts, ask, signal)
    : pickAnswers(parts, ask, signal);
}
