import type { PermissionWhy } from '../../acp/gatehouse/permission.ts';
import { toCodeSpan, toTargetSpan } from '../../base/codeSpan.ts';
import { toVisible } from '../../base/text/visibleText.ts';
import type { ToolLocation } from '../../webview/messages/chatState.ts';
import { toRuleText } from './ruleText.ts';

/** The host's explanation and the location of its rule, or only the rule without an explanation. */
export function toWhyText(why: PermissionWhy | undefined): string {
  if (why === undefined) return '';
  const { reason, rule, origin } = why;
  const sentence =
    reason ?? (rule === undefined ? '' : `The rule is ${toCodeSpan(toRuleText(rule))}.`);
  // The user settings of a remote window are on the user's machine, not at the path that is known here.
  const source =
    origin?.file === undefined || origin.layer === 'user'
      ? SOURCES[origin?.layer ?? '']
      : `The rule is in ${toTargetSpan(origin.file)}.`;
  if (rule === undefined || source === undefined) return toVisible(sentence).text;
  return toVisible(`${sentence} ${source}`).text;
}

/** Labels for the origins of rules whose file is not named. */
const SOURCES: Readonly<Record<string, string>> = {
  default: 'The rule is shipped with Gatehouse.',
  user: 'The rule is in your user settings.',
  workspace: 'The rule is in workspace settings.',
  folder: 'The rule is in folder settings.',
  manifest: "The rule is in the agent's manifest.",
  session: 'The rule was made in this session.',
};

/** Replaces quoted paths in the explanation by their display form. */
export function withLabels(sentence: string, locations: readonly ToolLocation[]): string {
  return locations.reduce(
    (text, { path, label }) =>
      text.replaceAll(toVisible(toTargetSpan(path)).text, toTargetSpan(label)),
    sentence,
  );
}
