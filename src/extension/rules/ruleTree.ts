import type { ListedRule, RulesPage } from '../../acp/gatehouse/rules.ts';
import { toVisible } from '../../base/text/visibleText.ts';
import type { RuleReference } from '../../webview/messages/asks.ts';
import { ageText } from '../text/ageText.ts';
import { toReference } from '../text/ruleText.ts';
import type { Translate } from '../text/translate.ts';
import { isRemovable } from './removeRule.ts';

/** A node of the Permissions view. */
export type RuleNode = ListedGroup | RuleItem | MoreRules;

/** The rules with one permission. */
export interface ListedGroup {
  readonly kind: 'group';
  readonly permission: string;
  readonly label: string;
  readonly count: number;
}

export interface RuleItem {
  readonly kind: 'rule';
  readonly label: string;
  /** The text beside the label: action, hits and last use, and where it is from. */
  readonly description: string;
  readonly icon: 'check' | 'question' | 'circle-slash' | 'clock' | 'warning';
  readonly tooltip: string;
  /** What a screen reader says. */
  readonly spoken: string;
  readonly reference: RuleReference;
  readonly removable: boolean;
}

/** Stands for the rules of a group that aren't loaded. */
export interface MoreRules {
  readonly kind: 'more';
  readonly permission: string;
  readonly label: string;
}

export function toGroups(
  { permissions }: Pick<RulesPage, 'permissions'>,
  t: Translate,
): readonly ListedGroup[] {
  return permissions.map(({ permission, count }) => ({
    ...{ kind: 'group', permission, count },
    label: toGroupLabel(permission, t),
  }));
}

function toGroupLabel(permission: string, t: Translate): string {
  if (permission === '*') return t('All tools (*)');
  const exact = /^call:(.+)$/.exec(permission)?.[1];
  const { text } = toVisible(exact ?? permission);
  return exact === undefined ? text : t('{0}, exact calls', text);
}

/** The rules of a group in their order, and how many are left. */
export function toItems(
  { rules, total }: Pick<RulesPage, 'rules' | 'total'>,
  permission: string,
  now: number,
  t: Translate,
): readonly (RuleItem | MoreRules)[] {
  const items = rules.map((rule) => toItem(rule, now, t));
  const left = total - rules.length;
  if (left <= 0) return items;
  return [...items, { kind: 'more', permission, label: t('Show More ({0} left)', left) }];
}

function toItem(rule: ListedRule, now: number, t: Translate): RuleItem {
  const label = toVisible(rule.pattern.replaceAll('\n', ' ⏎ ')).text;
  const action = toActionText(rule, t);
  const from = toSourceText(rule, t);
  const used = toUseText(rule, now, t);
  // The user settings of a remote window are on the user's machine, not at the path that is known here.
  const file = rule.origin?.layer === 'user' ? undefined : rule.origin?.file;
  const state = toStateText(rule, t);
  const reference = toReference({ ...rule, origin: rule.origin ?? { layer: rule.source } });
  return {
    kind: 'rule',
    label,
    // The side bar is narrow, so what is short comes first.
    description: [action, used, from].join(' · '),
    icon: toIcon(rule),
    tooltip: [
      `${rule.action} ${toVisible(rule.permission).text} ${label}`,
      file === undefined ? from : `${from}: ${toVisible(file).text}`,
      used,
      ...(state === undefined ? [] : [state]),
    ].join('\n'),
    spoken: [
      action,
      rule.permission,
      label,
      used,
      from,
      ...(state === undefined ? [] : [state]),
    ].join(', '),
    reference,
    // The row of a broken rule does not show what its file says, so the rule can only be corrected in the file.
    removable: rule.state !== 'broken' && isRemovable(reference),
  };
}

function toActionText({ action, state }: ListedRule, t: Translate): string {
  if (state === 'waiting') return t('waits for you to accept it');
  if (state === 'broken') return t('broken');
  return { allow: t('allow'), ask: t('ask'), deny: t('deny') }[action];
}

function toStateText({ state, problem }: ListedRule, t: Translate): string | undefined {
  if (state === 'waiting') {
    return t('It comes from the workspace and has no effect until you accept it.');
  }
  if (state === undefined) return undefined;
  const effect = t('It turns an allow that it may match into an ask.');
  return problem === undefined ? effect : `${toVisible(problem).text} ${effect}`;
}

function toSourceText({ origin, source }: ListedRule, t: Translate): string {
  const layer = origin?.layer ?? source;
  const names: Readonly<Record<string, string>> = {
    default: t('shipped'),
    user: t('user settings'),
    workspace: t('workspace settings'),
    folder: t('folder settings'),
    manifest: t('agent'),
    session: t('this session'),
  };
  return names[layer] ?? layer;
}

function toUseText({ hits, lastUsed }: ListedRule, now: number, t: Translate): string {
  if (hits === 0) return t('never used');
  const count = hits === 1 ? t('1 hit') : t('{0} hits', hits);
  return lastUsed === undefined ? count : `${count}, ${ageText(now - lastUsed, t)}`;
}

function toIcon({ state, action }: ListedRule): RuleItem['icon'] {
  if (state === 'waiting') return 'clock';
  if (state === 'broken') return 'warning';
  return ({ allow: 'check', ask: 'question', deny: 'circle-slash' } as const)[action];
}
