import path from 'node:path';
import {
  anything,
  boolean,
  decoration,
  list,
  matching,
  number,
  object,
  optional,
  type Parser,
  parseOneOf,
  record,
  string,
  text,
  WireError,
  withDefault,
} from './parse.ts';
import { parseRule, type WireRule } from './rules.ts';

/** A complete snapshot of the user's settings, sent after `initialize` and after every change. */
export interface ConfigurationSnapshot {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly rules: readonly ConfiguredRule[];
  /** The files that the settings come from, as far as the client knows them. They may not exist. */
  readonly files: readonly SettingsFile[];
  readonly workspace: {
    readonly roots: readonly string[];
    /** Folders of open files that are outside every workspace folder. */
    readonly adHoc: readonly string[];
    readonly trusted: boolean;
  };
  readonly editor: { readonly rgPath?: string };
}

export interface SettingsFile {
  readonly layer: 'user' | 'workspace' | 'folder';
  /** Absolute path. */
  readonly path: string;
  /** The workspace folder whose settings the file has; of the layer `folder` only. */
  readonly folder?: string;
}

/** A rule as written in a settings file. The host validates its fields. */
export interface ConfiguredRule {
  readonly permission?: unknown;
  readonly pattern?: unknown;
  readonly action?: unknown;
  readonly added_at?: unknown;
  readonly origin: ConfiguredOrigin;
}

export interface ConfiguredOrigin {
  readonly layer: 'default' | 'user' | 'workspace' | 'folder';
  readonly file?: string;
  readonly folder?: string;
  readonly index: number;
}

export interface ConfigureResult {
  readonly problems: readonly ReportedProblem[];
}

export interface ReportedProblem {
  readonly origin?: { readonly layer?: string; readonly file?: string; readonly index?: number };
  readonly message: string;
  /** Set if a settings file can't be read completely: the line of the error, or 0 if there is none. */
  readonly damagedLine?: number;
  /** Set if nothing is wrong, but the rule has no effect until the user accepts it: by `accept` with this hash. */
  readonly waiting?: { readonly rule: WireRule; readonly hash: string };
}

const parseFolder = matching(path.isAbsolute, 'Must be an absolute path.');

const parseEntry = object<Omit<ConfiguredRule, 'origin'>>({
  permission: optional(anything),
  pattern: optional(anything),
  action: optional(anything),
  added_at: optional(anything),
});

/** A rule with an unreadable origin counts as a workspace rule, which can only restrict. */
function parseConfiguredRules(value: unknown, field = ''): readonly ConfiguredRule[] {
  return list(anything)(value, field).map((entry, index) => ({
    ...parseEntry(entry, `${field}[${index}]`),
    origin: parseOriginAt(record(entry, `${field}[${index}]`)['origin'], index),
  }));
}

function parseOriginAt(value: unknown, index: number): ConfiguredOrigin {
  const parse = object<ConfiguredOrigin>({
    layer: parseOneOf('default', 'user', 'workspace', 'folder'),
    file: optional(string),
    folder: optional(string),
    index: withDefault(number, index),
  });
  try {
    return parse(value);
  } catch (error) {
    if (error instanceof WireError) return { layer: 'workspace', index };
    throw error;
  }
}

export const parseSnapshot: Parser<ConfigurationSnapshot> = object<ConfigurationSnapshot>({
  settings: withDefault(record, {}),
  rules: withDefault(parseConfiguredRules, []),
  files: withDefault(
    list(
      object<SettingsFile>({
        layer: parseOneOf('user', 'workspace', 'folder'),
        path: parseFolder,
        folder: optional(string),
      }),
    ),
    [],
  ),
  workspace: object<ConfigurationSnapshot['workspace']>({
    roots: withDefault(list(parseFolder), []),
    adHoc: withDefault(list(parseFolder), []),
    // Untrusted unless the client says otherwise.
    trusted: withDefault(boolean, false),
  }),
  editor: withDefault(
    object<ConfigurationSnapshot['editor']>({ rgPath: decoration(parseFolder) }),
    {},
  ),
});

export const parseConfigureResult: Parser<ConfigureResult> = object<ConfigureResult>({
  problems: withDefault(
    list(
      object<ReportedProblem>({
        origin: decoration(
          object<NonNullable<ReportedProblem['origin']>>({
            layer: decoration(string),
            file: decoration(string),
            index: decoration(number),
          }),
        ),
        message: string,
        damagedLine: decoration(number),
        waiting: decoration(
          object<NonNullable<ReportedProblem['waiting']>>({ rule: parseRule, hash: string }),
        ),
      }),
    ),
    [],
  ),
});

