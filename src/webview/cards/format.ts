import type { IconName } from '../controls/icons.ts';
import type { AskPart, PermissionAsk } from '../messages/asks.ts';
import {
  type ChatCommand,
  type ErrorItem,
  IN_BACKGROUND,
  type ToolItem,
  type ToolStatus,
} from '../messages/chatState.ts';
import type { StringKey } from '../messages/stringKeys.ts';

const ICONS: Readonly<Record<ToolItem['toolKind'], IconName>> = {
  read: 'file',
  edit: 'edit',
  delete: 'trash',
  move: 'arrow-right',
  search: 'search',
  execute: 'terminal',
  think: 'lightbulb',
  fetch: 'globe',
  switch_mode: 'arrow-swap',
  other: 'tools',
};

export function kindIcon(kind: ToolItem['toolKind']): IconName {
  return ICONS[kind] ?? 'tools';
}

/** Where the programs of a call run. */
export const ISOLATION_LABELS: Readonly<Record<NonNullable<ToolItem['isolation']>, StringKey>> = {
  copy: 'isolationCopy',
  confined: 'isolationConfined',
  unconfined: 'isolationNone',
};

interface StatusLabel {
  readonly icon: IconName;
  readonly label: StringKey;
  /** The value of the label's placeholder. */
  readonly value?: string;
}

const STATUS: Readonly<Record<ToolStatus, StatusLabel>> = {
  pending: { icon: 'clock', label: 'statusPending' },
  in_progress: { icon: 'loading', label: 'statusRunning' },
  completed: { icon: 'check', label: 'statusCompleted' },
  failed: { icon: 'error', label: 'statusFailed' },
  denied: { icon: 'circle-slash', label: 'statusDenied' },
  aborted: { icon: 'circle-slash', label: 'statusAborted' },
};

/** The status at the end of a card's line, including an exit code or a signal. */
export function toStatusLabel({ status, ended }: Pick<ToolItem, 'status' | 'ended'>): StatusLabel {
  if (status !== 'completed' || ended === undefined) return STATUS[status] ?? STATUS.pending;
  if (ended === IN_BACKGROUND) return { icon: 'server-process', label: 'statusBackground' };
  if (typeof ended === 'string') {
    return { icon: 'warning', label: 'statusSignal', value: ended };
  }
  return { icon: ended === 0 ? 'check' : 'warning', label: 'statusExit', value: String(ended) };
}

const WHY: Readonly<Record<string, StringKey>> = {
  'rate-limited': 'retryRateLimited',
  'server-error': 'retryServerError',
};

/** Why the model is asked again. */
export function toWhy(kind: string): StringKey {
  return WHY[kind] ?? 'retryOther';
}

/** Whole seconds until a time; 0 once it has come. */
export function toSeconds(at: number, now: number): number {
  return Math.max(0, Math.ceil((at - now) / 1000));
}

/** A duration as a card's line shows it: `0.3 s`, `12 s`, `3 min 5 s`, `1 h 2 min`. */
export function toDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (ms < 9_950) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Milliseconds after which a running call opens. One that ends at once would only flicker. */
const OPENS_AFTER = 1_000;

/** Whether a card is expanded by default. `ranMs`: how long it has run. */
export function opensByItself(
  item: ToolItem,
  expand: 'failed' | 'all' | 'none',
  ranMs = 0,
): boolean {
  if (expand === 'all') return true;
  if (expand === 'none') return false;
  const { status, output } = item;
  if (status === 'in_progress' && output !== '' && ranMs >= OPENS_AFTER) return true;
  // What a command had printed when it was stopped may be why.
  if (status === 'aborted' && output !== '') return true;
  const bad = item.ended !== undefined && item.ended !== IN_BACKGROUND && item.ended !== 0;
  // While a request waits, its card shows the changes.
  const changes = item.diffs.length > 0 && item.status !== 'pending';
  return item.status === 'failed' || item.status === 'denied' || bad || changes;
}

/** Whether the card offers to stop its command, without the turn. */
export function isStoppable({ status, ended, terminals }: ToolItem): boolean {
  return terminals.length > 0 && (status === 'in_progress' || ended === IN_BACKGROUND);
}

/** Whether the card has to show what the user was asked: until then, the request does. */
export function isAnswered({ questions, status }: ToolItem): boolean {
  return questions !== undefined && (status === 'completed' || status === 'failed');
}

/** Whether it may go on after its call. What it changes in a copy is reviewed when the call ends. */
export function isDetachable({ status, terminals, isolation }: ToolItem): boolean {
  return terminals.length > 0 && status === 'in_progress' && isolation !== 'copy';
}

export type ErrorAction = ChatCommand | 'retry' | 'continue';

/** The buttons of an error card. The first helps most, and is the primary one. */
export function toErrorActions(item: ErrorItem): readonly ErrorAction[] {
  const { helps, retry, continues, commands } = item;
  const again: readonly ErrorAction[] = [
    ...(retry ? (['retry'] as const) : []),
    ...(continues ? (['continue'] as const) : []),
  ];
  const others = commands.filter((command) => command !== helps);
  return helps === undefined ? [...again, ...others] : [helps, ...again, ...others];
}

/** Completed and total entries of a plan, such as `3/7`. */
export function planProgress(plan: readonly { readonly status: string }[]): string {
  return `${plan.filter(({ status }) => status === 'completed').length}/${plan.length}`;
}

/** The end of a long text, which is shown in addition to the scrollable text. */
export function getTail(text: string): string | undefined {
  const lines = text.split('\n').length;
  return text.length > 600 || lines > 12 ? text.slice(-120) : undefined;
}

/** The parts of a call to list. A file whose diff is shown is named there, unless a part says more. */
export function listedParts({
  parts,
  diffs,
  why,
}: Pick<PermissionAsk, 'parts' | 'diffs' | 'why'>): readonly AskPart[] {
  if (parts.length < 2) return [];
  const shown = new Set(diffs.map(({ label }) => label));
  const asking = parts.filter(({ text, decision }) => decision === 'ask' && shown.has(text));
  // "No rule covers `a`." and "No rule covers `b`." are one reason.
  const reasons = new Set(asking.map(({ text, reason = why }) => reason.replaceAll(text, '')));
  const saysMore = ({ text, decision, reason = why, risk }: AskPart) =>
    !shown.has(text) ||
    risk !== undefined ||
    (decision !== 'allow' && reasons.size > 1 && reason !== why);
  return parts.filter((part) => part.decision === 'deny' || saysMore(part));
}

/** What VS Code passes to the commands of a card's context menu. */
export function toCallContext(toolCallId: string): string {
  return JSON.stringify({ webviewSection: 'call', toolCallId });
}
