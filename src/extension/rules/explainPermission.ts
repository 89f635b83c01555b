import * as vscode from 'vscode';
import { explainedLines } from '../../base/tools/explained.ts';
import { findLockedTools, getToolFacts } from '../../base/tools/toolFacts.ts';
import type { HostLink } from '../host/hostLink.ts';
import type { Translate } from '../text/translate.ts';

/** *Explain Permission…*: what the rules decide about a call, and why, without running it. */
export async function explainPermission(
  link: HostLink,
  sessionId: string | undefined,
  t: Translate,
): Promise<void> {
  const connection = await link.connection();
  if (!link.explains) {
    void vscode.window.showInformationMessage(
      t('This host does not support explaining permissions.'),
    );
    return;
  }
  const ids = findLockedTools(({ toInput }) => toInput !== undefined);
  const tool = await vscode.window.showQuickPick(ids, { placeHolder: t('Select a tool') });
  if (tool === undefined) return;
  const prompt = t('Command, path or host to check. Nothing is run.');
  const target = await vscode.window.showInputBox({ title: tool, prompt, ignoreFocusOut: true });
  if (target === undefined) return;
  const explained = await connection.call('explain', {
    tool,
    input: getToolFacts(tool)?.toInput?.(target),
    ...(sessionId !== undefined && { sessionId }),
  });
  const [sentence = '', ...lines] = explainedLines(explained);
  const detail = [`${tool}: ${target}`, '', ...lines.map((line) => line.trim())].join('\n');
  await vscode.window.showInformationMessage(sentence, { modal: true, detail });
}
