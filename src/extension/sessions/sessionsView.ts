import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { getMessage } from '../../base/faults.ts';
import { sayLoading } from '../text/loadingMessage.ts';
import type { Translate } from '../text/translate.ts';
import { readFocused } from './focusedRow.ts';
import type { SessionListing } from './sessionListing.ts';
import { type SessionGroup, type SessionNode, toGroups } from './sessionTree.ts';

export interface SessionsViewParts {
  readonly listing: SessionListing;
  readonly clock: Clock;
  readonly t: Translate;
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
  /** The open folders. */
  folders(): readonly string[];
  /** The display form of a path. */
  label(path: string): string;
}

/** The view of the stored sessions of the open folders. */
export interface SessionsView extends vscode.Disposable {
  /** Reads the list again. */
  refresh(): void;
  showMore(): Promise<void>;
  showArchived(shown: boolean): void;
  /** The row that has the focus of the keyboard. Call while the view has it. */
  focused(): Promise<SessionNode | undefined>;
  /** What the view lists. */
  groups(): Promise<readonly SessionGroup[]>;
}

/** How often ages are drawn again, in milliseconds. */
const MINUTE = 60_000;

export function createSessionsView(parts: SessionsViewParts): SessionsView {
  const { listing, clock } = parts;
  const store = new DisposableStore();
  const changed = store.add(new vscode.EventEmitter<undefined>());
  const provider: vscode.TreeDataProvider<SessionNode> = {
    onDidChangeTreeData: changed.event,
    getTreeItem: toTreeItem,
    async getChildren(node) {
      if (node !== undefined) return node.kind === 'group' ? [...node.items] : [];
      return toRoots(parts, await read(say, parts));
    },
  };
  const view: vscode.TreeView<SessionNode> = store.add(
    vscode.window.createTreeView('gatehouse.sessions', { treeDataProvider: provider }),
  );
  const say = sayLoading(view, clock, parts.t);
  const draw = (): void => changed.fire(undefined);
  store.add(listing.onDidChange(() => view.visible && draw()));
  store.add(showOnceNeeded(parts));
  store.add(view.onDidChangeVisibility(({ visible }) => visible && listing.refresh()));
  // Only what is known: a host that can't start is not started every minute.
  store.add(repeat(clock, () => view.visible && listing.isValid && draw()));
  return {
    refresh: () => listing.refresh(),
    async showMore() {
      await listing.loadMore();
      draw();
    },
    showArchived(shown) {
      void vscode.commands.executeCommand('setContext', 'gatehouse.archivedSessions', shown);
      listing.showArchived(shown);
      draw();
    },
    focused: () => readFocused(view, toggleSelection, isSameNode),
    groups: async () => {
      return toRoots(parts, await listing.read()).filter((node) => node.kind === 'group');
    },
    dispose: () => store.dispose(),
  };
}

const toggleSelection = () => vscode.commands.executeCommand('list.toggleSelection');

/** The list may have been read again meanwhile. */
function isSameNode(one: SessionNode, other: SessionNode): boolean {
  return toNodeId(one) === toNodeId(other);
}

/** The key of the workspace state and of the condition of the view. */
const HAS_SESSIONS = 'gatehouse.hasSessions';

/** Shows the view once there is a session to go back to: until then, one heading is above the chat. */
function showOnceNeeded({ listing, memory }: SessionsViewParts): vscode.Disposable {
  const show = () => vscode.commands.executeCommand('setContext', HAS_SESSIONS, true);
  if (memory.get(HAS_SESSIONS) === true) {
    void show();
    return { dispose: () => undefined };
  }
  const look = listing.onDidChange(async () => {
    // A failure is said where the list is shown.
    const { entries } = await listing.read().catch(() => listing.known);
    if (entries.length < 2) return;
    look.dispose();
    void show();
    await memory.update(HAS_SESSIONS, true);
  });
  return look;
}

/** The rows, as far as they could be read. A failure is said above those that are known. */
async function read(
  say: (text: string) => void,
  { listing, t }: SessionsViewParts,
): ReturnType<SessionListing['read']> {
  try {
    const listed = await listing.read();
    say('');
    return listed;
  } catch (error) {
    say(t('Could not list the sessions: {0} Refresh to try again.', getMessage(error)));
    return listing.known;
  }
}

function toRoots(
  { clock, t, folders, label }: SessionsViewParts,
  { entries, hasMore }: Awaited<ReturnType<SessionListing['read']>>,
): SessionNode[] {
  const groups = toGroups(entries, { now: clock.now(), t, folders: folders(), label });
  return [...groups, ...(hasMore ? [{ kind: 'more' as const, label: t('Load More…') }] : [])];
}

function repeat(clock: Clock, draw: () => unknown): vscode.Disposable {
  let timer = clock.after(MINUTE, tick);
  function tick(): void {
    draw();
    timer = clock.after(MINUTE, tick);
  }
  return { dispose: () => timer.dispose() };
}

function toNodeId(node: SessionNode): string {
  return node.kind === 'more' ? node.kind : `${node.kind} ${node.id}`;
}

function toTreeItem(node: SessionNode): vscode.TreeItem {
  const { Expanded, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(node.label, node.kind === 'group' ? Expanded : None);
  item.contextValue = node.kind;
  item.id = toNodeId(node);
  if (node.kind === 'more') {
    item.command = { command: 'gatehouse.showMoreSessions', title: node.label };
    item.iconPath = new vscode.ThemeIcon('ellipsis');
    return item;
  }
  if (node.kind === 'group') return item;
  const { icon } = node;
  item.contextValue = node.context;
  item.description = node.description;
  item.iconPath = new vscode.ThemeIcon(
    icon.name,
    icon.color === undefined ? undefined : new vscode.ThemeColor(icon.color),
  );
  item.tooltip = node.tooltip;
  item.accessibilityInformation = { label: node.spoken };
  item.command = { command: 'gatehouse.openSession', title: node.label, arguments: [node] };
  return item;
}
