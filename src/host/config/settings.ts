import { isRecord, valueAt } from '../../base/json.ts';
import {
  HOST_SETTINGS,
  type HostSettingKey,
  type SettingSchema,
  type SettingValue,
} from '../../base/settings.ts';
import { LONGEST_TIMER } from '../../base/units.ts';
import { type Limits, toLimits } from '../../runtime/limits.ts';

/** The settings the host itself reads, out of `gatehouse.*`. */
export interface Settings {
  readonly model: ModelSettings;
  readonly limits: Limits;
  readonly webSearch: WebSearchSettings;
  readonly declaredTools: DeclaredToolSettings;
  readonly toolSearch: ToolSearchSettings;
  /** More folders of skills. Never set by a workspace. */
  readonly skillPaths: readonly string[];
  /** MCP servers by name, not validated. Never set by a workspace. */
  readonly mcp: Readonly<Record<string, unknown>>;
  /** The tools of the editor's other extensions are offered. */
  readonly editorTools: boolean;
  readonly watchdog: WatchdogSettings;
  /** Variables that commands get besides the ordinary ones: names, and prefixes such as `MY_*`. */
  readonly passedVariables: readonly string[];
  /** `require`: programs that run for real are confined, or refused; `off`: nothing is confined. */
  readonly sandboxMode: SettingValue<'sandbox.mode'>;
  /** Commands that no rule decides run in a copy of the workspace, where there is a sandbox. */
  readonly runsInCopy: boolean;
  /** When the user reviews file changes: each proposal, or those of a turn together. */
  readonly reviewMode: SettingValue<'review.mode'>;
  /** Never set by a workspace. */
  readonly retention: RetentionSettings;
}

/** Which sessions are deleted by themselves; 0: none for this reason. */
export interface RetentionSettings {
  /** Days after which a session that was not used goes. */
  readonly keepDays: number;
  /** Days after which an archived session goes. */
  readonly keepArchivedDays: number;
  /** The sessions beyond so many that were used since go. */
  readonly keepNewest: number;
}

export interface WatchdogSettings {
  /** Program and arguments, run before every call; empty: none. Never set by a workspace. */
  readonly command: readonly string[];
}

export interface DeclaredToolSettings {
  /** Time limit in milliseconds of a declared tool whose manifest sets none (spec decision 45). */
  readonly timeoutMs: number;
  /** False: `requires_confirmation` does not ask. Without a user such a call is still denied. */
  readonly confirmExternalActions: boolean;
  /** Time limit in milliseconds for one schema of a declared tool. */
  readonly schemaMs: number;
  /** Ids of tools that are disabled for all agents. */
  readonly disabled: readonly string[];
}

/** When tools are searched instead of being sent with every request (spec CS-55). */
export interface ToolSearchSettings {
  readonly enabled: boolean;
  /** Tools are searched when there are more than this. */
  readonly threshold: number;
  /** The most tools that one search finds. */
  readonly maxMatches: number;
}

export interface ModelSettings {
  readonly provider: SettingValue<'model.provider'>;
  /** The address of the provider; without the `/chat/completions` suffix. */
  readonly baseUrl?: string;
  readonly id?: string;
  /** The endpoint came from the environment, so a key there belongs to it. */
  readonly fromEnvironment: boolean;
  /** The model's context window in tokens; 0 when unknown. */
  readonly contextTokens: number;
  /** Whether the model reads images; otherwise the prompt only names them. */
  readonly images: boolean;
  /** The model for titles and summaries, as `provider:id`; empty: the session's own. */
  readonly small: string;
  readonly reasoning: SettingValue<'model.reasoning'>;
}

export interface WebSearchSettings {
  readonly searxngUrl?: string;
  readonly providers: SettingValue<'webSearch.providers'>;
}

export interface SettingsProblem {
  readonly setting: string;
  readonly message: string;
}

/** Settings by key. Editors and files may write `model.id`, `gatehouse.model.id` or nested objects. */
export type RawSettings = Readonly<Record<string, unknown>>;

/** Parses the host's settings. An invalid value is reported, and its default is used. */
export function parseSettings(
  raw: RawSettings,
  env: NodeJS.ProcessEnv,
): { readonly settings: Settings; readonly problems: readonly SettingsProblem[] } {
  const problems: SettingsProblem[] = [];
  const read: ReadSetting = (key) => readSetting(raw, key, problems);
  const model = parseModel(read, env, problems);
  // Node's timers cannot be longer.
  const limits = toLimits((key) => Math.min(read(key), LONGEST_TIMER));
  const sandboxMode = parseSandboxMode(raw, read);
  const settings: Settings = {
    model,
    limits,
    webSearch: parseWebSearch(read),
    declaredTools: {
      timeoutMs: read('tools.timeout') * 1000,
      confirmExternalActions: read('security.confirmExternalActions'),
      schemaMs: limits.schemaMs,
      disabled: read('tools.disabled'),
    },
    toolSearch: {
      enabled: read('toolSearch.enabled'),
      threshold: read('toolSearch.threshold'),
      maxMatches: read('toolSearch.maxMatches'),
    },
    skillPaths: read('skills.paths'),
    mcp: read('mcp'),
    editorTools: read('editorTools'),
    watchdog: parseWatchdog(raw),
    passedVariables: parsePassed(read, problems),
    sandboxMode,
    runsInCopy: sandboxMode !== 'off' && read('sandbox.autoRun'),
    reviewMode: read('review.mode'),
    retention: {
      keepDays: read('sessions.keepDays'),
      keepArchivedDays: read('sessions.keepArchivedDays'),
      keepNewest: read('sessions.keepNewest'),
    },
  };
  return { settings, problems };
}

type ReadSetting = <Key extends HostSettingKey>(key: Key) => SettingValue<Key>;

