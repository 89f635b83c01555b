import type * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { RuleReference } from '../../webview/messages/asks.ts';
import { ageText } from '../text/ageText.ts';
import { toPlainLabel } from '../text/plainLabel.ts';
import { riskText } from '../text/riskText.ts';
import type { Translate } from '../text/translate.ts';
import type { CurrentAsk, QueuedAsk } from './asks.ts';

export interface InboxParts {
  readonly window: Pick<typeof vscode.window, 'createQuickPick'>;
  /** The button of rows whose request a rule causes. */
  readonly ruleButton: vscode.QuickInputButton;
  readonly t: Translate;
  readonly now: number;
}

/** What the user chose: a request, or the rule because of which one asks. */
export type InboxChoice =
  | { readonly kind: 'request'; readonly id: string }
  | { readonly kind: 'rule'; readonly rule: RuleReference; readonly sessionId: string };

interface InboxRow extends vscode.QuickPickItem {
  readonly id: string;
  readonly sessionId: string;
  readonly rule: RuleReference | undefined;
}

/**
 * Lists the pending requests of all sessions and subagents, in call order. Choosing one goes to it
 * and answers nothing.
 */
export function pickRequest(
  { window, ruleButton, t, now }: InboxParts,
  pending: readonly QueuedAsk[],
  current: CurrentAsk | undefined,
): Promise<InboxChoice | undefined> {
  const store = new DisposableStore();
  const pick = store.add(window.createQuickPick<InboxRow>());
  pick.title = t('Pending Requests ({0})', pending.length);
  pick.placeholder = t('Select a request to go to');
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.items = pending.map((each) => {
    const row = toRow(each, each.ask.id === current?.ask.id, now, t);
    return row.rule === undefined ? row : { ...row, buttons: [ruleButton] };
  });
  return new Promise((resolve) => {
    const finish = (choice?: InboxChoice): void => {
      store.dispose();
      resolve(choice);
    };
    store.add(
      pick.onDidAccept(() => {
        const [row] = pick.selectedItems;
        finish(row && { kind: 'request', id: row.id });
      }),
    );
    store.add(
      pick.onDidTriggerItemButton(({ item: { rule, sessionId } }) =>
        finish(rule && { kind: 'rule', rule, sessionId }),
      ),
    );
    store.add(pick.onDidHide(() => finish()));
    pick.show();
  });
}

function toRow(queued: QueuedAsk, current: boolean, now: number, t: Translate): InboxRow {
  const { ask, sessionId, source, tool } = queued;
  const title = ask.kind === 'permission' ? ask.title : ask.message;
  const from = [tool ?? '', source.agent, source.session ?? ''].filter((part) => part !== '');
  const age = ageText(now - ask.since, t);
  return {
    ...{ id: ask.id, sessionId },
    label: `$(${current ? 'arrow-right' : 'circle-small'}) ${toPlainLabel(title)}`,
    description: toPlainLabel([...from, age].join(' · ')),
    detail: riskText(queued, t),
    rule: ask.kind === 'permission' ? ask.whyRule : undefined,
  };
}
