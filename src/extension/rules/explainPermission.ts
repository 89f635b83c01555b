import * as vscode from 'vscode';
import { explainedLines } from '../../base/tools/explained.ts';
import { PLAIN_TOOLS, plainInput } from '../../base/tools/plainInput.ts';
import type { HostLink } from '../host/hostLink.ts';
import type { Translate } from '../text/translate.ts';

/** *Explain a Permission…*: what the rules decide on a call, and why, without running it. */
export async function explainPermission(
  link: HostLink,
  sessionId: string | undefined,
  t: Translate,
): Promise<void> {
  const connection = await link.connection();
  if (!link.explains) {
    void vscode.window.showInformationMessage(t('This host cannot explain decisions.'));
    return;
  }
  const tool = await vscode.window.showQuickPick(PLAIN_TOOLS, { placeHolder: t('Which tool?') });
  if (tool === undefined) return;
  const prompt = t('Command, path or address. Nothing is run.');
  const target = await vscode.window.showInputBox({ title: tool, prompt, ignoreFocusOut: true });
  if (target === undefined) return;
  const explained = await connection.call('_gatehouse/explain', {
    tool,
    input: plainInput(tool, target),
    ...(sessionId !== undefined && { sessionId }),
  });
  const [sentence = '', ...lines] = explainedLines(explained);
  const detail = [`${tool}: ${target}`, '', ...lines.map((line) => line.trim())].join('\n');
  await vscode.window.showInformationMessage(sentence, { modal: true, detail });
}
