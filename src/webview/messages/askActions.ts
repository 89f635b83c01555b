import type { AskOption, PermissionAsk } from './asks.ts';
import type { StringKey } from './stringKeys.ts';

/**
 * One answer that the user can give to a permission request. Every surface lists the same ones, in
 * this order and with these labels; `needs` says what the user has to add before it is sent.
 */
export type AskAction = AnswerAction | ReasonAction | RuleAction;

interface BaseAction {
  /** Unique in the list. */
  readonly id: string;
  readonly label: StringKey;
  readonly kind: 'approve' | 'reject';
}

/** Answers at once. */
export interface AnswerAction extends BaseAction {
  readonly needs: 'nothing';
  readonly optionId: string;
  /** The rule that the answer adds. */
  readonly rule?: string;
  /** The first button of a card, and the only one that stands out. */
  readonly primary?: true;
  /** Approve and reject have a key each; nothing that adds a rule has one. */
  readonly shortcut?: 'approve' | 'reject';
}

/** Answers with a sentence of the user. */
export interface ReasonAction extends BaseAction {
  readonly needs: 'reason';
  readonly optionId: string;
}

/** Answers with one of several rules, kept in one of several destinations. */
export interface RuleAction extends BaseAction {
  readonly needs: 'rule';
  readonly rules: readonly OfferedRule[];
}

export interface OfferedRule {
  /** The rule in one line; the name of its option where the agent names none. */
  readonly rule: string;
  /** Calls of the past that the rule would have matched too. */
  readonly alsoMatches: readonly string[];
  /** Narrow to wide, as the host sent them. */
  readonly destinations: readonly RuleDestination[];
}

export interface RuleDestination {
  readonly optionId: string;
  /** The agent's own words, for a destination without a label. */
  readonly name: string;
  readonly label?: StringKey;
  /** The same where there is room to say in which file the rule is kept. */
  readonly longLabel?: StringKey;
}

/** The answers to a permission request. What the agent does not offer is not in the list. */
export function askActions({ options }: Pick<PermissionAsk, 'options'>): readonly AskAction[] {
  const once = options.find(({ kind }) => kind === 'allow_once');
  const session = options.find(isSessionRule);
  const always = options.some((option) => option.kind === 'allow_always' && !isSessionRule(option));
  const reject = options.find(({ kind }) => kind === 'reject_once');
  return [
    ...(once ? [allowOnce(once)] : []),
    ...(session ? [allowSession(session)] : []),
    ...(always ? [allowAlways(options)] : []),
    ...(reject ? [deny(reject), denyWithReason(reject)] : []),
  ];
}

function allowOnce({ optionId }: AskOption): AnswerAction {
  return {
    ...{ id: 'allowOnce', label: 'allowOnce', kind: 'approve', needs: 'nothing', optionId },
    ...{ primary: true, shortcut: 'approve' },
  };
}

function allowSession({ optionId, rule }: AskOption): AnswerAction {
  return {
    ...{ id: 'allowSession', label: 'allowSession', kind: 'approve', needs: 'nothing', optionId },
    ...(rule !== undefined && { rule }),
  };
}

function allowAlways(options: readonly AskOption[]): RuleAction {
  const rules = offeredRules(options);
  return { id: 'allowAlways', label: 'allowAlways', kind: 'approve', needs: 'rule', rules };
}

function deny({ optionId }: AskOption): AnswerAction {
  return {
    ...{ id: 'deny', label: 'deny', kind: 'reject', needs: 'nothing', optionId },
    shortcut: 'reject',
  };
}

function denyWithReason({ optionId }: AskOption): ReasonAction {
  return {
    ...{ id: 'denyWithReason', label: 'denyWithReason', kind: 'reject', needs: 'reason' },
    optionId,
  };
}

function isSessionRule({ kind, destination }: AskOption): boolean {
  return kind === 'allow_always' && destination === 'session';
}

/** Each rule once, with the destinations it can be kept in. */
function offeredRules(options: readonly AskOption[]): readonly OfferedRule[] {
  // A session rule that is not named is the session's blanket approval, which has its own button.
  const offered = options.filter(
    (option) =>
      option.kind === 'allow_always' && (!isSessionRule(option) || option.rule !== undefined),
  );
  const groups = Map.groupBy(offered, ({ rule, name }) => rule ?? name);
  return [...groups].map(([rule, same]) => ({
    rule,
    alsoMatches: same[0]?.alsoMatches ?? [],
    destinations: same.map(toDestination),
  }));
}

const DESTINATIONS = {
  session: { label: 'inSession', longLabel: 'keptInSession' },
  workspace: { label: 'inWorkspace', longLabel: 'keptInWorkspace' },
  user: { label: 'everywhere', longLabel: 'keptForUser' },
} as const;

function toDestination({ optionId, name, destination }: AskOption): RuleDestination {
  return { optionId, name, ...(destination !== undefined && DESTINATIONS[destination]) };
}
