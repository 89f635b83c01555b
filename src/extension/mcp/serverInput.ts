import type * as vscode from 'vscode';
import { toVisibleLine } from '../../base/text/visibleText.ts';
import type { InputAsk } from '../../base/tools/mcpServer.ts';
import type { Secrets } from '../setup/secrets.ts';
import { toPlainLabel, toPlainRow } from '../text/plainLabel.ts';
import { toPlainLine } from '../text/plainMarkdown.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';

export interface ServerInputParts {
  readonly window: Pick<typeof vscode.window, 'showInputBox' | 'showQuickPick'>;
  readonly secrets: Secrets;
  readonly t: Translate;
}

/**
 * The value that the entry of an MCP server leaves to the user: the one that is kept, or what the user gives
 * now. Undefined: none. All values are kept in VS Code's secret storage.
 */
export async function findServerInput(
  parts: ServerInputParts,
  query: InputAsk,
  token: vscode.CancellationToken,
): Promise<string | undefined> {
  const { secrets } = parts;
  const id = `mcp/input/${query.key}`;
  const kept = query.again ? undefined : await secrets.get(id);
  if (kept !== undefined) return kept;
  const given = await ask(parts, query, token);
  if (given !== undefined) await secrets.set(id, given);
  return given;
}

async function ask(
  { window, t }: ServerInputParts,
  { server, input }: InputAsk,
  token: vscode.CancellationToken,
): Promise<string | undefined> {
  // The texts are those of a file that others may have written.
  const title = t('MCP server {0}', toPlainLabel(toVisibleLine(server)));
  const what = toPlainLabel(toVisibleLine(toPlainLine(input.description ?? input.id)));
  const options = { title, ignoreFocusOut: true };
  if (input.options !== undefined) {
    const rows = input.options.map((value) => toPlainRow({ label: toVisibleLine(value), value }));
    const pick = { ...options, placeHolder: what };
    return (await window.showQuickPick(rows, pick, token))?.value;
  }
  const prompt = plainNotice(t("{0} (kept in VS Code's secret storage)", what));
  const { password, initial } = input;
  return window.showInputBox(
    { ...options, prompt, password, ...(initial !== undefined && { value: initial }) },
    token,
  );
}
