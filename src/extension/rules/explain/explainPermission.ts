import * as vscode from 'vscode';
import { EXPLAINABLE } from '../../../base/tools/toolFacts.ts';
import type { HostLink } from '../../host/hostLink.ts';
import type { Translate } from '../../text/translate.ts';
import { type ExplainDocuments, toPendingCall } from './explainDocuments.ts';

export interface ExplainParts {
  readonly link: HostLink;
  readonly explained: ExplainDocuments;
  readonly t: Translate;
}

/** *Explain Permission…*: what the rules decide about a call, and why, without running it. */
export async function explainPermission(
  { link, explained, t }: ExplainParts,
  sessionId: string | undefined,
): Promise<void> {
  await link.connection();
  if (!link.explains) {
    void vscode.window.showInformationMessage(
      t('This host does not support explaining permissions.'),
    );
    return;
  }
  const tool = await vscode.window.showQuickPick(EXPLAINABLE, { placeHolder: t('Select a tool') });
  if (tool === undefined) return;
  const prompt = t('Command, path or host to check. Nothing is run.');
  const target = await vscode.window.showInputBox({ title: tool, prompt, ignoreFocusOut: true });
  if (target !== undefined) await explained.explain(sessionId, toPendingCall(tool, target));
}
