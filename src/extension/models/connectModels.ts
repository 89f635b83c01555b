import * as vscode from 'vscode';

import { asString, fieldAt } from '../../base/json.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import type { Chats } from '../chat/chats.ts';
import { toOptionUpdate } from '../chat/sessionChoices.ts';
import type { HostLink } from '../host/hostLink.ts';
import { setApiKey, signOut } from '../setup/apiKeys.ts';
import {
  type ModelSetupParts,
  type ModelValues,
  pickModel,
  setModel,
  useModel,
} from '../setup/modelSetup.ts';
import { toWrites } from '../setup/modelWrites.ts';
import type { Secrets } from '../setup/secrets.ts';
import { readSetting } from '../setup/settings.ts';

export interface ModelActionParts {
  readonly chats: Chats;
  readonly link: HostLink;
  readonly secrets: Secrets;
  readonly memory: vscode.Memento;
  session(): ChatSession;
}

const t = vscode.l10n.t;

/** The commands about models and their keys. */
export function createModelActions(parts: ModelActionParts) {
  const setup = toSetupParts(parts);
  return {
    setModel: (from?: unknown) => setModel(telling(setup, from)),
    useModel: (named: unknown) => useNamed(setup, named),
    chooseModel: (from?: unknown) => chooseModel(parts, telling(setup, from), parts.session()),
    setApiKey: (from?: unknown) => setApiKey(telling(setup, from), asString(fieldAt(from, 'ref'))),
    clearApiKey: () => signOut(setup),
  };
}

/** Tells who ran the command, if that is a page, when something was chosen (`runAsking`). */
function telling(setup: ModelSetupParts, from: unknown): ModelSetupParts {
  const chosen = fieldAt(from, 'chosen');
  return typeof chosen === 'function' ? { ...setup, chosen: () => void chosen() } : setup;
}

function toSetupParts({ chats, link, secrets, memory }: ModelActionParts): ModelSetupParts {
  return {
    window: vscode.window,
    secrets,
    t,
    progress: showProgress,
    models: async (query) => (await link.connection()).call('models', query),
    tryModel: async (query) => (await link.connection()).call('tryModel', query),
    read: (key) => readSetting(vscode.workspace, key),
    write: (values) => {
      const written = writeSettings(values);
      chats.hold(written);
      return written;
    },
    recent: toRecent(memory),
  };
}

/** Rejects with a cancellation if the user ends it; what comes of the work then counts no more. */
function showProgress<Result>(title: string, work: () => Promise<Result>): Thenable<Result> {
  const location = vscode.ProgressLocation.Notification;
  const options = { location, title, cancellable: true };
  return vscode.window.withProgress(options, (_, token) => {
    const ended = Promise.withResolvers<never>();
    token.onCancellationRequested(() => ended.reject(new vscode.CancellationError()));
    return Promise.race([work(), ended.promise]);
  });
}

async function writeSettings(values: ModelValues): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('gatehouse');
  for (const [key, value] of toWrites(values, (each) => readSetting(vscode.workspace, each))) {
    await configuration.update(key, value, vscode.ConfigurationTarget.Global);
  }
}

/** Global state key: the references of the models that were used last. */
const RECENT = 'gatehouse.recentModels';
const MOST_RECENT = 5;

function toRecent(memory: vscode.Memento): ModelSetupParts['recent'] {
  const get = () => {
    const stored: unknown = memory.get(RECENT);
    return Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
  };
  return {
    get,
    add: (ref) => {
      const refs = [ref, ...get().filter((each) => each !== ref)].slice(0, MOST_RECENT);
      void memory.update(RECENT, refs);
    },
  };
}

/** Uses a model that the empty chat offers. */
async function useNamed(setup: ModelSetupParts, named: unknown): Promise<void> {
  const ref = asString(fieldAt(named, 'ref'));
  const { providers } = await setup.models({ unasked: true });
  const found = providers.flatMap((provider) =>
    provider.models.filter((model) => model.ref === ref).map((model) => ({ model, provider })),
  );
  const [wanted] = found;
  if (wanted === undefined) await setModel(setup);
  else await useModel(setup, wanted);
}

/** Changes the model of one session. Without any model yet, that of all. */
async function chooseModel(
  { chats, link }: ModelActionParts,
  setup: ModelSetupParts,
  session: ChatSession,
): Promise<void> {
  await chats.ensure(session);
  const option = session.state.choices?.find(({ id }) => id === 'model');
  if (option === undefined) return setModel(setup);
  const wanted = await pickModel(setup, t('Model of This Session'), option.current?.value);
  if (wanted === undefined) return;
  setup.chosen?.();
  if (wanted.baseUrl !== undefined) {
    // Another address has to be set, which all sessions use.
    await useModel(setup, wanted);
    return;
  }
  const value = wanted.model.ref;
  // The host may be another one by now.
  const sessionId = await chats.ensure(session);
  const connection = await link.connection();
  const change = { sessionId, configId: 'model', value };
  const { configOptions } = await connection.setConfigOption(change);
  session.update(toOptionUpdate(configOptions));
  setup.recent.add(value);
}