/** The sandbox of the host. */
export interface SandboxStatus {
  /** `untested`: nothing has needed it yet; `off`: the settings turn it off. */
  readonly state: 'proven' | 'unproven' | 'untested' | 'off';
  /** Why it isn't proven: one sentence. */
  readonly reason?: string;
  /** What runs for real has to be confined. */
  readonly required?: boolean;
  /** A request was answered that a copy would have saved. Sent once to a client that offers copies. */
  readonly offer?: boolean;
}

export const parseSandboxStatus: Parser<SandboxStatus> = object<SandboxStatus>({
  state: parseOneOf('proven', 'unproven', 'untested', 'off'),
  reason: optional(string),
  required: optional(boolean),
  offer: optional(boolean),
});

/** Which models to list. */
export interface ModelsQuery {
  /** Asks the providers again; default: what is known already. */
  readonly refresh?: boolean;
  /** Only this provider. */
  readonly provider?: string;
  /** Its address, instead of the one that is set. */
  readonly baseUrl?: string;
  /** The user asked for nothing: no other machine is contacted with a key that they did not give to Gatehouse. */
  readonly unasked?: boolean;
}

/** The models that a user could choose, by provider, in the order in which they are offered. */
export interface ModelListing {
  /** When the prices were read, such as `2026-06-30`. */
  readonly pricesFrom: string;
  readonly providers: readonly ListedProvider[];
}

export interface ListedProvider {
  readonly id: string;
  readonly label: string;
  /** `local`: a program on this machine, which costs nothing. */
  readonly kind: 'editor' | 'local' | 'cloud' | 'endpoint';
  /** `found`: its models are listed; `key`: it needs one; `absent`: nothing is there; `failed`: see `problem`. */
  readonly state: 'found' | 'key' | 'absent' | 'failed';
  /** The name of its key in the editor's secret storage; absent if it takes none. */
  readonly keyId?: string;
  readonly baseUrl?: string;
  /** Where its key comes from: `stored` in the editor, or a variable. */
  readonly keyFrom?: string;
  readonly problem?: string;
  readonly models: readonly ListedModel[];
}

export interface ListedModel {
  /** The value of the session's `model` option, and of `gatehouse.model.id` with its provider. */
  readonly ref: string;
  readonly id: string;
  readonly name?: string;
  readonly contextTokens?: number;
  readonly images?: boolean;
  readonly tools?: boolean;
  /** US dollars for a million tokens of input and of output. */
  readonly price?: { readonly input: number; readonly output: number };
  readonly account?: string;
}

export interface TryModel {
  readonly ref: string;
  /** The address of its provider, instead of the one that is set. */
  readonly baseUrl?: string;
}

/** What a model answered to one real request. */
export interface TriedModel {
  readonly answered: boolean;
  /** Why not, for the user. */
  readonly problem?: string;
  /** The kind of the fault. */
  readonly kind?: string;
}

export const parseModelsQuery: Parser<ModelsQuery> = object<ModelsQuery>({
  refresh: optional(boolean),
  provider: optional(string),
  baseUrl: optional(string),
  unasked: optional(boolean),
});

export const parseModelListing: Parser<ModelListing> = object<ModelListing>({
  pricesFrom: string,
  providers: list(
    object<ListedProvider>({
      id: text,
      label: string,
      kind: parseOneOf('editor', 'local', 'cloud', 'endpoint'),
      state: parseOneOf('found', 'key', 'absent', 'failed'),
      keyId: optional(string),
      baseUrl: optional(string),
      keyFrom: optional(string),
      problem: optional(string),
      models: list(
        object<ListedModel>({
          ref: text,
          id: text,
          name: optional(string),
          contextTokens: optional(number),
          images: optional(boolean),
          tools: optional(boolean),
          price: optional(
            object<NonNullable<ListedModel['price']>>({ input: number, output: number }),
          ),
          account: optional(string),
        }),
      ),
    }),
  ),
});

export const parseTryModel: Parser<TryModel> = object<TryModel>({
  ref: text,
  baseUrl: optional(string),
});

export const parseTriedModel: Parser<TriedModel> = object<TriedModel>({
  answered: boolean,
  problem: optional(string),
  kind: optional(string),
});
