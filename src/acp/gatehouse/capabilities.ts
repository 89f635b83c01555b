import { toRecord } from '../../base/json.ts';
import { boolean, decoration, type MetaHolder, object, type Parser, toMeta } from './parse.ts';

/** The version of all messages beyond ACP. A peer with another version counts as having none. */
const VERSION = 1;

/** The client's capabilities beyond ACP (`clientCapabilities._meta.gatehouse`). */
export interface ClientExtensions {
  /** It sends the user's settings. */
  readonly configure?: boolean;
  readonly secret?: boolean;
  readonly saveRule?: boolean;
  readonly documents?: boolean;
  /** It displays panes for the host's commands. Default: true. */
  readonly terminal?: boolean;
  /** It accepts notifications about queued prompts. */
  readonly queue?: boolean;
  /**
   * It shows that the queue is paused, and resumes it. For other clients, a turn that fails ends the
   * prompts behind it.
   */
  readonly resumeQueue?: boolean;
  /** It shows permission requests that no call of a turn made: the review of several calls' changes. */
  readonly review?: boolean;
  /**
   * It continues unfinished turns by `_gatehouse/continue`. For other clients the host does, when it
   * loads a session whose last turn broke off while the user was asked.
   */
  readonly continue?: boolean;
  /** It shows changes that are on disk and await the user's review. */
  readonly unreviewed?: boolean;
  /** It shows the tools, and is told when they change. */
  readonly toolChanges?: boolean;
  /** It lists the stored sessions, and is told when they change. */
  readonly sessions?: boolean;
  /** It shows the state of the sandbox. */
  readonly sandbox?: boolean;
  /** It offers the user that commands run in a copy, once. */
  readonly sandboxOffer?: boolean;
  /** It shows the problems of its settings, also when they change without the settings. */
  readonly problems?: boolean;
  /** It serves the editor's language models. */
  readonly languageModels?: boolean;
  /** It asks the user for values that MCP servers need. */
  readonly serverInput?: boolean;
  /** It lists and calls the tools of the editor's other extensions. */
  readonly editorTools?: boolean;
  /** It answers questions about code by the editor's language features. */
  readonly language?: boolean;
  /** It signs the user in to MCP servers: it opens pages in the browser and stores what a sign-in left. */
  readonly signIn?: boolean;
}

/** The host's capabilities beyond ACP (`agentCapabilities._meta.gatehouse`). */
export interface HostExtensions {
  readonly explain?: boolean;
  /** It keeps a log of decisions. */
  readonly decisions?: boolean;
  /** It lists the rules in force, with their hits. */
  readonly rules?: boolean;
  readonly accept?: boolean;
  readonly pending?: boolean;
  /** It lists, scaffolds and tries out tools. */
  readonly tools?: boolean;
  /** It returns the history of a session in pages. */
  readonly history?: boolean;
  /** It searches, renames, forks, rewinds, exports and imports sessions. */
  readonly sessions?: boolean;
  /** It lists queued prompts, and removes or edits one. */
  readonly queue?: boolean;
  /** It asks about the changes of a session that wait, when requested. */
  readonly review?: boolean;
  /** It continues a turn that broke off. */
  readonly continue?: boolean;
  /** It lists models, and tries one. */
  readonly models?: boolean;
}

const flag = decoration(boolean);

const parseClientExtensions = object<ClientExtensions>({
  configure: flag,
  secret: flag,
  saveRule: flag,
  documents: flag,
  terminal: flag,
  queue: flag,
  resumeQueue: flag,
  review: flag,
  continue: flag,
  unreviewed: flag,
  toolChanges: flag,
  sessions: flag,
  sandbox: flag,
  sandboxOffer: flag,
  problems: flag,
  languageModels: flag,
  serverInput: flag,
  editorTools: flag,
  language: flag,
  signIn: flag,
});

const parseHostExtensions = object<HostExtensions>({
  explain: flag,
  rules: flag,
  decisions: flag,
  accept: flag,
  pending: flag,
  tools: flag,
  history: flag,
  sessions: flag,
  queue: flag,
  review: flag,
  continue: flag,
  models: flag,
});

/** Undefined for a client with another version, or without our extensions. */
export function readClientExtensions(
  capabilities: MetaHolder | null | undefined,
): ClientExtensions | undefined {
  return readExtensions(capabilities, parseClientExtensions);
}

/** Undefined for a host with another version, or without our extensions. */
export function readHostExtensions(
  capabilities: MetaHolder | null | undefined,
): HostExtensions | undefined {
  return readExtensions(capabilities, parseHostExtensions);
}

export function toExtensions<Extensions extends ClientExtensions | HostExtensions>(
  extensions: Extensions,
) {
  return toMeta({ v: VERSION, ...extensions });
}

function readExtensions<Extensions>(
  capabilities: MetaHolder | null | undefined,
  parser: Parser<Extensions>,
): Extensions | undefined {
  const own = toRecord(capabilities?._meta?.['gatehouse']);
  return own['v'] === VERSION ? parser(own) : undefined;
}