/** The value of a setting in any of its spellings; undefined when it is not set. */
export function lookUp(raw: RawSettings, name: string): unknown {
  for (const key of [name, `gatehouse.${name}`]) {
    if (Object.hasOwn(raw, key)) return raw[key];
  }
  return valueAt(raw, name.split('.'));
}

function readSetting<Key extends HostSettingKey>(
  raw: RawSettings,
  key: Key,
  problems: SettingsProblem[],
): SettingValue<Key> {
  const schema: SettingSchema = HOST_SETTINGS[key];
  const value = lookUp(raw, key);
  const parsed = value === undefined || value === null ? undefined : parseValue(schema, value);
  if (parsed !== undefined && !parsed.ok) {
    problems.push({ setting: `gatehouse.${key}`, message: parsed.message });
  }
  // Both values have the type that the key's schema defines.
  return (parsed?.ok ? parsed.value : schema.default) as SettingValue<Key>;
}

type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** Checks one value against its schema. */
function parseValue(schema: SettingSchema, value: unknown): Parsed {
  switch (schema.type) {
    case 'integer': {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < schema.minimum)
        return invalid(`Must be an integer of ${schema.minimum} or more.`);
      return valid(Math.min(value, schema.maximum ?? value));
    }
    case 'number':
      return typeof value === 'number' && value >= schema.minimum
        ? valid(value)
        : invalid(`Must be a number of ${schema.minimum} or more.`);
    case 'string':
      if (typeof value !== 'string') return invalid('Must be a string.');
      return schema.format === 'url' && value !== '' && !isHttpUrl(value)
        ? invalid(NOT_A_URL)
        : valid(value);
    case 'boolean':
      return typeof value === 'boolean' ? valid(value) : invalid('Must be true or false.');
    case 'list':
      return parseList(schema.values, value);
    case 'enum':
      return schema.values.some((each) => each === value)
        ? valid(value)
        : invalid(`Must be one of ${schema.values.join(', ')}.`);
    case 'object':
      return isRecord(value) ? valid(value) : invalid('Must be an object.');
    case 'rules':
      return Array.isArray(value) ? valid(value) : invalid('Must be a list of rules.');
  }
}

/** Drops items that are not strings or that the schema does not list. */
function parseList(known: readonly string[] | undefined, value: unknown): Parsed {
  if (!Array.isArray(value)) return invalid('Must be a list of strings.');
  const items = value.filter((each) => typeof each === 'string');
  return valid(known === undefined ? items : known.filter((each) => items.includes(each)));
}

function valid(value: unknown): Parsed {
  return { ok: true, value };
}

function invalid(message: string): Parsed {
  return { ok: false, message };
}

const NOT_A_URL = 'Must be an http or https URL, such as http://127.0.0.1:11434/v1.';

function isHttpUrl(value: string): boolean {
  return /^https?:$/.test(URL.parse(value)?.protocol ?? '');
}

function parseModel(
  read: ReadSetting,
  env: NodeJS.ProcessEnv,
  problems: SettingsProblem[],
): ModelSettings {
  const own = env['GATEHOUSE_MODEL_BASE_URL'] ?? '';
  if (own !== '' && !isHttpUrl(own)) {
    problems.push({ setting: 'GATEHOUSE_MODEL_BASE_URL', message: NOT_A_URL });
  }
  const baseUrl = isHttpUrl(own) ? own : read('model.baseUrl');
  const id = env['GATEHOUSE_MODEL_ID'] || read('model.id');
  return {
    // An endpoint of the environment is one that speaks OpenAI's language.
    provider: own === '' ? read('model.provider') : 'openai-compatible',
    fromEnvironment: own !== '',
    small: read('model.small'),
    reasoning: read('model.reasoning'),
    contextTokens: read('model.contextTokens'),
    images: read('model.images'),
    ...(baseUrl !== '' && { baseUrl }),
    ...(id !== '' && { id }),
  };
}

/**
 * A command that cannot be parsed must not read as "no watchdog": a command that cannot start takes
 * its place, so every call is denied until the setting is fixed (spec CA-40).
 */
function parseWatchdog(raw: RawSettings): WatchdogSettings {
  const value = lookUp(raw, 'watchdog.command');
  if (value === undefined || value === null) return { command: [] };
  const words = Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  const readable = Array.isArray(value) && words.length === value.length && words[0] !== '';
  return { command: readable ? words : [''] };
}

/** What an item of `gatehouse.environment.pass` looks like: a name, or a prefix such as `MY_*`. */
const PASS_ITEM = /^[A-Za-z_][A-Za-z0-9_().-]*$|^[A-Za-z][A-Za-z0-9_]*_\*$/;

/** A wrong item passes nothing, and the others still count. */
function parsePassed(read: ReadSetting, problems: SettingsProblem[]): readonly string[] {
  const items = read('environment.pass');
  const wrong = items.filter((item) => !PASS_ITEM.test(item));
  for (const item of wrong) {
    const message = `${JSON.stringify(item)} must be a name such as JAVA_HOME or a prefix such as MY_*.`;
    problems.push({ setting: 'gatehouse.environment.pass', message });
  }
  return items.filter((item) => PASS_ITEM.test(item));
}

/** A mode that cannot be read must not turn off a sandbox that the user requires. */
function parseSandboxMode(raw: RawSettings, read: ReadSetting): Settings['sandboxMode'] {
  const mode = read('sandbox.mode');
  const written = lookUp(raw, 'sandbox.mode');
  return written === undefined || written === null || written === mode ? mode : 'require';
}

function parseWebSearch(read: ReadSetting): WebSearchSettings {
  const searxngUrl = read('webSearch.searxngUrl');
  return { providers: read('webSearch.providers'), ...(searxngUrl !== '' && { searxngUrl }) };
}
