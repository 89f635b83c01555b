import type * as vscode from 'vscode';
import { toVisible } from '../../base/text/visibleText.ts';
import { toPlainRow } from '../text/plainLabel.ts';
import { toRuleText } from '../text/ruleText.ts';
import type { Translate } from '../text/translate.ts';
import type { WaitingRule, WaitingRules } from './waitingRules.ts';

export interface RuleReviewParts {
  readonly window: Pick<typeof vscode.window, 'showInformationMessage' | 'showQuickPick'>;
  readonly t: Translate;
  readonly waiting: Pick<WaitingRules, 'select'>;
  /** Resolves when the host has reported which rules wait. */
  ready(): Promise<unknown>;
  /** Accepts a rule, or revokes its acceptance. */
  accept(rule: WaitingRule, accepted: boolean): Promise<void>;
  /** Shows what changed in a file's rules since one was accepted. */
  showChanges(file: string): Promise<void>;
  open(rule: WaitingRule): Promise<void>;
  /** The display form of a path. */
  label(file: string): string;
  notify(message: string, ...buttons: readonly string[]): Thenable<string | undefined>;
}

/**
 * Shows what changed in the rules of each file, and asks which of those that wait to accept. Escape
 * accepts nothing.
 */
export async function reviewRules(parts: RuleReviewParts, argument?: unknown): Promise<void> {
  const { window, t, waiting, ready } = parts;
  await ready();
  const found = waiting.select(argument);
  if (found.length === 0) {
    await window.showInformationMessage(t('No pending rules in this workspace.'));
    return;
  }
  const accepted: WaitingRule[] = [];
  for (const file of new Set(found.map((each) => each.file))) {
    await parts.showChanges(file);
    const rules = found.filter((each) => each.file === file);
    if (!(await reviewFile(parts, file, rules, accepted))) break;
  }
  if (accepted.length > 0) await offerUndo(parts, accepted);
}

/** False if the user ended the review. Adds to `accepted`. */
async function reviewFile(
  parts: RuleReviewParts,
  file: string,
  rules: readonly WaitingRule[],
  accepted: WaitingRule[],
): Promise<boolean> {
  for (let left = rules; left.length > 0; ) {
    const picked = await pick(parts, file, left);
    if (picked === undefined) return false;
    if (picked.opens !== undefined) {
      await parts.open(picked.opens);
      return false;
    }
    for (const rule of picked.accepts) {
      await parts.accept(rule, true);
      accepted.push(rule);
    }
    left = left.filter((rule) => !picked.accepts.includes(rule));
  }
  return true;
}

interface Row extends vscode.QuickPickItem {
  readonly accepts: readonly WaitingRule[];
  readonly opens?: WaitingRule;
}

function pick(
  { window, t, label }: RuleReviewParts,
  file: string,
  rules: readonly WaitingRule[],
): Thenable<Row | undefined> {
  const each = rules.map((rule): Row => {
    const text = toVisible(toRuleText(rule.rule)).text;
    return toPlainRow({ label: t('Accept {0}', text), accepts: [rule] });
  });
  const all: Row = { label: t('Accept All {0} Rules', rules.length), accepts: rules };
  const [first] = rules;
  // The row that Enter chooses at once must accept nothing.
  const open: Row = { label: t('Open File'), accepts: [], ...(first && { opens: first }) };
  return window.showQuickPick<Row>([open, ...each, ...(rules.length > 1 ? [all] : [])], {
    title: t('Rules of {0}', toVisible(label(file)).text),
    placeHolder: t('Accept rules, so that agents may act by them without asking'),
    ignoreFocusOut: true,
  });
}

async function offerUndo(parts: RuleReviewParts, rules: readonly WaitingRule[]): Promise<void> {
  const { t, notify, accept } = parts;
  const texts = rules.map(({ rule }) => toRuleText(rule)).join(', ');
  const undo = t('Undo');
  if ((await notify(t('Accepted: {0}', toVisible(texts).text), undo)) !== undo) return;
  for (const rule of rules) await accept(rule, false);
}
