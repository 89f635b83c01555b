import path from 'node:path';
import type { ConfigureResult } from '../../acp/gatehouse/configure.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { getMessage } from '../../base/faults.ts';
import {
  createPolicyCompiler,
  type PolicyCompiler,
} from '../../permissions/rules/policyCompiler.ts';
import { createSearchIndex, type SearchIndex } from '../../recorder/library/search/searchIndex.ts';
import { openRecorder, type Recorder } from '../../recorder/recorder.ts';
import { wasProven } from '../../runtime/sandbox/linux/programs.ts';
import type { SandboxState } from '../../runtime/sandbox/sandbox.ts';
import type { ToolCatalog } from '../../tools/toolCatalog.ts';
import { createPendingAsks, type PendingAsks } from '../asks/asks.ts';
import { createRuleStore, type RuleStore } from '../asks/ruleStore.ts';
import type { Client } from '../client/client.ts';
import { notifyClient } from '../client/requestClient.ts';
import { createAskInput, fetchSecret, knownSecrets } from '../client/secrets.ts';
import { createTerminalView } from '../client/terminals.ts';
import { type Acceptances, openAcceptances } from '../config/acceptance.ts';
import { type ConfigurationStore, createConfigurationStore } from '../config/configurationStore.ts';
import { type DataFolder, openDataFolder, userSettingsFile } from '../config/dataFolder.ts';
import { type Decisions, openDecisions } from '../decisions/decisions.ts';
import type { ModelService } from '../models/modelService.ts';
import { endOrphans } from '../reaper.ts';
import type { SourceServices } from '../tools/toolSources.ts';
import { type Confinement, createConfinement } from './confinement.ts';
import { endAll } from './endAll.ts';
import { type HistoryNotices, watchHistory } from './historyNotices.ts';
import { createKeptCopies, type KeptCopies } from './keptCopies.ts';
import { createRetriedCopies } from './retriedCopies.ts';
import type { Runtimes } from './runtimes.ts';
import { createSandboxStatus, type SandboxProof } from './sandboxStatus.ts';
import { openScratchFolders, type ScratchFolders } from './scratchFolders.ts';
import { createServerStart } from './serverStart.ts';
import type { SessionCopies } from './sessionCopies.ts';
import { openSignals, type Signals } from './signals.ts';

/** The services that the sessions of one process share. */
export interface HostServices extends Omit<Signals, 'dispose'> {
  readonly client: Client;
  readonly env: NodeJS.ProcessEnv;
  readonly data: DataFolder;
  readonly scratch: ScratchFolders;
  readonly recorder: Recorder;
  readonly historyNotices: HistoryNotices;
  readonly configuration: ConfigurationStore;
  readonly acceptances: Acceptances;
  readonly pending: PendingAsks;
  readonly rules: RuleStore;
  /** Compiles the policies of all sessions. */
  readonly compiler: PolicyCompiler;
  /** Keeps the gate's decisions in all sessions. */
  readonly decisions: Decisions;
  /** Fires with the id of a session whose user doesn't want to wait for a retry of the model. */
  readonly retryNow: Emitter<string>;
  /** The ids of the sessions that wait to repeat a request to the model. */
  readonly retrying: Set<string>;
  /** Searches the transcripts of all sessions. */
  readonly search: SearchIndex;
  warn(message: string): void;
  /** The runtimes of the sessions; opened once, when the host has started, after its recovery. */
  runtimes(): Promise<Runtimes>;
  /** Files that the recovery left as they are; complete once the runtimes are open. */
  readonly kept: KeptCopies;
  /** The copies in which commands run; opened once, on first use, which tests the sandbox. */
  copies(): Promise<SessionCopies>;
  /** The sandbox's self-test, and what the client shows of it. */
  readonly sandbox: HostSandbox;
  /** Confines what runs for real, where the settings require it. */
  readonly confinement: Confinement;
  /** The models of all providers; opened once, on first use. */
  models(): Promise<ModelService>;
  /** The tools of all sessions; opened once, on first use. */
  tools(): Promise<ToolCatalog>;
  /** Kills the processes that a session's commands left running, and removes its sidecars. */
  endSession(sessionId: string): Promise<void>;
  /** Kills every process that was started here, and closes the database. */
  dispose(): Promise<void>;
}

