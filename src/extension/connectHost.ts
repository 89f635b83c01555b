import path from 'node:path';
import * as vscode from 'vscode';
import type { ConfigurationSnapshot } from '../acp/gatehouse/configure.ts';
import { systemClock } from '../base/clock.ts';
import type { DisposableStore } from '../base/disposable.ts';
import { getMessage } from '../base/faults.ts';
import type { Asks } from './asks/asks.ts';
import type { TypingWatch } from './asks/typingWatch.ts';
import type { Chats } from './chat/chats.ts';
import { LiveOutputs } from './chat/liveOutput.ts';
import { type ClientMethodParts, createClientMethods } from './clientMethods.ts';
import { documentEditor, notify, translate as t } from './editor.ts';
import { readConfiguration } from './host/configuration.ts';
import { HostLink } from './host/hostLink.ts';
import { HostProcess } from './host/hostProcess.ts';
import { killHost, spawnHost } from './host/hostSpawn.ts';
import type { SandboxStore } from './host/sandboxStore.ts';
import { connectLanguage } from './language/connectLanguage.ts';
import { connectServers } from './mcp/connectServers.ts';
import { connectLanguageModels } from './models/connectLanguageModels.ts';
import type { CallDiffs } from './review/callDiffs.ts';
import type { Reviews } from './review/editors/reviews.ts';
import { watchEditor } from './review/editorWatch.ts';
import type { Follower } from './review/follow.ts';
import { type ConnectedRules, connectRules } from './rules/connectRules.ts';
import { createExplainDocuments, type ExplainDocuments } from './rules/explain/explainDocuments.ts';
import { openRule, removeSaved, saveRule, saveRules } from './rules/files/ruleFiles.ts';
import { importRules } from './rules/importRules.ts';
import { SavedRules, tellUnsaved } from './rules/savedRules.ts';
import { findBroken } from './rules/waitingRules.ts';
import { offerSandbox, type SandboxOfferParts, wantsSandboxOffer } from './setup/sandboxOffer.ts';
import type { Secrets } from './setup/secrets.ts';
import type { ProblemCounts } from './sharedState.ts';
import { type CallActions, changeQueue } from './terminal/callActions.ts';
import { createOutputs } from './terminal/outputs.ts';
import { runInTerminal } from './terminal/runInTerminal.ts';
import { Terminals } from './terminal/terminals.ts';
import { plainNotice } from './text/plainNotice.ts';
import type { UnreviewedStore } from './unreviewed/unreviewedStore.ts';

export interface HostParts {
  readonly context: vscode.ExtensionContext;
  readonly store: DisposableStore;
  readonly log: vscode.LogOutputChannel;
  readonly secrets: Secrets;
  readonly asks: Asks;
  readonly typing: TypingWatch;
  readonly follower: Follower;
  readonly diffs: CallDiffs;
  readonly reviews: Reviews;
  readonly unreviewed: UnreviewedStore;
  readonly sandbox: SandboxStore;
  /** The display form of a path. */
  label(path: string): string;
  chats(): Chats;
}

export interface ConnectedHost {
  readonly process: HostProcess;
  readonly link: HostLink;
  readonly terminals: Terminals;
  readonly calls: CallActions;
  readonly rules: ConnectedRules;
  readonly explained: ExplainDocuments;
  /** Imports the rules of other products after the user has seen and confirmed them. */
  importRules(): Promise<void>;
}

