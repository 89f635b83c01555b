import { toRecord } from '../../base/json.ts';
import { type MetaHolder, toMeta } from './meta.ts';
import { boolean, decoration, object, type Parser } from './parse.ts';

/** The version of everything beyond ACP. Another version is as good as none. */
const VERSION = 1;

/** What a client can do beyond ACP (`clientCapabilities._meta.gatehouse`). */
export interface ClientExtensions {
  /** It sends the user's settings. */
  readonly configure?: boolean;
  readonly secret?: boolean;
  readonly saveRule?: boolean;
  readonly documents?: boolean;
  /** It shows panes of the host's commands; true when it does not say. */
  readonly terminal?: boolean;
  /** It takes notifications about queued prompts. */
  readonly queue?: boolean;
}

/** What a host can do beyond ACP (`agentCapabilities._meta.gatehouse`). */
export interface HostExtensions {
  readonly explain?: boolean;
  readonly accept?: boolean;
  readonly pending?: boolean;
  /** It lists, scaffolds and tries tools. */
  readonly tools?: boolean;
  /** It pages the history of a session. */
  readonly history?: boolean;
  /** It lists queued prompts, and removes or changes one. */
  readonly queue?: boolean;
}

const flag = decoration(boolean);

const parseClientExtensions = object<ClientExtensions>({
  configure: flag,
  secret: flag,
  saveRule: flag,
  documents: flag,
  terminal: flag,
  queue: flag,
});

const parseHostExtensions = object<HostExtensions>({
  explain: flag,
  accept: flag,
  pending: flag,
  tools: flag,
  history: flag,
  queue: flag,
});

/** Undefined for a client that does not speak our version. */
export function readClientExtensions(
  capabilities: MetaHolder | null | undefined,
): ClientExtensions | undefined {
  return readExtensions(capabilities, parseClientExtensions);
}

/** Undefined for a host that does not speak our version. */
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
