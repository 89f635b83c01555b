import * as vscode from 'vscode';
import type { RulesQuery } from '../../acp/gatehouse/rules.ts';
import { findListedRule } from '../../settings/ruleStore.ts';
import type { RuleReference } from '../../webview/messages/asks.ts';
import { toPlainRow } from '../text/plainLabel.ts';
import { toGoneText, toRuleText } from '../text/ruleText.ts';
import type { Translate } from '../text/translate.ts';
import { awaitChange, openRule, reveal } from './files/ruleFiles.ts';
import { type RulesFileSystem, toRulesUri } from './rulesFileSystem.ts';

/** Opens rules in the file, or the read-only document, that contains them. */
export interface RuleDocuments {
  /** Opens the line of a rule. Tells the user if it is gone. `sessionId`: the session that it applied in. */
  goTo(reference: RuleReference, sessionId: string | undefined): Promise<void>;
  /** Asks which of several rules to open. */
  choose(references: readonly RuleReference[], sessionId: string | undefined): Promise<void>;
  /** Opens the shipped rules, or those that only one session has. */
  show(sessionId?: string): Promise<void>;
}

export function createRuleDocuments(files: RulesFileSystem, t: Translate): RuleDocuments {
  const goTo = async (reference: RuleReference, sessionId: string | undefined) => {
    const found = await openReference(files, reference, sessionId);
    if (found) return;
    const remote = vscode.env.remoteName !== undefined;
    void vscode.window.showInformationMessage(toGoneText(reference, remote, t));
  };
  return {
    goTo,
    async choose(references, sessionId) {
      const rows = references.map((reference) =>
        toPlainRow({ label: toRuleText(reference.rule), reference }),
      );
      const placeHolder = t('Select a rule to go to');
      const [first] = rows;
      const row =
        rows.length > 1 ? await vscode.window.showQuickPick(rows, { placeHolder }) : first;
      if (row !== undefined) await goTo(row.reference, sessionId);
    },
    show: async (sessionId) => {
      const uri = toRulesUri(toQuery(sessionId));
      files.refresh(uri);
      await vscode.window.showTextDocument(uri, { preview: false });
    },
  };
}

function toQuery(sessionId: string | undefined): RulesQuery {
  return sessionId === undefined ? {} : { sessionId };
}

/** False if the rule is not there any more. */
async function openReference(
  files: RulesFileSystem,
  { rule, layer, file, ...position }: RuleReference,
  sessionId: string | undefined,
): Promise<boolean> {
  if (file !== undefined) {
    return openRule({ rule, file, user: layer === 'user', ...position });
  }
  // A session without a folder has rules of layer `default` of its own.
  const inShipped = layer === 'default' && (await openListed(files, rule, undefined));
  return inShipped || (sessionId !== undefined && (await openListed(files, rule, sessionId)));
}

/** How often a document is looked at until it has the rule; between, it may be read again. */
const LOOKS = 5;

async function openListed(
  files: RulesFileSystem,
  rule: RuleReference['rule'],
  sessionId: string | undefined,
): Promise<boolean> {
  const uri = toRulesUri(toQuery(sessionId));
  files.refresh(uri);
  const document = await vscode.workspace.openTextDocument(uri);
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const offset = findListedRule(document.getText(), rule);
    if (offset !== undefined) {
      reveal(await vscode.window.showTextDocument(document, { preview: false }), offset);
      return true;
    }
    // The shipped rules never change.
    if (sessionId === undefined) return false;
    await awaitChange(document);
  }
  return false;
}
