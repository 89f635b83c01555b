import { fill } from '../../base/fill.ts';
import type { RuleAction, RuleDestination } from '../../webview/messages/askActions.ts';
import type { AskAnswer, OfferedRule, PermissionAsk } from '../../webview/messages/asks.ts';
import type { Translate } from '../text/translate.ts';
import { webviewStrings } from '../text/webviewStrings.ts';
import { type PickRow, type PickWindow, type SafePickResult, showSafePick } from './safePick.ts';

export interface RulePickParts {
  readonly window: PickWindow;
  readonly t: Translate;
}

/**
 * Asks for the rules, then where to save them. Undefined if the user hid the quick pick; the request is
 * still pending. A step with nothing to choose is skipped.
 */
export async function pickRule(
  parts: RulePickParts,
  ask: PermissionAsk,
  action: RuleAction,
  signal: AbortSignal,
): Promise<AskAnswer | 'back' | undefined> {
  for (;;) {
    const rules = await pickRules(parts, ask, action, signal);
    if (rules.kind !== 'picked') return rules.kind === 'back' ? 'back' : undefined;
    const kept = await pickDestination(parts, ask, action.destinations, signal);
    if (kept.kind === 'picked') return toAnswer(kept.values[0], rules.values);
    if (kept.kind === 'hidden' || action.parts.length === 0) {
      return kept.kind === 'back' ? 'back' : undefined;
    }
  }
}

function toAnswer(
  destination: RuleDestination | undefined,
  rules: readonly OfferedRule[],
): AskAnswer | undefined {
  if (destination === undefined) return undefined;
  const chosen = rules.map(({ rule }) => rule);
  return {
    ...{ kind: 'option', optionId: destination.optionId },
    ...(chosen.length > 0 && { rules: chosen }),
  };
}

/** One rule of a single part; of several parts, any rules. */
function pickRules(
  { window, t }: RulePickParts,
  ask: PermissionAsk,
  { parts, kind }: RuleAction,
  signal: AbortSignal,
): Promise<SafePickResult<OfferedRule>> {
  if (parts.length === 0) return Promise.resolve({ kind: 'picked', values: [] });
  const { alsoMatches, alsoDenies, chooseRules } = webviewStrings(t);
  const also = kind === 'approve' ? alsoMatches : alsoDenies;
  const rows = parts.flatMap(({ part, rules }) =>
    rules.map((value): PickRow<OfferedRule> => {
      const named = parts.length > 1 ? { description: part } : {};
      const row = { label: value.text, value, ...named };
      if (value.alsoMatches.length === 0) return row;
      return { ...row, detail: fill(also, value.alsoMatches.join(' · ')) };
    }),
  );
  return showSafePick(window, {
    ...{ title: ask.title, placeholder: chooseRules, rows, signal, openedBy: 'user' },
    ...{ step: 1, totalSteps: 2, back: true, multiple: parts.length > 1 },
  });
}

function pickDestination(
  { window, t }: RulePickParts,
  ask: PermissionAsk,
  destinations: readonly RuleDestination[],
  signal: AbortSignal,
): Promise<SafePickResult<RuleDestination>> {
  const strings = webviewStrings(t);
  const rows = destinations.map((value) => ({
    label: value.longLabel === undefined ? value.name : strings[value.longLabel],
    value,
  }));
  return showSafePick(window, {
    ...{ title: ask.title, placeholder: strings.saveWhere, rows, signal, openedBy: 'user' },
    ...{ step: 2, totalSteps: 2, back: true },
  });
}
