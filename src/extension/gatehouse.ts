import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../base/clock.ts';
import { DisposableStore } from '../base/disposable.ts';
import { messageOf } from '../base/faults.ts';
import { createActions } from './actions.ts';
import { showAsk } from './asks/askPicks.ts';
import { AskPresenter } from './asks/askPresenter.ts';
import { Asks } from './asks/asks.ts';
import { TypingWatch } from './asks/typingWatch.ts';
import { Chat } from './chat/chat.ts';
import { createHandlers } from './clientMethods.ts';
import type { Actions } from './commands.ts';
import { connectTools } from './declared/connectTools.ts';
import { diffEditor, documentEditor, pickWindow, translate as t, typingEvents } from './editor.ts';
import type { ConfigurationSnapshot } from './host/acpTypes.ts';
import { readConfiguration } from './host/configuration.ts';
import { HostLink } from './host/hostLink.ts';
import { HostProcess } from './host/hostProcess.ts';
import { killHost, spawnHost } from './host/hostSpawn.ts';
import { watchEditor } from './review/editorWatch.ts';
import { createFollower } from './review/follow.ts';
import { Proposals, REVIEW_SCHEME } from './review/proposals.ts';
import { saveRule } from './rules/ruleFiles.ts';
import { createSecrets } from './setup/secrets.ts';
import { readSetting } from './setup/settings.ts';
import { sharedState } from './sharedState.ts';
import { Terminals } from './terminal/terminals.ts';
import { connectChat } from './views/connectViews.ts';

export interface Gatehouse extends vscode.Disposable {
  readonly actions: Actions;
  /** Resolves when the host has ended. */
  stopped(): Promise<void>;
}

const SESSION_KEY = 'gatehouse.session';

/** Puts the parts together. Nothing is started here but listeners. */
export function createGatehouse(context: vscode.ExtensionContext): Gatehouse {
  const store = new DisposableStore();
  const base = createBase(context, store);
  const { asks, typing, log } = base;
  const host = createHost(context, store, base, () => chat);
  const { link, process, terminals } = host;
  let problems = 0;
  const chat: Chat = new Chat({
    ...{ link, asks, t, clock: systemClock },
    label: labelOf,
    place: () => placeOf(context),
    shared: () => sharedState(problems),
    remember: (id) => void context.workspaceState.update(SESSION_KEY, id),
    log: (message) => log.warn(message),
  });
  const presenter: AskPresenter = store.add(
    new AskPresenter({
      ...{ asks, typing, clock: systemClock },
      show: (pending, signal) => {
        const showDetails = () => surface.reveal(pending);
        return showAsk({ window: pickWindow, t, showDetails }, pending, signal);
      },
      mayOpen: ({ ask }) => ask.kind === 'question' || askSurface() !== 'chat',
      onError: (error) => log.error(String(error)),
    }),
  );
  const stored = () => context.workspaceState.get<string>(SESSION_KEY);
  const parts = { ...base, t, chat, link, terminals, presenter };
  const surface = store.add(connectChat({ ...parts, context, stored }));
  watchSettings(context, store, { link, log, refresh: () => chat.refresh() }, (count) => {
    problems = count;
  });
  const tools = store.add(connectTools(context, link, { t, log, session: () => chat.active.id }));
  const actions = createActions({ ...parts, process, surface, tools });
  return { actions, stopped: () => process.stopped(), dispose: () => store.dispose() };
}

type Base = ReturnType<typeof createBase>;

/** What depends on nothing but the editor. */
function createBase(context: vscode.ExtensionContext, store: DisposableStore) {
  const proposals = store.add(new Proposals(diffEditor));
  store.add(
    vscode.workspace.registerTextDocumentContentProvider(REVIEW_SCHEME, {
      provideTextDocumentContent: (uri) => proposals.text(uri.path),
    }),
  );
  return {
    log: store.add(vscode.window.createOutputChannel('Gatehouse', { log: true })),
    secrets: createSecrets(context.secrets),
    asks: new Asks(),
    typing: store.add(new TypingWatch(typingEvents, systemClock)),
    follower: store.add(createFollower()),
    proposals,
  };
}

