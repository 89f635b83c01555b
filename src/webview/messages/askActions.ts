import type {
  AskCoverage,
  AskEdit,
  AskOption,
  AskPart,
  AskRisk,
  ChosenRule,
  PartRules,
  PermissionAsk,
} from './asks.ts';
import type { ChatState } from './chatState.ts';
import type { StringKey } from './stringKeys.ts';

/**
 * One answer that the user can give to a permission request. Every surface lists the same answers
 * in the same order and with the same labels. `needs` is the additional input that the answer
 * requires.
 */
export type AskAction = AnswerAction | ReasonAction | RuleAction | EditAction;

interface BaseAction {
  /** Unique in the list. */
  readonly id: string;
  readonly label: StringKey;
  /** The value of the label's placeholder. */
  readonly value?: string;
  readonly kind: 'approve' | 'reject';
  /** The card's button that leads to it: *Allow*, *Deny…*, *More*, or one of its own. */
  readonly button: 'allow' | 'deny' | 'more' | 'own';
}

/** Answers immediately. */
export interface AnswerAction extends BaseAction {
  readonly needs: 'nothing';
  readonly optionId: string;
  /** The rule that the answer adds. */
  readonly rule?: string;
  /** The answer also starts the work that a plan describes. */
  readonly build?: true;
  /** Only approve and reject have key bindings; answers that add a rule have none. */
  readonly shortcut?: 'approve' | 'reject';
}

/** Answers with a reason that the user enters. */
export interface ReasonAction extends BaseAction {
  readonly needs: 'reason';
  readonly optionId: string;
}

/** Answers with rules that the user chooses, saved to one of several destinations. */
export interface RuleAction extends BaseAction {
  readonly needs: 'rule';
  /** The rules of each part. With several parts, the user may choose rules of any of them. */
  readonly parts: readonly PartRules[];
  /** From narrow to wide, in the host's order. */
  readonly destinations: readonly RuleDestination[];
}