/** Creates the host process, the connection and the client methods. Does not start the process. */
export function connectHost(parts: HostParts): ConnectedHost {
  const { context, store, log, typing } = parts;
  const process = store.add(createProcess(context, log, () => link));
  const terminals = store.add(
    new Terminals({
      ...{ window: vscode.window, clock: systemClock, t },
      send: async (input) => (await link.connection()).call('terminalInput', input),
      onInput: () => typing.typed(),
    }),
  );
  const saved = store.add(createSavedRules(log, () => link));
  const userSettings = path.join(context.globalStorageUri.fsPath, '..', '..', 'settings.json');
  const offer = createSandboxOffer(context, log);
  store.add(
    parts.sandbox.onDidChange(() => parts.sandbox.status.offer && void offerSandbox(offer)),
  );
  const link: HostLink = new HostLink({
    ...{ start: () => process.start(), end: () => process.end(), connect: loadClient },
    configuration: () => toSnapshot(userSettings),
    version: String(context.extension.packageJSON.version),
    wantsSandboxOffer: () => wantsSandboxOffer(offer),
    methods: createClientMethods(clientParts(parts, userSettings, terminals, saved, () => link)),
  });
  const onError = (error: unknown) => log.warn(`Could not read rules: ${getMessage(error)}`);
  const rules = store.add(connectRules({ link, t, label: parts.label, notify, onError }));
  const explained = store.add(createExplainDocuments(link, t));
  const importing = { link, saved, userSettings, show: explained.show };
  const others = { importRules: () => runImport(importing) };
  const calls = createCallActions(link, terminals, explained);
  return { process, link, terminals, calls, rules, explained, ...others };
}

const copy = (text: string) => vscode.env.clipboard.writeText(text);

function createCallActions(
  link: HostLink,
  terminals: Terminals,
  explained: ExplainDocuments,
): CallActions {
  const outputs = createOutputs({
    fetch: async (query) => (await link.connection()).call('callOutput', query),
    show: (title, text) => explained.show(title, text, 'log'),
    fail: (message) => void vscode.window.showErrorMessage(plainNotice(message)),
    ...{ copy, t },
  });
  return {
    output: outputs.use,
    command(how, { terminals: ids, command } = { terminals: [] }) {
      if (how === 'stopCommand') return terminals.stop(ids);
      if (how === 'continueInBackground') return terminals.background(ids);
      const shown = command === undefined ? undefined : { command };
      const typed = terminals.command(ids[0] ?? '') ?? shown;
      if (typed !== undefined) void runInTerminal({ window: vscode.window, copy, t }, typed);
    },
    changeQueue(sessionId, action) {
      // If the host has exited, its queue is gone, and the messages are back in the input.
      changeQueue(link, sessionId, action).catch(() => undefined);
    },
    retryNow(sessionId) {
      if (sessionId === undefined) return;
      // If the host has exited, nothing is retried.
      const ask = async () => (await link.connection()).call('retryNow', { sessionId });
      ask().catch(() => undefined);
    },
  };
}

interface ImportingParts {
  readonly link: HostLink;
  readonly saved: SavedRules;
  readonly userSettings: string;
  show(title: string, text: string): Promise<void>;
}

function runImport({ link, saved, userSettings, show }: ImportingParts): Promise<void> {
  const { window, workspace } = vscode;
  return importRules({
    ...{ window, t, userSettings, show },
    folders: () =>
      (workspace.workspaceFolders ?? []).flatMap(({ uri }) =>
        uri.scheme === 'file' ? uri.fsPath : [],
      ),
    preview: async (query) => (await link.connection()).call('importRules', query),
    save: (rules, destination) => saveRules(rules, destination, userSettings),
    configure: () => link.configure(),
    accept: async (path, hash) => {
      await (await link.connection()).call('accept', { path, hash, accepted: true });
    },
    saved: (rule) => saved.add(rule),
  });
}