/** The host process, the connection to it, and what it may ask of the editor. */
function createHost(
  context: vscode.ExtensionContext,
  store: DisposableStore,
  { log, secrets, asks, typing, follower, proposals }: Base,
  chat: () => Chat,
) {
  const userSettings = path.join(context.globalStorageUri.fsPath, '..', '..', 'settings.json');
  const process = store.add(createProcess(context, log, () => link));
  const terminals = store.add(
    new Terminals({
      ...{ window: vscode.window, clock: systemClock, t },
      send: (input) =>
        void link
          .connection()
          .then((host) => host.call('_gatehouse/terminal_input', input))
          .catch((error: unknown) => log.warn(`A terminal took no input: ${messageOf(error)}`)),
      onInput: () => typing.terminalUsed(),
    }),
  );
  const link: HostLink = new HostLink({
    start: () => process.start(),
    connect: loadClient,
    configuration: () => configurationOf(userSettings),
    version: String(context.extension.packageJSON.version),
    handlers: createHandlers({
      ...{ chat, asks, proposals, documents: documentEditor, clock: systemClock },
      secret: (id) => secrets.get(id),
      saveRule: async (rule, destination) => {
        const file = await saveRule(rule, destination, userSettings);
        // The host must know the rule before the answer that made it is used.
        await link.configure();
        return file;
      },
      terminal: (params) => terminals.receive(params),
      proposed: (id) => openProposal(proposals, id),
      located: (file, line) => follower.locate(file, line),
    }),
  });
  return { process, link, terminals };
}

interface SettingsParts {
  readonly link: HostLink;
  readonly log: vscode.LogOutputChannel;
  refresh(): void;
}

/** Sends what changed to the host, and shows what the host could not read. */
function watchSettings(
  context: vscode.ExtensionContext,
  store: DisposableStore,
  { link, log, refresh }: SettingsParts,
  setProblems: (count: number) => void,
): void {
  store.add(
    watchEditor({
      configurationChanged: () => {
        refresh();
        link
          .configure()
          .catch((error: unknown) => log.error(`Settings were not sent: ${String(error)}`));
      },
      secretsChanged: context.secrets.onDidChange,
    }),
  );
  store.add(
    link.onDidFindProblems((found) => {
      setProblems(found.length);
      for (const { origin, message } of found) log.warn(`${origin?.file ?? ''} ${message}`.trim());
      refresh();
    }),
  );
}

function askSurface() {
  return readSetting(vscode.workspace, 'ask.surface');
}

/** The protocol library is a bundle beside this one, loaded when the host is first needed. */
const loadClient: typeof import('./host/acpClient.ts').connect = (stdin, stdout, handlers) => {
  const { connect }: typeof import('./host/acpClient.ts') = require('./acpClient.cjs');
  return connect(stdin, stdout, handlers);
};

function createProcess(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  link: () => HostLink,
): HostProcess {
  return new HostProcess({
    spawn: () =>
      spawnHost({
        script: path.join(context.extensionPath, 'dist', 'host', 'main.mjs'),
        data: context.globalStorageUri.fsPath,
        cwd: context.extensionPath,
        env: process.env,
      }),
    kill: killHost,
    clock: systemClock,
    onStart: (host) => {
      log.info(`The host runs as process ${host.pid}.`);
      link().hostStarted(host);
    },
    onExit: (exit) => link().hostExited(exit),
    onStderr: (text) => log.debug(text.trimEnd()),
  });
}

function configurationOf(userSettings: string): ConfigurationSnapshot {
  return readConfiguration({
    workspace: vscode.workspace,
    tabGroups: vscode.window.tabGroups,
    appRoot: vscode.env.appRoot,
    userSettings,
  });
}

/** No folder open: the host works in a scratch folder of the user's data (contract §6). */
function placeOf(context: vscode.ExtensionContext) {
  const [cwd, ...additionalDirectories] = (vscode.workspace.workspaceFolders ?? []).flatMap(
    ({ uri }) => (uri.scheme === 'file' ? [uri.fsPath] : []),
  );
  const scratch = path.join(context.globalStorageUri.fsPath, 'user', 'scratch');
  return { cwd: cwd ?? scratch, additionalDirectories };
}

function openProposal(proposals: Proposals, toolCallId: string): void {
  const when = readSetting(vscode.workspace, 'edits.openDiff');
  const file = proposals.firstPath(toolCallId);
  if (when === 'onClick' || file === undefined) return;
  void proposals.show(toolCallId, file, false, when === 'background');
}

/** A workspace folder goes by its name: relative to itself it would have none. */
function labelOf(file: string): string {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.fsPath === file);
  return folder?.name ?? vscode.workspace.asRelativePath(file);
}
