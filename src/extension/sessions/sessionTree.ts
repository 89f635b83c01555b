import { toVisible } from '../../base/text/visibleText.ts';
import { ageText } from '../text/ageText.ts';
import { toPlainLine } from '../text/plainMarkdown.ts';
import type { Translate } from '../text/translate.ts';

/** What a session does, as far as its row shows it. */
export type RowState =
  | 'idle'
  | 'unread'
  | 'busy'
  | 'waiting_permission'
  | 'waiting_question'
  | 'retrying';

/** A session as the view lists it. */
export interface SessionRow {
  readonly id: string;
  readonly title: string;
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly state: RowState;
  readonly pinned: boolean;
  readonly archived: boolean;
  /** It was copied from another session, whose title it has. */
  readonly forked?: true;
  /** The model's name, if the session is open in this window. */
  readonly model?: string;
}

/** A node of the Sessions view. */
export type SessionNode = SessionGroup | SessionItem | MoreSessions;

const GROUPS = ['pinned', 'today', 'yesterday', 'week', 'older', 'archived'] as const;
type GroupId = (typeof GROUPS)[number];

export interface SessionGroup {
  readonly kind: 'group';
  readonly id: GroupId;
  readonly label: string;
  readonly items: readonly SessionItem[];
}

export interface SessionItem {
  readonly kind: 'session';
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly icon: SessionIcon;
  readonly tooltip: string;
  /** What a screen reader says. */
  readonly spoken: string;
  /** The words that conditions of menus look for, such as `session pinned`. */
  readonly context: string;
  readonly entry: SessionRow;
}

/** Stands for the sessions that aren't loaded. */
export interface MoreSessions {
  readonly kind: 'more';
  readonly label: string;
}

export interface SessionIcon {
  readonly name: string;
  /** A color of the theme. */
  readonly color?: string;
}

export interface TreeParts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly t: Translate;
  /** The open folders. With more than one, rows say in which a session runs. */
  readonly folders: readonly string[];
  /** The display form of a path. */
  label(path: string): string;
}

/** The groups of sessions that have any, each newest first. */
export function toGroups(
  entries: readonly SessionRow[],
  parts: TreeParts,
): readonly SessionGroup[] {
  const newest = [...entries].sort(
    (a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0),
  );
  return GROUPS.flatMap((id) => {
    const items = newest
      .filter((entry) => findGroup(entry, parts.now) === id)
      .map((entry) => toItem(entry, parts));
    return items.length === 0
      ? []
      : [{ kind: 'group' as const, id, label: toGroupLabel(id, parts.t), items }];
  });
}

/** A day is one of the user's calendar. A time to come, of a clock that was set back, is today. */
function findGroup({ archived, pinned, updatedAt }: SessionRow, now: number): GroupId {
  if (archived) return 'archived';
  if (pinned) return 'pinned';
  if (updatedAt >= startOfDay(now, 0)) return 'today';
  if (updatedAt >= startOfDay(now, 1)) return 'yesterday';
  return updatedAt >= startOfDay(now, 7) ? 'week' : 'older';
}

/** When the day began, some days ago. Days differ in length where clocks are changed. */
function startOfDay(now: number, daysAgo: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysAgo).getTime();
}

function toGroupLabel(id: GroupId, t: Translate): string {
  return {
    pinned: t('Pinned'),
    today: t('Today'),
    yesterday: t('Yesterday'),
    week: t('Last 7 Days'),
    older: t('Older'),
    archived: t('Archived'),
  }[id];
}

function toItem(entry: SessionRow, { now, t, folders, label }: TreeParts): SessionItem {
  const { id, pinned, archived, state, model, forked } = entry;
  const title = toTitle(entry, t);
  const age = ageText(Math.max(0, now - entry.updatedAt), t);
  const folder = toVisible(label(entry.cwd)).text;
  const doing = toStateText(state, t);
  const marks = [...(pinned ? [t('pinned')] : []), ...(archived ? [t('archived')] : [])];
  const kinds = [...(doing === undefined ? [] : [doing]), ...(forked ? [t('fork')] : [])];
  const short = [...kinds, age];
  return {
    ...{ kind: 'session', id, label: title, icon: toIcon(state), entry },
    description: [...short, ...(folders.length > 1 ? [folder] : [])].join(' · '),
    tooltip: [
      title,
      [...kinds, ...marks, age].join(' · '),
      t('Folder: {0}', toVisible(entry.cwd).text),
      ...(model === undefined ? [] : [t('Model: {0}', toVisible(model).text)]),
    ].join('\n'),
    spoken: [title, ...short, ...marks].join(', '),
    context: [
      'session',
      pinned ? 'pinned' : 'unpinned',
      archived ? 'archived' : 'listed',
      state === 'idle' || state === 'unread' ? 'still' : 'working',
    ].join(' '),
  };
}

/** The session's title in one line, with hidden characters made visible. */
export function toTitle({ title }: Pick<SessionRow, 'title'>, t: Translate): string {
  const line = toPlainLine(title);
  return line === '' ? t('Untitled session') : toVisible(line).text;
}

function toStateText(state: RowState, t: Translate): string | undefined {
  return {
    idle: undefined,
    unread: t('unread'),
    busy: t('running'),
    waiting_permission: t('waits for a permission'),
    waiting_question: t('waits for an answer'),
    retrying: t('retrying'),
  }[state];
}

function toIcon(state: RowState): SessionIcon {
  return {
    idle: { name: 'comment' },
    unread: { name: 'circle-filled', color: 'charts.blue' },
    busy: { name: 'loading~spin' },
    waiting_permission: { name: 'bell-dot', color: 'notificationsWarningIcon.foreground' },
    waiting_question: { name: 'question', color: 'notificationsWarningIcon.foreground' },
    retrying: { name: 'watch', color: 'notificationsWarningIcon.foreground' },
  }[state];
}
