import * as vscode from 'vscode';
import type { HostLink } from '../host/hostLink.ts';
import type { Translate } from '../text/translate.ts';
import { createRuleDocuments, type RuleDocuments } from './goToRule.ts';
import { RULES_SCHEME, RulesFileSystem } from './rulesFileSystem.ts';

/** Registers the read-only documents of rules. The host starts when one is read. */
export function connectRules(
  link: () => HostLink,
  t: Translate,
): RuleDocuments & vscode.Disposable {
  const files = new RulesFileSystem(async (sessionId) => {
    const query = sessionId === undefined ? {} : { sessionId };
    return (await (await link().connection()).call('rulesDocument', query)).text;
  });
  const registered = vscode.workspace.registerFileSystemProvider(RULES_SCHEME, files, {
    isReadonly: true,
    isCaseSensitive: true,
  });
  return {
    ...createRuleDocuments(files, t),
    dispose: () => {
      registered.dispose();
      files.dispose();
    },
  };
}
