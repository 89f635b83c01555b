import type * as vscode from 'vscode';
import type { Translate } from '../text/translate.ts';
import type { Secrets } from './secrets.ts';

/** Stores the API key of a search provider. An empty key removes it. */
export async function setSearchKey(
  window: Pick<typeof vscode.window, 'showQuickPick' | 'showInputBox' | 'showInformationMessage'>,
  secrets: Secrets,
  t: Translate,
): Promise<void> {
  const rows = [
    { label: 'Brave', id: 'search/brave' },
    { label: 'Tavily', id: 'search/tavily' },
  ];
  const provider = await window.showQuickPick(rows, { placeHolder: t('Select a search provider') });
  if (provider === undefined) return;
  const key = await window.showInputBox({
    title: provider.label,
    prompt: t("API key, kept in VS Code's secret storage. Leave empty to remove the current key."),
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined) return;
  if (key === '') await secrets.clear(provider.id);
  else await secrets.set(provider.id, key);
  void window.showInformationMessage(key === '' ? t('API key removed.') : t('API key saved.'));
}
