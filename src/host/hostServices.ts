import { openRecorder, type Recorder } from '../recorder/recorder.ts';
import { createPendingAsks, type PendingAsks } from './asks/asks.ts';
import { createRuleStore, type RuleStore } from './asks/ruleStore.ts';
import type { Client } from './client/client.ts';
import { createTerminalView } from './client/terminals.ts';
import { type Acceptances, openAcceptances } from './config/acceptance.ts';
import { type ConfigurationStore, createConfigurationStore } from './config/configurationStore.ts';
import { type DataFolder, openDataFolder, userSettingsFile } from './config/dataFolder.ts';
import type { Loop } from './loop.ts';
import { endOrphans } from './reaper.ts';
import type { Runtimes } from './session/runtimes.ts';

/** What all sessions of one process share. */
export interface HostServices {
  readonly client: Client;
  readonly env: NodeJS.ProcessEnv;
  readonly data: DataFolder;
  readonly recorder: Recorder;
  readonly configuration: ConfigurationStore;
  readonly acceptances: Acceptances;
  readonly pending: PendingAsks;
  readonly rules: RuleStore;
  warn(message: string): void;
  /** The loop and the tools, loaded once. */
  loop(): Promise<LoadedLoop>;
  /** Ends what a session's commands left running, and removes its sidecars. */
  endSession(sessionId: string): Promise<void>;
  /** Ends every process that was started here, and closes the database. */
  dispose(): Promise<void>;
}

export type LoadedLoop = Loop & { readonly runtimes: Runtimes };

export interface HostServicesOptions {
  readonly client: Client;
  readonly env: NodeJS.ProcessEnv;
  warn(message: string): void;
}

export function openHostServices({ client, env, warn }: HostServicesOptions): HostServices {
  const data = openDataFolder(env);
  const userFile = userSettingsFile(env);
  const acceptances = openAcceptances(data.accepted);
  const recorder = openRecorder(data.database);
  for (const notice of recorder.notices) warn(notice);
  const configuration = createConfigurationStore({
    expectsSnapshot: client.facts.configure,
    userFile,
    acceptances,
    env,
  });
  const rules = createRuleStore({ client, configuration, acceptances, warn });
  const terminals = createTerminalView((event) => client.peer.notify('_gatehouse/terminal', event));
  let loaded: Promise<LoadedLoop> | undefined;
  // What could not be loaded started nothing that would have to be ended, and is tried again.
  const settled = () => loaded?.catch(() => undefined);
  return {
    client,
    env,
    data,
    recorder,
    configuration,
    acceptances,
    pending: createPendingAsks(),
    rules,
    warn,
    loop: () => {
      loaded ??= load({ client, env, warn }, data.state, terminals).catch((error: unknown) => {
        loaded = undefined;
        throw error;
      });
      return loaded;
    },
    endSession: async (sessionId) => (await settled())?.runtimes.endSession(sessionId),
    async dispose() {
      terminals.dispose();
      try {
        await (await settled())?.runtimes.dispose();
      } finally {
        recorder.close();
      }
    },
  };
}

/** What killed processes left behind is cleared up before anything new runs. */
async function load(
  { client, env, warn }: HostServicesOptions,
  state: string,
  view: ReturnType<typeof createTerminalView>,
): Promise<LoadedLoop> {
  const [{ createLoop }, { createRuntimes }, { recoverJournal }, { sweepSidecars }] =
    await Promise.all([
      import('./loop.ts'),
      import('./session/runtimes.ts'),
      import('../runtime/files/journal.ts'),
      import('../runtime/sidecars.ts'),
    ]);
  await endOrphans();
  await sweepSidecars(state);
  for (const file of await recoverJournal(state)) {
    warn(`A write to ${file} was cut off when its host ended; what was left of it is cleared up.`);
  }
  return { ...createLoop(), runtimes: createRuntimes({ client, env, view }) };
}
