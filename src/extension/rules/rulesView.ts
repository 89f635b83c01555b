import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { fieldAt } from '../../base/json.ts';
import { toVisible } from '../../base/text/visibleText.ts';
import type { HostLink } from '../host/hostLink.ts';
import { sayLoading } from '../text/loadingMessage.ts';
import { toRuleText } from '../text/ruleText.ts';
import type { Translate } from '../text/translate.ts';
import { removeListed } from './files/ruleFiles.ts';
import type { RuleDocuments } from './goToRule.ts';
import { type RemoveRuleParts, removeRule } from './removeRule.ts';
import {
  type ListedGroup,
  type MoreRules,
  type RuleItem,
  type RuleNode,
  toGroups,
  toItems,
} from './ruleTree.ts';

export interface RulesViewParts {
  readonly link: HostLink;
  readonly rules: RuleDocuments;
  readonly t: Translate;
  /** The id of the session whose rules are shown; undefined shows those of the workspace folders. */
  readonly session: () => string | undefined;
  /** Shows a notification. Resolves with the button that the user chose. */
  notify(message: string, ...buttons: readonly string[]): Thenable<string | undefined>;
}

/** The view of the rules in force, in the order in which they count. */
export interface RulesView extends vscode.Disposable {
  refresh(): void;
  /** Asks for words, and lists only rules that contain them. */
  filter(): Promise<void>;
  clearFilter(): void;
  goTo(item: unknown): Promise<void>;
  copy(item: unknown): Promise<void>;
  /** Removes a rule from its settings or from the session. */
  remove(item: unknown): Promise<void>;
  /** Loads more rules of a group. */
  showMore(item: unknown): void;
}

/** Rules that are loaded at a time. The host sends at most 500. */
const PAGE = 200;

export function createRulesView(parts: RulesViewParts): RulesView {
  const { rules, t, session } = parts;
  const store = new DisposableStore();
  const listing = createListing(parts);
  const changed = store.add(new vscode.EventEmitter<undefined>());
  const provider: vscode.TreeDataProvider<RuleNode> = {
    onDidChangeTreeData: changed.event,
    getTreeItem: (node) => toTreeItem(node, listing.text !== ''),
    getChildren: (node) => {
      if (node === undefined) return listing.groups(describe);
      return node.kind === 'group' ? listing.rules(node) : [];
    },
  };
  const view = store.add(
    vscode.window.createTreeView('gatehouse.rules', { treeDataProvider: provider }),
  );
  const describe = createDescription(view, listing, t);
  const refresh = (): void => changed.fire(undefined);
  const setFilter = (text: string): void => {
    listing.filter(text);
    void vscode.commands.executeCommand('setContext', 'gatehouse.rulesFiltered', text !== '');
    refresh();
  };
  watch(store, parts, view, refresh);
  return {
    refresh,
    async filter() {
      const prompt = t('List only rules that contain this text');
      const text = await vscode.window.showInputBox({ prompt, value: listing.text });
      if (text !== undefined) setFilter(text.trim());
    },
    clearFilter: () => setFilter(''),
    goTo: async (item) => {
      if (isRule(item)) await rules.goTo(item.reference, session());
    },
    copy: async (item) => {
      if (isRule(item)) await vscode.env.clipboard.writeText(toRuleText(item.reference.rule));
    },
    remove: async (item) => {
      if (!isRule(item) || !item.removable) return;
      await removeRule(createRemoval(parts, refresh), item.reference, session());
    },
    showMore(item) {
      if (isMore(item)) listing.more(item);
      refresh();
    },
    dispose: () => store.dispose(),
  };
}

function createRemoval({ link, t, notify }: RulesViewParts, refresh: () => void): RemoveRuleParts {
  return {
    ...{ t, notify, remove: removeListed },
    drop: async (dropped) => {
      await (await link.connection()).call('dropRule', dropped);
      await link.configure();
      refresh();
    },
    configure: () => link.configure(),
    showError: vscode.window.showErrorMessage,
  };
}

/** What the view says above its rules. Without a number, the rules could not be read. */
function createDescription(
  view: vscode.TreeView<RuleNode>,
  listing: { readonly text: string },
  t: Translate,
): (total: number | undefined) => void {
  const say = sayLoading(view, systemClock, t);
  return (total) => {
    const text = toVisible(listing.text).text;
    view.description = text === '' ? '' : `"${text}"`;
    say(total === 0 && text !== '' ? t('No rule contains "{0}".', text) : '');
  };
}

/** Refreshes a visible view when the rules may have changed, and one that becomes visible. */
function watch(
  store: DisposableStore,
  { link }: RulesViewParts,
  view: vscode.TreeView<RuleNode>,
  refresh: () => void,
): void {
  const soon = (): void => {
    if (view.visible) refresh();
  };
  store.add(link.onDidConfigure(soon));
  store.add(view.onDidChangeVisibility(({ visible }) => visible && refresh()));
}

/** What is listed, and how much of it. */
function createListing({ link, t, session }: RulesViewParts) {
  const shown = new Map<string, number>();
  let text = '';
  const query = async (more: {
    readonly permission?: string;
    readonly offset?: number;
    readonly limit: number;
  }) => {
    const connection = await link.connection();
    const sessionId = session();
    return connection.call('rules', {
      ...more,
      ...(sessionId !== undefined && { sessionId }),
      ...(text !== '' && { text }),
    });
  };
  return {
    get text() {
      return text;
    },
    filter(next: string): void {
      text = next;
      shown.clear();
    },
    more({ permission }: MoreRules): void {
      shown.set(permission, (shown.get(permission) ?? PAGE) + PAGE);
    },
    async groups(describe: (total: number | undefined) => void): Promise<RuleNode[]> {
      let total: number | undefined;
      try {
        await link.connection();
        if (!link.listsRules) return [];
        const page = await query({ limit: 0 });
        total = page.total;
        return [...toGroups(page, t)];
      } finally {
        describe(total);
      }
    },
    async rules({ permission }: ListedGroup): Promise<RuleNode[]> {
      const most = shown.get(permission) ?? PAGE;
      const found = await query({ permission, limit: Math.min(PAGE, most) });
      const all = [...found.rules];
      while (all.length < Math.min(most, found.total)) {
        const next = await query({ permission, offset: all.length, limit: PAGE });
        if (next.rules.length === 0) break;
        all.push(...next.rules);
      }
      return [...toItems({ rules: all, total: found.total }, permission, Date.now(), t)];
    },
  };
}

function isRule(item: unknown): item is RuleItem {
  return fieldAt(item, 'kind') === 'rule';
}

function isMore(item: unknown): item is MoreRules {
  return fieldAt(item, 'kind') === 'more';
}

function toTreeItem(node: RuleNode, filtered: boolean): vscode.TreeItem {
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
  if (node.kind === 'group') {
    const item = new vscode.TreeItem(node.label, filtered ? Expanded : Collapsed);
    // Another id, so that a group that was collapsed opens for a filter.
    item.id = `${filtered} ${node.permission}`;
    item.description = String(node.count);
    return item;
  }
  const item = new vscode.TreeItem(node.label, None);
  item.contextValue = node.kind === 'rule' && node.removable ? 'rule removable' : node.kind;
  if (node.kind === 'more') {
    item.command = { command: 'gatehouse.showMoreRules', title: node.label, arguments: [node] };
    return item;
  }
  item.description = node.description;
  item.iconPath = new vscode.ThemeIcon(node.icon);
  item.tooltip = node.tooltip;
  item.accessibilityInformation = { label: node.spoken };
  item.command = { command: 'gatehouse.goToListedRule', title: node.label, arguments: [node] };
  return item;
}
