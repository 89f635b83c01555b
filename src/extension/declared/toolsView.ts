import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { getMessage } from '../../base/faults.ts';
import { fieldAt } from '../../base/json.ts';
import type { ServerAction } from '../../base/tools/mcpServer.ts';
import type { HostLink } from '../host/hostLink.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';
import { type ToolGroup, type ToolTreeItem, toDisabled, toTree } from './toolTree.ts';

export interface ToolsViewParts {
  readonly link: HostLink;
  readonly t: Translate;
  /** The id of the session whose tools are shown; undefined shows the workspace folders' tools. */
  readonly session: () => string | undefined;
}

/** The view of all tools and the reasons why some are not offered. */
export interface ToolsView extends vscode.Disposable {
  refresh(): void;
  goTo(item: unknown): Promise<void>;
  /** Does something with the MCP server of a group. */
  act(item: unknown, action: ServerAction): Promise<void>;
  /**
   * Enables or disables a tool in the workspace settings, or in the user settings without a
   * workspace.
   */
  set(item: unknown, enabled: boolean): Promise<void>;
}

type Item = ToolGroup | ToolTreeItem;

export function createToolsView({ link, t, session }: ToolsViewParts): ToolsView {
  const store = new DisposableStore();
  const changed = store.add(new vscode.EventEmitter<undefined>());
  const provider: vscode.TreeDataProvider<Item> = {
    onDidChangeTreeData: changed.event,
    getTreeItem: (item) => (item.kind === 'group' ? groupItem(item) : toolItem(item)),
    async getChildren(item) {
      if (item !== undefined) return item.kind === 'group' ? [...item.tools] : [];
      const host = await link.connection();
      if (!link.listsTools) return [];
      const sessionId = session();
      const { tools } = await host.call('tools', sessionId === undefined ? {} : { sessionId });
      return [...toTree(tools, (file) => vscode.workspace.asRelativePath(file), t)];
    },
  };
  const view = store.add(
    vscode.window.createTreeView('gatehouse.tools', { treeDataProvider: provider }),
  );
  const refresh = (): void => {
    if (view.visible) changed.fire(undefined);
  };
  store.add(link.onDidConnect(refresh));
  // Before the host has the settings, it would list the tools as they were.
  store.add(link.onDidConfigure(refresh));
  return {
    refresh,
    goTo: async (item) => {
      if (isTool(item) && item.source) await reveal(item.source.file, item.source.pointer);
    },
    async act(item, action) {
      await act(link, item, action, session());
      refresh();
    },
    set: async (item, enabled) => {
      if (isTool(item)) await setEnabled(item, enabled);
    },
    dispose: () => store.dispose(),
  };
}

function isTool(item: unknown): item is ToolTreeItem {
  return fieldAt(item, 'kind') === 'tool';
}

function groupItem({ label, server, signIn }: ToolGroup): vscode.TreeItem {
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
  if (server !== undefined)
    item.contextValue = signIn === undefined ? 'server' : `server signIn-${signIn}`;
  return item;
}

function toolItem({ label, description, icon, tooltip, context }: ToolTreeItem): vscode.TreeItem {
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.None);
  item.description = description;
  item.iconPath = new vscode.ThemeIcon(icon);
  item.tooltip = new vscode.MarkdownString(tooltip);
  item.contextValue = context;
  item.accessibilityInformation = { label: `${label} ${description}` };
  return item;
}

async function act(
  link: HostLink,
  item: unknown,
  action: ServerAction,
  sessionId: string | undefined,
): Promise<void> {
  const server = fieldAt(item, 'server');
  if (typeof server !== 'string') return;
  const query = { server, action, ...(sessionId !== undefined && { sessionId }) };
  try {
    // A sign-in takes as long as the user does.
    const host = await link.connection();
    const location = { viewId: 'gatehouse.tools' };
    await vscode.window.withProgress({ location }, () => host.call('serverAction', query));
  } catch (error) {
    void vscode.window.showErrorMessage(plainNotice(getMessage(error)));
  }
}

/** Opens the manifest at the tool's entry. */
async function reveal(file: string, pointer: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  const root = parseTree(document.getText());
  const path = pointer
    .split('/')
    .slice(1)
    .map((each) => (/^\d+$/.test(each) ? Number(each) : each));
  const node = root && findNodeAtLocation(root, path);
  const start = document.positionAt(node?.offset ?? 0);
  const selection = new vscode.Range(start, start);
  await vscode.window.showTextDocument(document, { selection });
}

/** A tool that the user's settings disable is enabled there: those of a workspace can only disable more. */
async function setEnabled(item: ToolTreeItem, enabled: boolean): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('gatehouse');
  const { Global, Workspace } = vscode.ConfigurationTarget;
  const inFolder = vscode.workspace.workspaceFolders !== undefined;
  const { globalValue, workspaceValue } =
    configuration.inspect<readonly string[]>('tools.disabled') ?? {};
  const update = (before: readonly string[] = [], target: vscode.ConfigurationTarget) =>
    configuration.update('tools.disabled', toDisabled(before, item, enabled), target);
  if (inFolder) await update(workspaceValue, Workspace);
  const isUsers = (globalValue ?? []).some((each) => each === item.id || each === item.formerId);
  if (!inFolder || (enabled && isUsers)) await update(globalValue, Global);
}
