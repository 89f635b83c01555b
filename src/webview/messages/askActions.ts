import type { AskOption, PermissionAsk } from './asks.ts';
import type { StringKey } from './stringKeys.ts';

/**
 * One answer that the user can give to a permission request. Every surface lists the same answers
 * in the same order and with the same labels. `needs` is the additional input that the answer
 * requires.
 */
export type AskAction = AnswerAction | ReasonAction | RuleAction;

interface BaseAction {
  /** Unique in the list. */
  readonly id: string;
  readonly label: StringKey;
  readonly kind: 'approve' | 'reject';
}

/** Answers immediately. */
export interface AnswerAction extends BaseAction {
  readonly needs: 'nothing';
  readonly optionId: string;
  /** The rule that the answer adds. */
  readonly rule?: string;
  /** The card's primary button. */
  readonly primary?: true;
  /** Only approve and reject have key bindings; answers that add a rule have none. */
  readonly shortcut?: 'approve' | 'reject';
}

/** Answers with a reason that the user enters. */
export interface ReasonAction extends BaseAction {
  readonly needs: 'reason';
  readonly optionId: string;
}

/** Answers with one of several rules, saved to one of several destinations. */
export interface RuleAction extends BaseAction {
  readonly needs: 'rule';
  readonly rules: readonly OfferedRule[];
}

export interface OfferedRule {
  /** The rule in one line, or the option's name if the agent sends no rule. */
  readonly rule: string;
  /** Past calls that the rule would also have matched. */
  readonly alsoMatches: readonly string[];
  /** From narrow to wide, in the host's order. */
  readonly destinations: readonly RuleDestination[];
}

export interface RuleDestination {
  readonly optionId: string;
  /** The option's name from the agent, used if there is no label. */
  readonly name: string;
  readonly label?: StringKey;
  /** A longer label that names the settings the rule is saved to. */
  readonly longLabel?: StringKey;
}

/**
 * The possible answers to a permission request. Only options that the agent offers are included.
 */
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

/** Each offered rule once, with the destinations it can be saved to. */
function offeredRules(options: readonly AskOption[]): readonly OfferedRule[] {
  // A session option without a rule approves everything for the session; it has its own button.
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
