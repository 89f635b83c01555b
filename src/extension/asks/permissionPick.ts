import type * as vscode from 'vscode';
import { fill } from '../../base/fill.ts';
import { isHeadOf } from '../../base/isHeadOf.ts';
import {
  type AskAction,
  askActions,
  type OfferedRule,
  type ReasonAction,
  type RuleAction,
  type RuleDestination,
} from '../../webview/messages/askActions.ts';
import type { AskAnswer, PermissionAsk } from '../../webview/messages/asks.ts';
import type { Strings } from '../../webview/messages/stringKeys.ts';
import type { Translate } from '../text/translate.ts';
import { webviewStrings } from '../text/webviewStrings.ts';
import { type PickRow, type PickWindow, type SafePickResult, showSafePick } from './safePick.ts';

export interface PermissionPickParts {
  readonly window: PickWindow & Pick<typeof vscode.window, 'showInputBox'>;
  readonly t: Translate;
  /** Opens the subject of the request: the diff, or the card with the complete command. */
  showDetails(ask: PermissionAsk): void;
}

/** The selected rule option, or a return to the first step. */
type PickedRule = RuleDestination | 'back' | undefined;

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
    if (chosen === 'details') {
      parts.showDetails(ask);
      return undefined;
    }
    if (chosen.needs === 'nothing') return { kind: 'option', optionId: chosen.optionId };
    if (chosen.needs === 'reason') return askReason(parts, ask, chosen, signal);
    const picked = await pickRule(parts, ask, chosen, signal);
    if (picked === 'back') continue;
    return picked && { kind: 'option', optionId: picked.optionId };
  }
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
  const row = { label: strings[action.label], value: action };
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
    detail: why === '' ? t('No rule allows this') : t('Reason: {0}', why),
    value: 'details',
  };
}

/** Number of characters of a command that fit into a line of a quick pick. */
const ONE_LINE = 70;
const TAIL = 40;

/** Asks for the rule and its destination. A step with a single choice is skipped. */
async function pickRule(
  parts: PermissionPickParts,
  ask: PermissionAsk,
  action: RuleAction,
  signal: AbortSignal,
): Promise<PickedRule> {
  for (;;) {
    const result = await pickPattern(parts, ask, action.rules, signal);
    if (result.kind !== 'picked') return result.kind === 'back' ? 'back' : undefined;
    const destinations = result.values[0]?.destinations ?? [];
    if (destinations.length <= 1) return destinations[0];
    const kept = await pickDestination(parts, ask, destinations, signal);
    if (kept.kind === 'picked') return kept.values[0];
    if (kept.kind === 'hidden') return undefined;
  }
}

function pickPattern(
  { window, t }: PermissionPickParts,
  ask: PermissionAsk,
  rules: readonly OfferedRule[],
  signal: AbortSignal,
): Promise<SafePickResult<OfferedRule>> {
  const { alsoMatches } = webviewStrings(t);
  const rows = rules.map((value): PickRow<OfferedRule> => {
    const row = { label: value.rule, value };
    if (value.alsoMatches.length === 0) return row;
    return { ...row, detail: fill(alsoMatches, value.alsoMatches.join(' · ')) };
  });
  const placeholder = t('Select what may run without asking from now on');
  const steps = { step: 2, totalSteps: 3, back: true };
  return showSafePick(window, { title: ask.title, placeholder, rows, ...steps, signal });
}

function pickDestination(
  { window, t }: PermissionPickParts,
  ask: PermissionAsk,
  destinations: readonly RuleDestination[],
  signal: AbortSignal,
): Promise<SafePickResult<RuleDestination>> {
  const strings = webviewStrings(t);
  const rows = destinations.map((value) => ({
    label: value.longLabel === undefined ? value.name : strings[value.longLabel],
    value,
  }));
  const placeholder = t('Select where to save the rule');
  const steps = { step: 3, totalSteps: 3, back: true };
  return showSafePick(window, { title: ask.title, placeholder, rows, ...steps, signal });
}

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
