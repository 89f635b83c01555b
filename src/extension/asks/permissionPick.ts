import type * as vscode from 'vscode';
import { isHeadOf } from '../../base/isHeadOf.ts';
import type { AskAnswer, AskOption, PermissionAsk } from '../../webview/messages/asks.ts';
import { alwaysByRule } from '../../webview/messages/messagesAlways.ts';
import type { Translate } from '../text/translate.ts';
import { type PickWindow, type Row, type SafePickResult, showSafePick } from './safePick.ts';

export interface PermissionSurface {
  readonly window: PickWindow & Pick<typeof vscode.window, 'showInputBox'>;
  readonly t: Translate;
  /** Opens what is asked about: the diff, or the card with the whole command. */
  showDetails(ask: PermissionAsk): void;
}

type Main = 'details' | 'always' | 'deny' | 'denyWithReason' | AskOption;

/**
 * Asks in a quick pick. Undefined means that nothing was decided: the pick was hidden, or the user
 * went to look at the details, and the ask waits on.
 */
export async function pickPermission(
  surface: PermissionSurface,
  ask: PermissionAsk,
  signal: AbortSignal,
): Promise<AskAnswer | undefined> {
  for (;;) {
    const chosen = single(await showMain(surface, ask, signal));
    if (chosen === undefined) return undefined;
    if (chosen === 'details') {
      surface.showDetails(ask);
      return undefined;
    }
    if (chosen === 'always') {
      const option = await pickAlways(surface, ask, signal);
      if (option === 'back') continue;
      return option && { kind: 'option', optionId: option.optionId };
    }
    if (chosen === 'denyWithReason') return askReason(surface, ask, signal);
    const option = chosen === 'deny' ? denial(ask) : chosen;
    return option && { kind: 'option', optionId: option.optionId };
  }
}

function showMain({ window, t }: PermissionSurface, ask: PermissionAsk, signal: AbortSignal) {
  const once = ask.options.find(({ choice }) => choice === 'allowOnce');
  const session = ask.options.find(({ choice }) => choice === 'allowSession');
  const always = ask.options.some(({ choice }) => choice === 'allowAlways');
  const deny = denial(ask) !== undefined;
  const rows: Row<Main>[] = [
    detailsRow(ask, t),
    ...(once ? [{ label: t('Allow once'), value: once }] : []),
    ...(session ? [withRule({ label: t('Allow for session'), value: session }, session.rule)] : []),
    ...(always ? [{ label: t('Always allow…'), value: 'always' as const }] : []),
    ...(deny ? [{ label: t('Deny'), value: 'deny' as const }] : []),
    ...(deny ? [{ label: t('Deny with reason…'), value: 'denyWithReason' as const }] : []),
  ];
  const placeholder = ask.suspicious ? t('⚠ hidden characters: {0}', ask.subject) : ask.subject;
  // The command stands below the title: it is not said twice.
  const title = isHeadOf(ask.title, ask.subject) ? t('Permission needed') : ask.title;
  return showSafePick<Main>(window, { title, placeholder, rows, signal });
}

/** The reason is below the label, where there is room; beside it a long one would leave no label. */
function detailsRow(ask: PermissionAsk, t: Translate): Row<Main> {
  const { subject, length, why } = ask;
  return {
    label: ask.diff ? t('Show diff…') : t('Show details…'),
    // The line above shows the beginning only, and what is approved may stand at the end.
    ...(subject.length > ONE_LINE && {
      description: t('{0} characters, ending in: {1}', length, subject.slice(-TAIL).trimStart()),
    }),
    detail: why === '' ? t('No rule allows this') : t('Why asked: {0}', why),
    value: 'details',
  };
}

/** Characters of a command that the line of a quick pick can show. */
const ONE_LINE = 70;
const TAIL = 40;

/** Which pattern, and where it is kept: two steps, each only when there is a choice. */
async function pickAlways(
  surface: PermissionSurface,
  ask: PermissionAsk,
  signal: AbortSignal,
): Promise<AskOption | 'back' | undefined> {
  const groups = alwaysByRule(ask.options);
  for (;;) {
    const result = await pickPattern(surface, ask, groups, signal);
    if (result.kind !== 'picked') return result.kind === 'back' ? 'back' : undefined;
    const options = result.values[0];
    if (options === undefined) return undefined;
    if (options.length === 1) return options[0];
    const kept = await pickDestination(surface, ask, options, signal);
    if (kept.kind === 'picked') return kept.values[0];
    if (kept.kind === 'hidden') return undefined;
  }
}

function pickPattern(
  { window, t }: PermissionSurface,
  ask: PermissionAsk,
  groups: readonly (readonly [string, readonly AskOption[]])[],
  signal: AbortSignal,
): Promise<SafePickResult<readonly AskOption[]>> {
  const rows = groups.map(([label, options]): Row<readonly AskOption[]> => {
    const also = options[0]?.alsoMatches ?? [];
    return also.length === 0
      ? { label, value: options }
      : { label, detail: t('also matches {0}', also.join(' · ')), value: options };
  });
  const placeholder = t('What may run from now on without asking?');
  const steps = { step: 2, totalSteps: 3, back: true };
  return showSafePick(window, { title: ask.title, placeholder, rows, ...steps, signal });
}

function pickDestination(
  { window, t }: PermissionSurface,
  ask: PermissionAsk,
  options: readonly AskOption[],
  signal: AbortSignal,
): Promise<SafePickResult<AskOption>> {
  const labels = {
    session: t('In this session'),
    workspace: t('In this workspace (workspace settings)'),
    user: t('Everywhere (user settings)'),
  };
  const rows = options.map((value) => ({
    label: value.destination === undefined ? value.name : labels[value.destination],
    value,
  }));
  const placeholder = t('Where is the rule kept?');
  const steps = { step: 3, totalSteps: 3, back: true };
  return showSafePick(window, { title: ask.title, placeholder, rows, ...steps, signal });
}

/** Escape in the input box leaves the ask waiting, like hiding the pick. */
async function askReason(
  { window, t }: PermissionSurface,
  ask: PermissionAsk,
  signal: AbortSignal,
): Promise<AskAnswer | undefined> {
  const reason = await window.showInputBox({
    title: t('Deny: {0}', ask.title),
    placeHolder: t('For example: use the clean script instead'),
    prompt: t('Say why, or what to do instead. The agent reads it.'),
    ignoreFocusOut: true,
  });
  const option = denial(ask);
  if (reason === undefined || option === undefined || signal.aborted) return undefined;
  return { kind: 'option', optionId: option.optionId, ...(reason !== '' && { reason }) };
}

function denial(ask: PermissionAsk): AskOption | undefined {
  return ask.options.find(({ choice }) => choice === 'deny');
}

function withRule<Value>(row: Row<Value>, rule: string | undefined): Row<Value> {
  return rule === undefined ? row : { ...row, description: rule };
}

function single<Value>(result: SafePickResult<Value>): Value | undefined {
  return result.kind === 'picked' ? result.values[0] : undefined;
}