/** What sessions and the client's requests use of the sandbox's state. */
export interface HostSandbox
  extends SandboxProof,
    Pick<ReturnType<typeof createSandboxStatus>, 'publish' | 'wantsOffer'> {
  /** Tells the client once that commands could have run in a copy, if the self-test passes. */
  offer(): Promise<void>;
}

export interface HostServicesOptions {
  readonly client: Client;
  readonly env: NodeJS.ProcessEnv;
  warn(message: string): void;
  /** For a locked history, and for what is done some time after the start. */
  readonly clock?: Clock;
}

export function openHostServices(options: HostServicesOptions): HostServices {
  const { client, env, warn } = options;
  const data = openDataFolder(env);
  const acceptances = openAcceptances(data.accepted);
  const recorder = openRecorder(data.database, options.clock && { clock: options.clock });
  const historyNotices = watchHistory(recorder, options);
  const configuration = openConfiguration({ client, env, warn }, acceptances);
  const boundKey = path.join(data.state, 'rules-of-workspace-tools');
  const rules = createRuleStore({ client, configuration, acceptances, boundKey, warn });
  const secrets = () => knownSecrets(client);
  const decisions = openDecisions({ state: data.state, env, secrets, warn });
  const terminals = createTerminalView((event) => notifyClient(client, 'terminal', event));
  const scratch = openScratchFolders(data);
  const search = openSearch(data, recorder);
  const signals = openSignals(data.state, options);
  const kept = createKeptCopies({ client, warn });
  const runtimes = createLazy(() => openRuntimes(options, data, scratch, { terminals, kept }));
  const recovery = recoverSoon(runtimes.open, warn);
  const { copies, prepareServer, ...sandboxed } = createSandbox(
    { client, env, warn },
    data,
    configuration,
  );
  const tools = createLazy(() => openTools({ client, env }, data, { acceptances, prepareServer }));
  const models = createLazy(() => openModels(client));
  return {
    ...{ client, env, data, scratch, recorder, configuration, acceptances, rules },
    ...{ decisions, historyNotices, search, ...signals, ...createShared() },
    ...{ runtimes: runtimes.open, kept, warn },
    ...{ ...sandboxed, copies: copies.open, tools: tools.open, models: models.open },
    async endSession(sessionId) {
      historyNotices.closed(sessionId);
      (await tools.opened())?.drop(sessionId);
      await (await runtimes.opened())?.endSession(sessionId);
      await (await copies.opened())?.endSession(sessionId);
    },
    async dispose() {
      for (const each of [recovery, terminals, historyNotices, signals]) each.dispose();
      try {
        await endAll([tools, runtimes, copies], warn);
      } finally {
        search.close();
        await decisions.close();
        recorder.close();
      }
    },
  };
}

/** What a killed host left half done must not wait for a session; opening the first one does not wait for it. */
function recoverSoon(open: () => Promise<unknown>, warn: (message: string) => void): Disposable {
  return systemClock.after(500, () => void open().catch((fault) => warn(getMessage(fault))));
}

/** What the sessions of a host share, and nothing else has to know. */
function createShared(): Pick<HostServices, 'pending' | 'compiler' | 'retryNow' | 'retrying'> {
  return {
    pending: createPendingAsks(),
    compiler: createPolicyCompiler(),
    retryNow: new Emitter<string>(),
    retrying: new Set<string>(),
  };
}

function openSearch({ state }: DataFolder, { store }: Recorder): SearchIndex {
  return createSearchIndex(store, path.join(state, 'search.db'), { clock: systemClock });
}

function openConfiguration(
  { client, env, warn }: HostServicesOptions,
  acceptances: Acceptances,
): ConfigurationStore {
  return createConfigurationStore({
    expectsSnapshot: client.facts.configure,
    userFile: userSettingsFile(env),
    acceptances,
    env,
    onProblems: (problems) => tellProblems({ client, warn }, problems),
  });
}

function tellProblems(
  { client, warn }: Pick<HostServicesOptions, 'client' | 'warn'>,
  problems: ConfigureResult['problems'],
): void {
  if (!client.facts.problems) return;
  notifyClient(client, 'problemsChanged', { problems }).catch((error) => warn(String(error)));
}

