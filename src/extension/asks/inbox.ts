import type * as vscode from 'vscode';
import { ageText } from '../text/ageText.ts';
import { riskText } from '../text/riskText.ts';
import type { Translate } from '../text/translate.ts';
import type { CurrentAsk, QueuedAsk } from './asks.ts';

export interface InboxParts {
  readonly window: Pick<typeof vscode.window, 'showQuickPick'>;
  readonly t: Translate;
  readonly now: number;
}

interface InboxRow extends vscode.QuickPickItem {
  readonly id: string;
}

/**
 * Lists the pending requests of all sessions and subagents, in call order. Choosing one goes to it
 * and answers nothing.
 */
export async function pickRequest(
  { window, t, now }: InboxParts,
  pending: readonly QueuedAsk[],
  current: CurrentAsk | undefined,
): Promise<string | undefined> {
  const rows = pending.map((each) => toRow(each, each.ask.id === current?.ask.id, now, t));
  const placeHolder = t('Select a request to go to');
  const title = t('Pending Requests ({0})', pending.length);
  const options = { title, placeHolder, matchOnDescription: true, matchOnDetail: true };
  return (await window.showQuickPick(rows, options))?.id;
}

function toRow(queued: QueuedAsk, current: boolean, now: number, t: Translate): InboxRow {
  const { ask, source, tool } = queued;
  const title = ask.kind === 'permission' ? ask.title : ask.message;
  const from = [tool ?? '', source.agent, source.session ?? ''].filter((part) => part !== '');
  const age = ageText(now - ask.since, t);
  return {
    id: ask.id,
    label: `$(${current ? 'arrow-right' : 'circle-small'}) ${title}`,
    description: [...from, age].join(' · '),
    detail: riskText(queued, t),
  };
}
