import * as vscode from 'vscode';
import { isRulesPath } from '../../base/rulesPath.ts';
import { findRuleOffset, findRulesOffset } from '../../settings/ruleStore.ts';
import type { Translate } from '../text/translate.ts';
import { toSection } from './files/ruleFiles.ts';
import type { WaitingArgument, WaitingRules } from './waitingRules.ts';

export interface AcceptanceLensParts {
  readonly waiting: WaitingRules;
  readonly t: Translate;
  /** Resolves when the host has reported which rules wait. Starts it if need be. */
  ready(): Promise<unknown>;
}

const SELECTOR = ['**/.vscode/settings.json', '**/*.code-workspace'].map((pattern) => ({
  scheme: 'file',
  pattern,
}));

/** *Accept This Rule…* above each rule of the workspace that waits, and *Accept All…* above the list. */
export function createAcceptanceLenses(parts: AcceptanceLensParts): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const provider: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses: (document) => provide(parts, document),
  };
  const listening = parts.waiting.onDidChange(() => changed.fire());
  const trusted = vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire());
  const registered = vscode.languages.registerCodeLensProvider(SELECTOR, provider);
  return vscode.Disposable.from(changed, listening, trusted, registered);
}

async function provide(
  { waiting, t, ready }: AcceptanceLensParts,
  document: vscode.TextDocument,
): Promise<vscode.CodeLens[]> {
  const text = document.getText();
  const file = document.uri.fsPath;
  if (!vscode.workspace.isTrusted || !isRulesPath(document.uri.path)) return [];
  const section = toSection(file);
  const list = findRulesOffset(text, section);
  if (list === undefined) return [];
  await ready();
  const toLens = (offset: number, title: string, argument: WaitingArgument) => {
    const start = document.positionAt(offset);
    return new vscode.CodeLens(new vscode.Range(start, start), {
      ...{ title, command: 'gatehouse.reviewRules', arguments: [argument] },
    });
  };
  const own = waiting.select({ file });
  const lenses = own.flatMap(({ rule, hash }) => {
    const found = findRuleOffset(text, rule, { section });
    if (found?.exact !== true) return [];
    return [toLens(found.offset, t('Accept This Rule…'), { file, hash })];
  });
  // One rule that waits has its own lens.
  if (lenses.length < 2) return lenses;
  return [toLens(list, t('Accept All {0} Rules…', own.length), { file }), ...lenses];
}
