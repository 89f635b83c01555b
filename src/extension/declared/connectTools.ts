import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import type { PendingManifest } from '../../base/tools/toolRow.ts';
import type { HostLink } from '../host/hostLink.ts';
import type { Translate } from '../text/translate.ts';
import { type Authoring, connectAuthoring } from './connectAuthoring.ts';
import { ToolReview } from './toolReview.ts';
import { createToolsView, type ToolsView, type ToolsViewParts } from './toolsView.ts';
import { declaresTools } from './toolTree.ts';
import { untilClosed } from './untilClosed.ts';

/** URI scheme of the accepted versions of manifests, for diffs. */
const ACCEPTED_SCHEME = 'gatehouse-accepted';
/** Maximum number of characters of an accepted manifest that are stored for diffs. */
const KEPT = 200_000;
/** Debounce delay for file changes, in milliseconds. */
const QUIET_MS = 500;

/** The review of declared tools, and the view of all tools. */
export interface ConnectedTools extends vscode.Disposable {
  readonly view: ToolsView;
  readonly authoring: Authoring;
  review(): Promise<void>;
}

export interface ConnectToolsParts extends Omit<ToolsViewParts, 'link'> {
  readonly log: vscode.LogOutputChannel;
  /** Shows a notice. Resolves with the button that the user chose. */
  notify(message: string, ...buttons: readonly string[]): Thenable<string | undefined>;
  /** Opens a read-only document. */
  show(title: string, text: string, language: string): Promise<void>;
}

/** Announces tools that need a review: on connection, and when settings or a manifest change. */
export function connectTools(
  context: vscode.ExtensionContext,
  link: HostLink,
  { t, log, session, notify, show }: ConnectToolsParts,
): ConnectedTools {
  const store = new DisposableStore();
  const memory = context.workspaceState;
  const view = store.add(createToolsView({ link, t, session }));
  const toolReview = new ToolReview({
    window: vscode.window,
    ...{ notify, t },
    pending: () => findPending(link),
    accept: async (manifest) => {
      await accept(link, manifest, memory);
      view.refresh();
    },
    open: openPending,
    read: async (title, text) => {
      await show(title, text, 'plaintext');
      return closed(vscode.window.activeTextEditor?.document.uri);
    },
    changes: ({ file, server }) =>
      server !== undefined || memory.get(toKey(file)) === undefined
        ? undefined
        : () => showChanges(file, t),
  });
  store.add(
    vscode.workspace.registerTextDocumentContentProvider(ACCEPTED_SCHEME, {
      provideTextDocumentContent: (uri) => memory.get<string>(toKey(uri.fsPath)) ?? '',
    }),
  );
  const announce = (): void => {
    view.refresh();
    if (!link.started || !link.listsTools) return;
    toolReview
      .announce()
      .catch((error: unknown) => log.warn(`Could not announce declared tools: ${String(error)}`));
  };
  store.add(link.onDidConnect(announce));
  store.add(watchServers(link, announce));
  const authoring = store.add(connectAuthoring({ link, t, session, created: announce }));
  store.add(watchManifests(link, announce));
  return { view, authoring, review: () => toolReview.review(), dispose: () => store.dispose() };
}

/** Whether the user closed the document to go on, rather than to see another one in its place. */
function closed(uri: vscode.Uri | undefined): Promise<boolean> {
  return untilClosed<vscode.Tab>({
    clock: systemClock,
    onDidChangeTabs: vscode.window.tabGroups.onDidChangeTabs,
    isIt: ({ input }) =>
      input instanceof vscode.TabInputText && input.uri.toString() === uri?.toString(),
  });
}

/** Calls `changed` once the host has the MCP servers that the user has changed in the settings. */
function watchServers(link: HostLink, changed: () => void): vscode.Disposable {
  const read = () =>
    JSON.stringify(vscode.workspace.getConfiguration('gatehouse').get('mcp')) ?? '';
  let known = read();
  return link.onDidConfigure(() => {
    const now = read();
    if (now === known) return;
    known = now;
    changed();
  });
}

/** Calls `changed` soon after a server, or a file that declares tools or MCP servers, has changed. */
function watchManifests(link: HostLink, changed: () => void): vscode.Disposable {
  const store = new DisposableStore();
  let timer: NodeJS.Timeout | undefined;
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(changed, QUIET_MS);
  };
  store.add({ dispose: () => clearTimeout(timer) });
  const watcher = store.add(
    vscode.workspace.createFileSystemWatcher(
      '**/{tools.json,policy.caps,mcp.json,.mcp.json,*.yaml,*.yml}',
    ),
  );
  store.add(link.onDidChangeTools(soon));
  for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete]) {
    store.add(event(soon));
  }
  return store;
}

/** The declared tools that need a review. The view of all tools is only of use if there are any. */
async function findPending(link: HostLink): Promise<readonly PendingManifest[]> {
  const listing = await (await link.connection()).call('tools', {});
  const declares = declaresTools(listing);
  void vscode.commands.executeCommand('setContext', 'gatehouse.declaresTools', declares);
  return listing.pending;
}

async function accept(
  link: HostLink,
  { file: path, hash, server }: PendingManifest,
  memory: vscode.Memento,
): Promise<void> {
  await (await link.connection()).call('accept', { path, hash, accepted: true });
  if (server !== undefined) return;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  await memory.update(toKey(path), document.getText().slice(0, KEPT));
}

async function openPending({ file, server }: PendingManifest): Promise<void> {
  // Servers of the settings have no file of their own.
  if (server !== undefined && !/mcp\.json$/.test(file)) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'gatehouse.mcp');
    return;
  }
  await vscode.window.showTextDocument(vscode.Uri.file(file));
}

function toKey(file: string): string {
  return `gatehouse.accepted:${file}`;
}

async function showChanges(file: PendingManifest['file'], t: Translate): Promise<void> {
  const now = vscode.Uri.file(file);
  const before = now.with({ scheme: ACCEPTED_SCHEME });
  await vscode.commands.executeCommand(
    'vscode.diff',
    before,
    now,
    t('{0} (Accepted ↔ Current)', vscode.workspace.asRelativePath(now)),
  );
}
