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