/** The copies, what confines, and what the client is told of both. */
function createSandbox(
  { client, env, warn }: HostServicesOptions,
  data: DataFolder,
  configuration: ConfigurationStore,
) {
  const settings = () => configuration.current(data.scratch).settings;
  const sandbox = createSandboxStatus({ client, settings, warn });
  const test = async () => {
    const opened = await openCopies(data, env);
    sandbox.tested(opened.state);
    return opened;
  };
  const copies = createRetriedCopies(test, systemClock);
  const proof: SandboxProof = {
    isProven: () => sandbox.state()?.proven === true,
    async wasProven() {
      const known = sandbox.state();
      if (known !== undefined) return known.proven;
      return wasProven(toCopies(data), env);
    },
    async prove() {
      const { state, isCurrent } = await copies.open();
      const now = !state.proven || isCurrent() ? state : CHANGED;
      sandbox.tested(now);
      return now;
    },
  };
  const { publish, wantsOffer } = sandbox;
  const offer = () => sandbox.offer(proof.prove);
  const confinement = createConfinement(copies.open, data.state);
  const prepareServer = createServerStart({ env, settings, copies: copies.open, confinement });
  return { copies, sandbox: { ...proof, publish, wantsOffer, offer }, confinement, prepareServer };
}

const CHANGED: SandboxState = {
  proven: false,
  reason: 'Bubblewrap changed or is gone since it was tested. Restart the host to test it again.',
};

function toCopies({ state }: DataFolder): string {
  return path.join(state, 'copies');
}

/** Opens something once, on first use. A failed attempt is retried on the next use. */
function createLazy<Thing>(open: () => Promise<Thing>) {
  let opening: Promise<Thing> | undefined;
  return {
    open(): Promise<Thing> {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    /** Undefined when it was never opened. */
    opened: async (): Promise<Thing | undefined> => opening?.catch(() => undefined),
  };
}

async function openTools(
  { client, env }: Pick<HostServicesOptions, 'client' | 'env'>,
  data: DataFolder,
  parts: Pick<SourceServices, 'acceptances' | 'prepareServer'>,
): Promise<ToolCatalog> {
  const [{ openToolCatalog }, { tellToolChanges }, { createClientSignIns }, { createClientTools }] =
    await Promise.all([
      import('../tools/toolSources.ts'),
      import('../tools/tellToolChanges.ts'),
      import('../tools/signIns.ts'),
      import('../tools/editorTools.ts'),
    ]);
  const storedSecret = (id: string) => fetchSecret(client, id);
  const secrets = client.facts.secret ? { storedSecret } : {};
  const asked = {
    askInput: createAskInput(client),
    signIns: createClientSignIns(client),
    editorTools: createClientTools(client),
    language: client.facts.language,
  };
  const catalog = openToolCatalog({ env, data, ...parts, ...secrets, ...asked });
  tellToolChanges(client, catalog);
  return catalog;
}

async function openModels(client: Client): Promise<ModelService> {
  const { createModelService } = await import('../models/modelService.ts');
  return createModelService(client);
}

async function openCopies(data: DataFolder, env: NodeJS.ProcessEnv): Promise<SessionCopies> {
  const { openSessionCopies } = await import('./sessionCopies.ts');
  return openSessionCopies(toCopies(data), env);
}

/** One line, however many folders can't be removed. */
async function sweepScratch(scratch: ScratchFolders, warn: (message: string) => void) {
  const [first, ...others] = await scratch.sweep();
  if (first === undefined) return;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  warn(`Old scratch folders could not be removed: ${first}${more}. The next host tries again.`);
}

interface RuntimeListeners {
  readonly terminals: ReturnType<typeof createTerminalView>;
  readonly kept: KeptCopies;
}

/** Cleans up after killed hosts before anything new runs. */
async function openRuntimes(
  { client, env, warn }: HostServicesOptions,
  { state }: DataFolder,
  scratch: ScratchFolders,
  { terminals: view, kept }: RuntimeListeners,
): Promise<Runtimes> {
  const [{ createRuntimes }, { recoverJournal }, { sweepSidecars }] = await Promise.all([
    import('./runtimes.ts'),
    import('../../runtime/files/journal.ts'),
    import('../../runtime/sidecars.ts'),
  ]);
  // Nothing waits for it: a session may be opened meanwhile.
  sweepScratch(scratch, warn).catch((fault) => warn(getMessage(fault)));
  await endOrphans();
  await sweepSidecars(state);
  for (const file of await recoverJournal(state, kept.add)) {
    warn(`A write to ${file} was interrupted when its host exited. Its leftovers were cleaned up.`);
  }
  return createRuntimes({ client, env, view });
}
