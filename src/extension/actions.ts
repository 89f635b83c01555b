import * as vscode from 'vscode';
import { pickPending } from './asks/askPicks.ts';
import type { AskPresenter } from './asks/askPresenter.ts';
import type { Asks } from './asks/asks.ts';
import type { Chat } from './chat/chat.ts';
import { pickSession } from './chat/sessionPick.ts';
import type { Actions } from './commands.ts';
import type { ConnectedTools } from './declared/connectTools.ts';
import { translate as t } from './editor.ts';
import type { HostLink } from './host/hostLink.ts';
import type { HostProcess } from './host/hostProcess.ts';
import type { Follower } from './review/follow.ts';
import { explainPermission } from './rules/explainPermission.ts';
import { type ModelSetupParts, setApiKey, setModel } from './setup/modelSetup.ts';
import { setSearchKey } from './setup/searchKey.ts';
import { MODEL_KEY, type Secrets } from './setup/secrets.ts';
import { readSetting } from './setup/settings.ts';
import type { Terminals } from './terminal/terminals.ts';
import { ChatView } from './views/chatView.ts';
import type { ChatSurface } from './views/connectViews.ts';

export interface ActionParts {
  readonly chat: Chat;
  readonly asks: Asks;
  readonly link: HostLink;
  readonly process: HostProcess;
  readonly presenter: AskPresenter;
  readonly surface: ChatSurface;
  readonly terminals: Terminals;
  readonly follower: Follower;
  readonly secrets: Secrets;
  readonly log: vscode.LogOutputChannel;
  readonly tools: ConnectedTools;
}

/** What each command does. */
export function createActions(parts: ActionParts): Actions {
  const { chat, follower, link, log, process, secrets } = parts;
  return {
    ...sessionActions(parts),
    stop: () => chat.stop(),
    retry: () => chat.retry(),
    setModel: () => setModel(modelParts(secrets, chat)),
    setApiKey: () => setApiKey(modelParts(secrets, chat)),
    clearApiKey: () => clearApiKey(secrets),
    setSearchKey: () => setSearchKey(vscode.window, secrets, t),
    focusPending: () => focusPending(parts),
    showLog: () => log.show(),
    showTerminal: () => showTerminal(parts),
    restartHost: () => {
      process.restart();
      return link.connection();
    },
    followAgent: () => follower.set(true),
    unfollowAgent: () => follower.set(false),
    explainPermission: () => explainPermission(link, chat.active.id, t),
    ...toolActions(parts.tools),
  };
}

function toolActions({
  review,
  view,
  authoring,
}: ConnectedTools): Pick<
  Actions,
  'newTool' | 'tryTool' | 'reviewTools' | 'refreshTools' | 'goToTool' | 'enableTool' | 'disableTool'
> {
  return {
    reviewTools: () => review(),
    refreshTools: () => view.refresh(),
    newTool: () => authoring.newTool(),
    tryTool: (tried) => authoring.tryTool(tried),
    goToTool: (item) => view.goTo(item),
    enableTool: (item) => view.set(item, true),
    disableTool: (item) => view.set(item, false),
  };
}

function sessionActions({
  chat,
  surface,
}: ActionParts): Pick<Actions, 'openChat' | 'newSession' | 'openSession'> {
  const openChat = async () => {
    await vscode.commands.executeCommand(`${ChatView.id}.focus`);
    surface.view.focusComposer();
  };
  return {
    openChat,
    newSession: () => {
      chat.newSession();
      return openChat();
    },
    openSession: async () => {
      const id = await pickSession(vscode.window, await chat.list(), Date.now(), t);
      if (id === undefined) return;
      await chat.open(id);
      await openChat();
    },
  };
}

function modelParts(secrets: Secrets, chat: Chat): ModelSetupParts {
  return {
    window: vscode.window,
    secrets,
    fetch: globalThis.fetch,
    t,
    read: (key) => readSetting(vscode.workspace, key),
    write: (values) => {
      const written = writeSettings(values);
      chat.hold(written);
      return written;
    },
  };
}

async function writeSettings(values: Readonly<Record<string, string>>): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('gatehouse');
  for (const [key, value] of Object.entries(values)) {
    await configuration.update(key, value, vscode.ConfigurationTarget.Global);
  }
}

async function clearApiKey(secrets: Secrets): Promise<void> {
  await secrets.clear(MODEL_KEY);
  void vscode.window.showInformationMessage(t('The API key is removed.'));
}

async function focusPending({ asks, chat, presenter, surface }: ActionParts): Promise<void> {
  const id = await pickPending(vscode.window, asks.pending, Date.now(), t);
  const pending = id === undefined ? undefined : asks.get(id);
  if (pending === undefined) {
    void vscode.window.showInformationMessage(t('Nothing waits for you.'));
    return;
  }
  await chat.open(pending.sessionId);
  if (
    pending.ask.kind === 'permission' &&
    readSetting(vscode.workspace, 'ask.surface') === 'chat'
  ) {
    surface.reveal(pending);
    return;
  }
  presenter.open(pending.ask.id);
}

function showTerminal({ terminals }: ActionParts): void {
  const { latest } = terminals;
  if (latest !== undefined) terminals.show(latest);
  else void vscode.window.showInformationMessage(t('No command has run yet.'));
}
