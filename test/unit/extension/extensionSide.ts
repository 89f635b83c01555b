import type { Readable, Writable } from 'node:stream';
import { Asks } from '../../../src/extension/asks/asks.ts';
import { Chats } from '../../../src/extension/chat/chats.ts';
import {
  type ClientMethodParts,
  createClientMethods,
} from '../../../src/extension/clientMethods.ts';
import { connect } from '../../../src/extension/host/acpClient.ts';
import type { ClientMethods } from '../../../src/extension/host/connection.ts';
import { HostLink } from '../../../src/extension/host/hostLink.ts';
import { SandboxStore } from '../../../src/extension/host/sandboxStore.ts';
import { CallDiffs } from '../../../src/extension/review/callDiffs.ts';
import type { DocumentEditor } from '../../../src/extension/review/documents.ts';
import type { Reviews } from '../../../src/extension/review/editors/reviews.ts';
import { UnreviewedStore } from '../../../src/extension/unreviewed/unreviewedStore.ts';
import { type Memento, UnsentMessages } from '../../../src/extension/unsentMessages.ts';
import { english } from './english.ts';
import { FakeClock } from './fakeClock.ts';

export const EMPTY_CONFIGURATION = {
  settings: { 'model.id': 'm' },
  rules: [],
  files: [],
  workspace: { roots: ['/work'], adHoc: [], trusted: true },
  editor: {},
};

/** The pipes of a host. */
export interface HostPipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly pid: number;
}

export interface SideOptions {
  /** Starts a host. */
  launch(): HostPipes;
  readonly folder?: string;
  readonly memento?: Memento;
  /** What the host is configured with. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Some of what serves the host's MCP servers. */
  readonly servers?: Partial<ClientMethodParts['servers']>;
}

/** The extension's side of a window whose workspace is `folder`, without the editor. */
export function createExtensionSide({
  launch,
  folder = '/work',
  memento = emptyMemento(),
  settings = EMPTY_CONFIGURATION.settings,
  servers = {},
}: SideOptions) {
  const panes: unknown[] = [];
  const clock = new FakeClock();
  const asks = new Asks(clock);
  const methods: ClientMethods = createClientMethods({
    chats: () => chats,
    ...{ asks, clock, documents: NO_DOCUMENTS },
    diffs: new CallDiffs(NO_DIFFS),
    reviews: NO_REVIEWS,
    unreviewed: new UnreviewedStore(async () => ({ revision: '' })),
    sandbox: new SandboxStore(),
    models: {
      languageModels: async () => ({ models: [] }),
      languageModel: async () => ({}),
    },
    servers: {
      serverInput: async () => ({ value: null }),
      editorTools: async () => ({ tools: [] }),
      editorTool: async () => ({ texts: [] }),
      storeSecret: async () => ({}),
      openBrowser: async () => ({ opened: true }),
      externalUri: async (params) => params,
      ...servers,
    },
    language: { language: async () => ({}) },
    secret: async () => 'k',
    saveRule: async () => '/settings.json',
    foundProblems: () => undefined,
    sessionsChanged: () => link.sessionsChanged(),
    toolsChanged: () => link.toolsChanged(),
    label: (path) => path,
    saved: { answered: () => undefined },
    build: (session) => void chats.send(session, 'Build.'),
    terminal: (params) => panes.push(params),
    located: () => undefined,
  });
  const running = { host: false, ended: 0 };
  const start = () => {
    running.host = true;
    link.hostStarted(launch());
  };
  const link: HostLink = new HostLink({
    start: () => running.host || start(),
    end: () => {
      running.ended += 1;
    },
    clock,
    ...{
      connect,
      methods,
      version: '1.2.3',
      configuration: () => ({ ...EMPTY_CONFIGURATION, settings }),
    },
  });
  const unsent = new UnsentMessages(memento, english, () => chats.unsent);
  const chats: Chats = new Chats({
    ...{ link, asks, clock, t: english, label: (path: string) => path },
    folders: () => ({ cwd: folder, additionalDirectories: [] }),
    shared: () => ({
      header: { model: 'm', tour: false },
      workspace: { trusted: true, folder: true, brokenRules: 0, waitingRules: 0 },
      options: { sendKey: 'enter', expandTools: 'failed', answerInChat: true },
    }),
    unsent,
    log: () => undefined,
  });
  return { chats, unsent, link, asks, clock, panes, running, start };
}

/** A workspace state that outlasts what is started with it. */
export function emptyMemento(): Memento {
  const values = new Map<string, unknown>();
  return {
    get: (key) => values.get(key),
    async update(key, value) {
      // As the editor does, which stores JSON.
      if (value === undefined) values.delete(key);
      else values.set(key, JSON.parse(JSON.stringify(value)));
    },
  };
}

const NO_DOCUMENTS = { workspace: { textDocuments: [] } } as unknown as DocumentEditor;
const NO_DIFFS = {} as never;
const NO_REVIEWS = {
  add: async () => undefined,
  finish: async () => ({ reasons: [] }),
  callEnded: async () => undefined,
} as unknown as Reviews;
