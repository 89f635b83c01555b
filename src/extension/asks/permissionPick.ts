import type * as vscode from 'vscode';
import { fill } from '../../base/fill.ts';
import { isHeadOf } from '../../base/text/isHeadOf.ts';
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
import { toToken } from './cancellation.ts';
import { keyboardHint, type PickOutcome, toOutcome, withPosition } from './pickOutcome.ts';
import { pickRule } from './rulePick.ts';
import {
  type LiveTitle,
  type OpenedBy,
  type PickRow,
  type PickWindow,
  showSafePick,
} from './safePick.ts';

export interface PermissionPickParts {
  readonly window: PickWindow & Pick<typeof vscode.window, 'showInputBox'>;
  readonly t: Translate;
  readonly openedBy: OpenedBy;
  /** The request's position in the queue, its agent and session, for titles. */
  readonly position: LiveTitle;
}

/** Asks in a quick pick. The request is still pending unless the outcome is an answer. */
export async function pickPermission(
  parts: PermissionPickParts,
  ask: PermissionAsk,
  signal: AbortSignal,
): Promise<PickOutcome> {
  let { openedBy } = parts;
  for (;;) {
    const result = await showMain({ ...parts, openedBy }, ask, signal);
    if (result.kind === 'typed') return result;
    const [chosen] = result.kind === 'picked' ? result.values : [];
    if (chosen === undefined) return { kind: 'hidden' };
    if (chosen === 'details') return { kind: 'details' };
    if (chosen.needs === 'edit' && isEditedInCard(chosen)) return { kind: 'details' };
    const answer = await askMore(parts, ask, chosen, signal);
    if (answer !== 'back') return toOutcome(answer);
    openedBy = 'user';
  }
}

/** Asks for what the chosen answer needs. Undefined if the user hid that. */
async function askMore(
  parts: PermissionPickParts,
  ask: PermissionAsk,
  chosen: AskAction,
  signal: AbortSignal,
): Promise<AskAnswer | 'back' | undefined> {
  switch (chosen.needs) {
    case 'nothing':
      return { kind: 'option', optionId: chosen.optionId };
    case 'reason':
      return askReason(parts, ask, chosen, signal);
    case 'edit':
      return editCommand(parts, ask, chosen, signal);
    default:
      return pickRule(parts, ask, chosen, signal);
  }
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
  const options = {
    title: t('Edit: {0}', ask.title),
    value: edit?.text ?? '',
    prompt: edit?.error ?? webviewStrings(t).editHint,
    ignoreFocusOut: true,
  };
  const edited = await window.showInputBox(options, toToken(signal));
  if (edited === undefined || edited.trim() === '' || signal.aborted) return undefined;
  return { kind: 'option', optionId, edited };
}

function showMain(
  { window, t, openedBy, position }: PermissionPickParts,
  ask: PermissionAsk,
  signal: AbortSignal,
) {
  const strings = webviewStrings(t);
  const rows: readonly PickRow<AskAction | 'details'>[] = [
    detailsRow(ask, t),
    ...askActions(ask).map((action) => toRow(action, strings)),
  ];
  // The box has one line and leaves line breaks out.
  const subject = ask.subject.replaceAll('\n', ask.toolKind === 'execute' ? ' ⏎ ' : ', ');
  const placeholder = ask.suspicious ? t('⚠ hidden characters: {0}', subject) : subject;
  // The command is shown below the title, so don't repeat it.
  const what = isHeadOf(ask.title, ask.subject) ? strings.permissionNeededNow : ask.title;
  const title = withPosition(what, position);
  const hint = keyboardHint(openedBy, t);
  return showSafePick(window, { title, placeholder, rows, openedBy, ...hint, signal });
}

function toRow(action: AskAction, strings: Strings): PickRow<AskAction> {
  const row = { label: fill(strings[action.label], action.value ?? ''), value: action };
  const rule = action.needs === 'nothing' ? action.rule : undefined;
  return rule === undefined ? row : { ...row, description: rule };
}

/** The reason is in the detail line: as a description, a long one would hide the label. */
function detailsRow(ask: PermissionAsk, t: Translate): PickRow<'details'> {
  const { subject, length, why, near } = ask;
  return {
    label: ask.diff ? t('Review…') : t('Show Details'),
    // The line above is truncated, so also show the end of the command.
    ...(subject.length > ONE_LINE && {
      description: t('{0} characters, ending in: {1}', length, subject.slice(-TAIL).trimStart()),
    }),
    detail: [
      ...toRiskLines(ask, t),
      why === '' ? t('No rule allows this') : t('Reason: {0}', why),
      ...(near === undefined ? [] : [t('Asked again: {0}', near.text)]),
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
  const options = {
    title: t('Deny: {0}', ask.title),
    placeHolder: t('For example: use the clean script instead'),
    prompt: t('Explain why, or what to do instead. This is sent to the agent.'),
    ignoreFocusOut: true,
  };
  const reason = await window.showInputBox(options, toToken(signal));
  if (reason === undefined || signal.aborted) return undefined;
  return { kind: 'option', optionId, ...(reason !== '' && { reason }) };
}