function clientParts(
  { chats, asks, diffs, reviews, unreviewed, sandbox, secrets, follower, label }: HostParts,
  userSettings: string,
  terminals: Terminals,
  saved: SavedRules,
  link: () => HostLink,
): ClientMethodParts {
  const live = new LiveOutputs(() => chats().all);
  return {
    ...{ chats, asks, diffs, reviews, unreviewed, sandbox },
    ...{ documents: documentEditor, clock: systemClock },
    models: connectLanguageModels(() => link().connection()),
    servers: connectServers(secrets, t),
    language: connectLanguage(systemClock),
    ...{ secret: secrets.get, label, saved },
    // A message of the user like any other: it waits for the turn that planned (spec CS-36).
    build: (session) => void chats().send(session, t('Carry out the approved plan.')),
    foundProblems: (problems) => link().foundProblems(problems),
    sessionsChanged: () => link().sessionsChanged(),
    toolsChanged: () => link().toolsChanged(),
    saveRule: async (rule, destination) => {
      const stored = await saveRule(rule, destination, userSettings).catch((error: unknown) => {
        void tellUnsaved({ t, showError: vscode.window.showErrorMessage, copy }, rule, error);
        throw error;
      });
      // The host must have the rule before it receives the answer that added it.
      await link().configure();
      saved.add(stored);
      return stored.file;
    },
    terminal: (event) => {
      terminals.receive(event);
      live.receive(event);
    },
    located: (file, line) => follower.locate(file, line),
  };
}

function createSandboxOffer(
  { globalState }: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): SandboxOfferParts {
  const own = () => vscode.workspace.getConfiguration('gatehouse');
  const key = 'sandbox.autoRun';
  // The tour shows how requests are answered.
  const inTour = process.env['GATEHOUSE_TOUR'] === '1';
  return {
    ...{ memory: globalState, notify, t },
    autoRun: () => (inTour ? false : own().inspect(key)?.globalValue),
    turnOn: () => own().update(key, true, vscode.ConfigurationTarget.Global),
    onError: (error) => log.error(`Could not offer the sandbox: ${getMessage(error)}`),
  };
}

function createSavedRules(log: vscode.LogOutputChannel, link: () => HostLink): SavedRules {
  return new SavedRules({
    ...{ clock: systemClock, notify, t },
    remove: removeSaved,
    open: async ({ rule, file, destination }) => {
      await openRule({ rule, file, user: destination === 'user' });
    },
    drop: async (dropped) => {
      const host = await link().connection();
      await host.call('dropRule', dropped);
      await link().configure();
    },
    showError: vscode.window.showErrorMessage,
    onError: (error) => log.error(`Could not undo or open the saved rules: ${getMessage(error)}`),
  });
}

export interface SettingsWatch {
  readonly context: vscode.ExtensionContext;
  readonly link: HostLink;
  readonly log: vscode.LogOutputChannel;
  /** Called when settings, trust or folders have changed. */
  changed(): void;
  /** Called with the numbers of settings that the host could not read, and of rules that wait. */
  foundProblems(found: ProblemCounts): void;
}

/** Sends changed settings to the host, and logs those that it could not read. */
export function watchSettings(parts: SettingsWatch): vscode.Disposable {
  const { context, link, log } = parts;
  return vscode.Disposable.from(
    watchEditor({
      configurationChanged: () => {
        parts.changed();
        link
          .configure()
          .catch((error: unknown) =>
            log.error(`Could not send settings to the host: ${String(error)}`),
          );
      },
      secretsChanged: context.secrets.onDidChange,
    }),
    link.onDidFindProblems((found) => {
      for (const { origin, message } of found) log.warn(`${origin?.file ?? ''} ${message}`.trim());
      const brokenRules = findBroken(found).length;
      parts.foundProblems({ brokenRules, waitingRules: found.length - brokenRules });
    }),
  );
}

/** Loads the ACP client, a separate bundle, when the host is first needed. */
const loadClient: typeof import('./host/acpClient.ts').connect = (stdin, stdout, methods) => {
  const { connect }: typeof import('./host/acpClient.ts') = require('./acpClient.cjs');
  return connect(stdin, stdout, methods);
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
      log.info(`Started the host as process ${host.pid}.`);
      link().hostStarted(host);
    },
    onExit: (exit) => link().hostExited(exit),
    onStderr: (text) => log.debug(text.trimEnd()),
  });
}

function toSnapshot(userSettings: string): ConfigurationSnapshot {
  return readConfiguration({
    workspace: vscode.workspace,
    tabGroups: vscode.window.tabGroups,
    appRoot: vscode.env.appRoot,
    userSettings,
  });
}