/** Answers with arguments that the user edits. */
export interface EditAction extends BaseAction {
  readonly needs: 'edit';
  readonly optionId: string;
  /** Absent for a proposal, which is edited in its diff. */
  readonly edit?: AskEdit;
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
export function askActions(ask: AskChoices): readonly AskAction[] {
  const { options } = ask;
  const once = options.find(({ kind, outside }) => kind === 'allow_once' && !outside);
  const session = options.find((each) => each.kind === 'allow_always' && isForSession(each));
  const never = options.find((each) => each.kind === 'reject_always' && isForSession(each));
  const outside = options.find((each) => each.outside);
  const reject = options.find(({ kind }) => kind === 'reject_once');
  return [
    ...(once ? [allowOnce(once, ask)] : []),
    ...(once && isPlan(ask) ? [approveAndBuild(once)] : []),
    ...(session ? [allowSession(session)] : []),
    ...toRuleActions('allow_always', ask),
    ...(once && (ask.edit !== undefined || ask.diff) ? [edit(once, ask)] : []),
    ...(never ? [denySession(never)] : []),
    ...toRuleActions('reject_always', ask),
    ...(reject ? [deny(reject), denyWithReason(reject)] : []),
    ...(outside ? [runOutside(outside)] : []),
  ];
}

/** How the current request of a session is denied with a reason. Enter never does it. */
export function findDenial({ asks, request }: Pick<ChatState, 'asks' | 'request'>) {
  const ask = asks.find(({ id }) => id === request?.askId);
  if (ask?.kind !== 'permission') return undefined;
  const action = askActions(ask).find(({ needs }) => needs === 'reason');
  return action?.needs === 'reason' ? { askId: ask.id, optionId: action.optionId } : undefined;
}

/** The part of a request that its answers depend on. */
export type AskChoices = Pick<PermissionAsk, 'options' | 'offers' | 'edit' | 'diff'> &
  Partial<Pick<PermissionAsk, 'diffs' | 'toolKind'>>;

/** Whether the request is about a plan, which the next message of the user carries out. */
export function isPlan({ toolKind, diffs = [] }: Pick<AskChoices, 'diffs' | 'toolKind'>): boolean {
  return toolKind === 'switch_mode' && diffs.some(({ document }) => document);
}

/** The parts that an answer is about: not those of which the user leaves everything out. */
export function findSelectedParts({
  parts,
  entries = [],
  diffs,
}: Pick<PermissionAsk, 'parts' | 'entries' | 'diffs'>): readonly AskPart[] {
  const shown = new Set(diffs.map(({ label }) => label));
  const isLeftOut = ({ text }: AskPart) => {
    const own = entries.filter(({ part }) => part === text);
    return own.length > 0 && !shown.has(text) && own.every(({ kept }) => !kept);
  };
  return parts.filter((part) => !isLeftOut(part));
}

/** The parts of a call that deserve a second look. Such a request has no primary button. */
export function findRisks({
  parts,
}: Pick<PermissionAsk, 'parts'>): readonly { readonly text: string; readonly risk: AskRisk }[] {
  return parts.flatMap(({ text, risk }) => (risk === undefined ? [] : [{ text, risk }]));
}

/** Whether the request deserves a second look, so that no answer to it is suggested. */
export function isRisky(ask: Pick<PermissionAsk, 'parts' | 'suspicious'>): boolean {
  return ask.suspicious || findRisks(ask).length > 0;
}

export const RISK_LABELS: Readonly<Record<AskRisk, StringKey>> = {
  watchdog: 'riskWatchdog',
  destructive: 'riskDestructive',
  network: 'riskNetwork',
  protected: 'riskProtected',
  outside: 'riskOutside',
  unclear: 'riskUnclear',
};

function allowOnce({ optionId }: AskOption, ask: AskChoices): AnswerAction {
  const label = isPlan(ask) ? 'approvePlan' : 'allowOnce';
  return {
    ...{ id: 'allowOnce', label, kind: 'approve', needs: 'nothing', optionId },
    ...{ button: 'allow', shortcut: 'approve' },
  };
}

function allowSession({ optionId, rule, covers, destination }: AskOption): AnswerAction {
  const label = covers === undefined ? 'allowSession' : COVERAGE[covers.kind];
  const named = covers?.kind === 'edits' && covers.name !== undefined;
  return {
    ...{ id: 'allowSession', label: named ? 'sessionEditsIn' : label, kind: 'approve' },
    ...{ button: 'more', needs: 'nothing', optionId },
    ...(covers?.name !== undefined && { value: covers.name }),
    ...(rule !== undefined && destination !== undefined && { rule }),
  };
}

const COVERAGE = {
  command: 'sessionCommand',
  commands: 'sessionCommands',
  edits: 'sessionEdits',
  file: 'sessionFile',
  files: 'sessionFiles',
  folder: 'sessionFolder',
  host: 'sessionHost',
  tool: 'sessionTool',
  rules: 'sessionHost',
  call: 'sessionCall',
  exact: 'sessionExact',
} as const satisfies Readonly<Record<AskCoverage['kind'], StringKey>>;

/** An option whose coverage is fixed, or one without a rule, which covers the whole session. */
function isForSession({ kind, destination, covers, rule }: AskOption): boolean {
  if (destination !== 'session') return false;
  return covers !== undefined || (rule === undefined && kind === 'allow_always');
}

function denySession({ optionId, rule }: AskOption): AnswerAction {
  return {
    ...{ id: 'denySession', label: 'denySession', kind: 'reject', needs: 'nothing', optionId },
    ...{ button: 'more', ...(rule !== undefined && { rule }) },
  };
}

function edit({ optionId }: AskOption, ask: AskChoices): EditAction {
  return {
    ...{ id: 'edit', label: 'edit', kind: 'approve', button: 'more', needs: 'edit', optionId },
    ...(ask.edit !== undefined && { edit: ask.edit }),
  };
}

function deny({ optionId }: AskOption): AnswerAction {
  return {
    ...{ id: 'deny', label: 'deny', kind: 'reject', needs: 'nothing', optionId },
    ...{ button: 'deny', shortcut: 'reject' },
  };
}

function denyWithReason({ optionId }: AskOption): ReasonAction {
  return {
    ...{ id: 'denyWithReason', label: 'denyWithReason', kind: 'reject', needs: 'reason' },
    ...{ button: 'deny', optionId },
  };
}

function runOutside({ optionId }: AskOption): AnswerAction {
  return {
    ...{ id: 'runOutside', label: 'runWithoutSandbox', kind: 'approve', needs: 'nothing' },
    ...{ button: 'own', optionId },
  };
}

function approveAndBuild({ optionId }: AskOption): AnswerAction {
  return {
    ...{ id: 'approveAndBuild', label: 'approveAndBuild', kind: 'approve', needs: 'nothing' },
    ...{ button: 'own', optionId, build: true },
  };
}

/** What the answer carries besides its option. */
export function toExtras({ build }: AnswerAction): { readonly build?: true } {
  return build ? { build } : {};
}

/** An agent that offers no rules by part has one action; each of its options names its own rule. */
function toRuleActions(
  kind: 'allow_always' | 'reject_always',
  { options, offers }: AskChoices,
): readonly RuleAction[] {
  const own = options.filter((option) => option.kind === kind && !isForSession(option));
  if (own.length === 0) return [];
  const allows = kind === 'allow_always';
  return [
    {
      id: allows ? 'allowAlways' : 'denyAlways',
      label: allows ? 'allowAlways' : 'denyAlways',
      kind: allows ? 'approve' : 'reject',
      button: 'more',
      needs: 'rule',
      parts: allows ? offers.allow : offers.deny,
      destinations: own.map(toDestination),
    },
  ];
}

const DESTINATIONS = {
  session: { label: 'inSession', longLabel: 'keptInSession' },
  workspace: { label: 'inWorkspace', longLabel: 'keptInWorkspace' },
  user: { label: 'everywhere', longLabel: 'keptForUser' },
} as const;

function toDestination({ optionId, name, destination }: AskOption): RuleDestination {
  return { optionId, name, ...(destination !== undefined && DESTINATIONS[destination]) };
}

/** Whether every rule is offered by the request for an option of this kind. */
export function areOffered(
  rules: readonly ChosenRule[],
  kind: AskOption['kind'],
  { offers }: Pick<PermissionAsk, 'offers'>,
): boolean {
  const parts = kind === 'allow_always' ? offers.allow : offers.deny;
  const known = parts.flatMap((part) => part.rules.map(({ rule }) => rule));
  return rules.every((rule) => known.some((each) => isSameRule(each, rule)));
}

function isSameRule(a: ChosenRule, b: ChosenRule): boolean {
  return a.permission === b.permission && a.pattern === b.pattern && a.action === b.action;
}
