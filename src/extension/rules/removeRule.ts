import path from 'node:path';
import { getMessage } from '../../base/faults.ts';
import { toVisible } from '../../base/text/visibleText.ts';
import type { RuleReference } from '../../webview/messages/asks.ts';
import { plainNotice } from '../text/plainNotice.ts';
import { toRuleText } from '../text/ruleText.ts';
import type { Translate } from '../text/translate.ts';
import type { SavedRule } from './files/ruleFiles.ts';
import type { PutBack } from './files/userRules.ts';
import type { DroppedRule } from './savedRules.ts';

export interface RemoveRuleParts {
  readonly t: Translate;
  /** Shows a notification. Resolves with the button that the user chose. */
  notify(message: string, ...buttons: readonly string[]): Thenable<string | undefined>;
  /** Removes a rule from its file. Undefined if it is gone. */
  remove(saved: SavedRule): Promise<PutBack | undefined>;
  /** Makes the host drop a rule, of a session or one that is no longer in its file. */
  drop(dropped: DroppedRule): Promise<void>;
  /** Makes the host read the settings. */
  configure(): Promise<void>;
  showError(message: string): unknown;
}

/** Whether the user can remove a rule: neither a shipped one, nor one of an agent or of another folder. */
export function isRemovable({ layer, file }: Pick<RuleReference, 'layer' | 'file'>): boolean {
  return layer === 'session' || ((layer === 'user' || layer === 'workspace') && file !== undefined);
}

/** Removes a rule that the user chose in the list, and offers to put one of the settings back. */
export async function removeRule(
  parts: RemoveRuleParts,
  reference: RuleReference,
  sessionId: string | undefined,
): Promise<void> {
  const { t, showError } = parts;
  try {
    if (reference.layer === 'session') await removeFromSession(parts, reference, sessionId);
    else await removeFromFile(parts, reference);
  } catch (error) {
    showError(plainNotice(t('The rule was not changed: {0}', getMessage(error))));
  }
}

async function removeFromSession(
  { t, notify, drop }: RemoveRuleParts,
  { rule }: RuleReference,
  sessionId: string | undefined,
): Promise<void> {
  if (sessionId === undefined) return;
  await drop({ rule, sessionId });
  void notify(t('Removed from this session: {0}', toVisible(toRuleText(rule)).text));
}

async function removeFromFile(
  { t, notify, remove, drop, configure }: RemoveRuleParts,
  { rule, layer, file }: RuleReference,
): Promise<void> {
  if (file === undefined) return;
  const destination = layer === 'user' ? 'user' : 'workspace';
  const saved: SavedRule = { rule, destination, file, unsaved: false };
  const text = toVisible(toRuleText(rule)).text;
  const putBack = await remove(saved);
  if (putBack === undefined) {
    void notify(t('{0} is not in the settings any more.', text));
    return;
  }
  // It must not decide about the next call while the editor notices the change of the file.
  await drop({ rule, file });
  const undo = t('Undo');
  const name = destination === 'user' ? t('the user settings') : path.basename(file);
  if ((await notify(t('Removed from {0}: {1}', name, text), undo)) !== undo) return;
  await putBack();
  await configure();
}
