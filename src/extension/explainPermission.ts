import * as vscode from 'vscode';
import type { HostLink } from './hostLink.ts';
import type { Translate } from './translate.ts';

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
  const tools = ['bash', 'read', 'write', 'edit', 'glob', 'grep', 'web_fetch'];
  const tool = await vscode.window.showQuickPick(tools, { placeHolder: t('Which tool?') });
  if (tool === undefined) return;
  const prompt = t('Command, path, pattern or address');
  const target = await vscode.window.showInputBox({ title: tool, prompt, ignoreFocusOut: true });
  if (target === undefined) return;
  const explained = await connection.call('_gatehouse/explain', {
    tool,
    input: { ...REST_OF[tool], [INPUT_OF[tool] ?? 'path']: target },
    ...(sessionId !== undefined && { sessionId }),
  });
  const content = JSON.stringify(explained, undefined, 2);
  const document = await vscode.workspace.openTextDocument({ language: 'json', content });
  await vscode.window.showTextDocument(document, { preview: true });
}

/** Arguments a tool cannot do without; its rules do not look at them. */
const REST_OF: Readonly<Record<string, object>> = {
  write: { content: '' },
  edit: { old_string: 'a', new_string: 'b' },
};

/** The argument of each tool that its rules look at. */
const INPUT_OF: Readonly<Record<string, string>> = {
  bash: 'command',
  glob: 'pattern',
  grep: 'pattern',
  web_fetch: 'url',
};
