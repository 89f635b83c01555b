import type * as vscode from 'vscode';
import { fill } from '../../base/fill.ts';
import { isHeadOf } from '../../base/isHeadOf.ts';
import {
  type AskAction,
  askActions,
  type EditAction,
  findRisks,
  type ReasonAction,
  RISK_LABELS,
} from '../../webview/messages/askActions.ts';
import type { AskAnswer, PermissionAsk } from '../../webview/messages/asks.ts';
import type { Strings } from '../../webview/messages/stringKeys.ts';
import type { Translate } from '../text/translate.ts';
import { webviewStrings } from '../text/webviewStrings.ts';
import { pickRule } from './rulePick.ts';
import { type PickRow, type PickWindow, type SafePickResult, showSafePick } from './safePick.ts';

export interface PermissionPickParts {
  readonly window: PickWindow & Pick<typeof vscode.window, 'showInputBox'>;
  readonly t: Translate;
  /** Opens the subject of the request: the diff, or the card with the complete command. */
  showDetails(ask: PermissionAsk): void;
}

/**
 * Asks in a quick pick. Undefined if the request is still pending, because the user hid the quick
 * pick or opened the details.
 */
export async function pickPermission(
  parts: PermissionPickParts,
  ask: PermissionAsk,
  signal: AbortSignal,
): Promise<AskAnswer | undefined> {
  for (;;) {
    const chosen = single(await showMain(parts, ask, signal));
    if (chosen === undefined) return undefined;
    if (chosen === 'details') return showDetails(parts, ask);
    if (chosen.needs === 'nothing') return { kind: 'option', optionId: chosen.optionId };
    if (chosen.needs === 'reason') return askReason(parts, ask, chosen, signal);
    if (chosen.needs === 'edit') {
      if (isEditedInCard(chosen)) return showDetails(parts, ask);
      return editCommand(parts, ask, chosen, signal);
    }
    const picked = await pickRule(parts, ask, chosen, signal);
    if (picked === 'back') continue;
    return picked;
  }
}

function showDetails(parts: PermissionPickParts, ask: PermissionAsk): undefined {
  parts.showDetails(ask);
}

/** An input box has one line, so longer texts are edited in the card, and a proposal in its diff. */
function isEditedInCard({ edit }: EditAction): boolean {
  return edit === undefined || edit.form !== 'command' || edit.text.includes('\n');
}

/** Edits the command line. A command that can't run comes back with its error. */
async function editCommand(
  { window, t }: PermissionPickParts,
  ask: PermissionAsk,
  { optionId, edit }: EditAction,
  signal: AbortSignal,
): Promise<AskAnswer | undefined> {
  const edited = await window.showInputBox({
    title: t('Edit: {0}', ask.title),
    value: edit?.text ?? '',
    prompt: edit?.error ?? webviewStrings(t).editHint,
    ignoreFocusOut: true,
  });
  if (edited === undefined || edited.trim() === '' || signal.aborted) return undefined;
  return { kind: 'option', optionId, edited };
}

function showMain({ window, t }: PermissionPickParts, ask: PermissionAsk, signal: AbortSignal) {
  const strings = webviewStrings(t);
  const rows: readonly PickRow<AskAction | 'details'>[] = [
    detailsRow(ask, t),
    ...askActions(ask).map((action) => toRow(action, strings)),
  ];
  const placeholder = ask.suspicious ? t('⚠ hidden characters: {0}', ask.subject) : ask.subject;
  // The command is shown below the title, so don't repeat it.
  const title = isHeadOf(ask.title, ask.subject) ? strings.permissionNeededNow : ask.title;
  return showSafePick(window, { title, placeholder, rows, signal });
}

function toRow(action: AskAction, strings: Strings): PickRow<AskAction> {
  const row = { label: fill(strings[action.label], action.value ?? ''), value: action };
  const rule = action.needs === 'nothing' ? action.rule : undefined;
  return rule === undefined ? row : { ...row, description: rule };
}

/** The reason is in the detail line: as a description, a long one would hide the label. */
function detailsRow(ask: PermissionAsk, t: Translate): PickRow<'details'> {
  const { subject, length, why } = ask;
  return {
    label: ask.diff ? t('Show Diff') : t('Show Details'),
    // The line above is truncated, so also show the end of the command.
    ...(subject.length > ONE_LINE && {
      description: t('{0} characters, ending in: {1}', length, subject.slice(-TAIL).trimStart()),
    }),
    detail: [
      ...toRiskLines(ask, t),
      why === '' ? t('No rule allows this') : t('Reason: {0}', why),
    ].join(' · '),
    value: 'details',
  };
}

/** The risky parts, which the first row names. */
function toRiskLines(ask: PermissionAsk, t: Translate): readonly string[] {
  const strings = webviewStrings(t);
  return findRisks(ask).map(({ text, risk }) => `⚠ ${strings[RISK_LABELS[risk]]}: ${text}`);
}

/** Number of characters of a command that fit into a line of a quick pick. */
const ONE_LINE = 70;
const TAIL = 40;

/** Asks for a reason. Escape leaves the request pending. */
async function askReason(
  { window, t }: PermissionPickParts,
  ask: PermissionAsk,
  { optionId }: ReasonAction,
  signal: AbortSignal,
): Promise<AskAnswer | undefined> {
  const reason = await window.showInputBox({
    title: t('Deny: {0}', ask.title),
    placeHolder: t('For example: use the clean script instead'),
    prompt: t('Explain why, or what to do instead. This is sent to the agent.'),
    ignoreFocusOut: true,
  });
  if (reason === undefined || signal.aborted) return undefined;
  return { kind: 'option', optionId, ...(reason !== '' && { reason }) };
}

function single<Value>(result: SafePickResult<Value>): Value | undefined {
  return result.kind === 'picked' ? result.values[0] : undefined;
}
