import type * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { fill } from '../../base/fill.ts';
import { isHeadOf } from '../../base/text/isHeadOf.ts';
import {
  type AskAction,
  askActions,
  type EditAction,
  findRisks,
  findSelectedParts,
  type ReasonAction,
  RISK_LABELS,
  toExtras,
} from '../../webview/messages/askActions.ts';
import type { AskAnswer, PermissionAsk } from '../../webview/messages/asks.ts';
import type { Strings } from '../../webview/messages/stringKeys.ts';
import { toPlainLabel } from '../text/plainLabel.ts';
import { plainNotice } from '../text/plainNotice.ts';
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
  /** Keeps these entries of a proposal, and leaves out the others. */
  keepEntries?(askId: string, kept: ReadonlySet<string>): PermissionAsk | undefined;
}

/** Asks in a quick pick. The request is still pending unless the outcome is an answer. */
export async function pickPermission(
  parts: PermissionPickParts,
  asked: PermissionAsk,
  signal: AbortSignal,
): Promise<PickOutcome> {
  let { openedBy } = parts;
  let ask = asked;
  for (;;) {
    const result = await showMain({ ...parts, openedBy }, ask, signal);
    if (result.kind === 'typed') return result;
    const [chosen] = result.kind === 'picked' ? result.values : [];
    if (chosen === undefined) return { kind: 'hidden' };
    if (chosen === 'details') return { kind: 'details' };
    if (chosen === 'entries') {
      const kept = await pickEntries(parts, ask, signal);
      if (kept !== undefined) ask = parts.keepEntries?.(ask.id, kept) ?? ask;
      openedBy = 'user';
      continue;
    }
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
      return { kind: 'option', optionId: chosen.optionId, ...toExtras(chosen) };
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
    prompt: plainNotice(edit?.error ?? webviewStrings(t).editHint),
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
  const rows: readonly PickRow<AskAction | 'details' | 'entries'>[] = [
    detailsRow(ask, t),
    ...entriesRow(ask, t),
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
      ...listKept(ask),
      ...(near === undefined ? [] : [t('Asked again: {0}', near.text)]),
    ].join(' · '),
    value: 'details',
  };
}

/** The risky parts, which the first row names. */
function toRiskLines(ask: PermissionAsk, t: Translate): readonly string[] {
  const strings = webviewStrings(t);
  return findRisks({ parts: findSelectedParts(ask) }).map(
    ({ text, risk }) => `⚠ ${strings[RISK_LABELS[risk]]}: ${text}`,
  );
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

/** The row that opens the choice of entries; none if a request has no entries. */
function entriesRow(
  { entries = [] }: Pick<PermissionAsk, 'entries'>,
  t: Translate,
): readonly PickRow<'entries'>[] {
  if (entries.length === 0) return [];
  const kept = entries.filter((entry) => entry.kept).length;
  const description = t('{0} of {1} kept', kept, entries.length);
  return [{ label: t('Choose Which Other Changes to Keep…'), description, value: 'entries' }];
}

/** The entries that are not left out, each in one line. */
function listKept({ entries = [] }: Pick<PermissionAsk, 'entries'>): readonly string[] {
  return entries.flatMap(({ text, kept }) => (kept ? [text] : []));
}

/**
 * Lets the user check the entries to keep. It answers nothing, so no delay guards it. Undefined if the user hid it,
 * which changes nothing.
 */
function pickEntries(
  { window, t }: PermissionPickParts,
  { title, entries = [] }: Pick<PermissionAsk, 'title' | 'entries'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const pick = window.createQuickPick<vscode.QuickPickItem & { readonly id: string }>();
  pick.title = title;
  pick.placeholder = t('Check the changes to keep, then press Enter.');
  pick.ignoreFocusOut = true;
  pick.canSelectMany = true;
  const items = entries.map(({ id, text }) => ({ id, label: toLabel(text), alwaysShow: true }));
  pick.items = items;
  pick.selectedItems = items.filter((_, at) => entries[at]?.kept);
  const store = new DisposableStore();
  store.add(pick);
  return new Promise((resolve) => {
    const finish = (kept: ReadonlySet<string> | undefined) => {
      if (store.disposed) return;
      store.dispose();
      resolve(kept);
    };
    const hide = () => finish(undefined);
    store.add(pick.onDidAccept(() => finish(new Set(pick.selectedItems.map(({ id }) => id)))));
    store.add(pick.onDidHide(hide));
    signal.addEventListener('abort', hide, { once: true });
    store.add({ dispose: () => signal.removeEventListener('abort', hide) });
    if (signal.aborted) hide();
    else pick.show();
  });
}

/** A quick pick shows no code. A name with backticks in it stays as it is written. */
function toLabel(text: string): string {
  return toPlainLabel(text.includes('``') ? text : text.replaceAll(/`([^`]+)`/g, '$1'));
}
