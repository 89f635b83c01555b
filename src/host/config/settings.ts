import { valueAt } from '../../base/json.ts';
import { LONGEST_TIMER } from '../../base/units.ts';
import { DEFAULT_LIMITS } from '../../runtime/limits.ts';
import type { Limits } from '../../runtime/runtime.ts';

/** The settings the host itself reads, out of `gatehouse.*`. */
export interface Settings {
  readonly model: ModelSettings;
  readonly limits: Limits;
  readonly webSearch: WebSearchSettings;
  readonly declaredTools: DeclaredToolSettings;
  readonly watchdog: WatchdogSettings;
}

export interface WatchdogSettings {
  /** Program and arguments, asked before every call; empty: none. Never from a workspace. */
  readonly command: readonly string[];
}

export interface DeclaredToolSettings {
  /** Milliseconds for a declared tool whose manifest says nothing (decision 45). */
  readonly timeoutMs: number;
  /** Off: `requires_confirmation` asks nobody; without a user such a call is denied all the same. */
  readonly confirmExternalActions: boolean;
  /** Ids of tools that no agent gets. */
  readonly disabled: readonly string[];
}

export interface ModelSettings {
  readonly provider: 'openai-compatible';
  /** Up to and without `/chat/completions`. */
  readonly baseUrl?: string;
  readonly id?: string;
  /** The endpoint came from the environment, so a key there belongs to it. */
  readonly fromEnvironment: boolean;
  /** Tokens the model can hold; 0 when nobody said. */
  readonly contextTokens: number;
}

export interface WebSearchSettings {
  readonly searxngUrl?: string;
  readonly providers: readonly ('searxng' | 'brave' | 'tavily')[];
}

export interface SettingsProblem {
  readonly setting: string;
  readonly message: string;
}

/** A record of settings: `model.id`, `gatehouse.model.id` or nested, as editors and files spell them. */
export type RawSettings = Readonly<Record<string, unknown>>;

/** Reads what is known; a value of the wrong kind is reported and left at its default. */
export function parseSettings(
  raw: RawSettings,
  env: NodeJS.ProcessEnv,
): { readonly settings: Settings; readonly problems: readonly SettingsProblem[] } {
  const problems: SettingsProblem[] = [];
  const settings: Settings = {
    model: parseModel(raw, env, problems),
    limits: parseLimits(raw, problems),
    webSearch: parseWebSearch(raw, problems),
    declaredTools: parseDeclaredTools(raw, problems),
    watchdog: parseWatchdog(raw),
  };
  return { settings, problems };
}

/** The value under one name, however it is spelled; undefined when it is not set. */
export function lookUp(raw: RawSettings, name: string): unknown {
  for (const key of [name, `gatehouse.${name}`]) {
    if (Object.hasOwn(raw, key)) return raw[key];
  }
  return valueAt(raw, name.split('.'));
}

function parseModel(
  raw: RawSettings,
  env: NodeJS.ProcessEnv,
  problems: SettingsProblem[],
): ModelSettings {
  const fromEnvironment = Boolean(env['GATEHOUSE_MODEL_BASE_URL']);
  const baseUrl =
    httpUrl(env['GATEHOUSE_MODEL_BASE_URL'], 'GATEHOUSE_MODEL_BASE_URL', problems) ??
    httpUrl(lookUp(raw, 'model.baseUrl'), 'gatehouse.model.baseUrl', problems);
  const id = env['GATEHOUSE_MODEL_ID'] || text(raw, 'model.id', problems);
  return {
    provider: 'openai-compatible',
    fromEnvironment,
    contextTokens: count(raw, 'model.contextTokens', problems) ?? 0,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(id === undefined ? {} : { id }),
  };
}

function parseLimits(raw: RawSettings, problems: SettingsProblem[]): Limits {
  const limits: { -readonly [Name in keyof Limits]: number } = { ...DEFAULT_LIMITS };
  for (const name of limitNames) {
    const least = MAY_BE_NONE.has(name) ? 0 : 1;
    const asked = count(raw, `limits.${name}`, problems, least) ?? limits[name];
    limits[name] = Math.min(asked, LONGEST_TIMER);
  }
  return limits;
}

/** Limits of which none at all makes sense; a time or a size of nothing would end every call at once. */
const MAY_BE_NONE: ReadonlySet<keyof Limits> = new Set(['webSearchCalls', 'modelRetries']);

const limitNames: readonly (keyof Limits)[] = [
  'readBytes',
  'globEntries',
  'grepMatches',
  'bashBytes',
  'webFetchBytes',
  'bashTimeoutMs',
  'toolTimeoutMs',
  'webSearchCalls',
  'webSearchTimeoutMs',
  'webFetchTimeoutMs',
  'turnSteps',
  'modelFirstChunkMs',
  'modelChunkMs',
  'modelRetries',
];

/** Seconds a declared tool has when its manifest says nothing. */
const TOOL_SECONDS = 30;

function parseDeclaredTools(raw: RawSettings, problems: SettingsProblem[]): DeclaredToolSettings {
  const seconds = count(raw, 'tools.timeout', problems) || TOOL_SECONDS;
  return {
    timeoutMs: Math.min(seconds, 86_400) * 1000,
    confirmExternalActions: lookUp(raw, 'security.confirmExternalActions') !== false,
    disabled: texts(lookUp(raw, 'tools.disabled')),
  };
}

/**
 * A command that cannot be read must not read as "no watchdog": one that cannot start stands for
 * it, and so every call is denied until the setting is mended (CA-40).
 */
function parseWatchdog(raw: RawSettings): WatchdogSettings {
  const value = lookUp(raw, 'watchdog.command');
  if (value === undefined || value === null) return { command: [] };
  const words = texts(value);
  const readable = Array.isArray(value) && words.length === value.length && words[0] !== '';
  return { command: readable ? words : [''] };
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function parseWebSearch(raw: RawSettings, problems: SettingsProblem[]): WebSearchSettings {
  const searxngUrl = httpUrl(
    lookUp(raw, 'webSearch.searxngUrl'),
    'gatehouse.webSearch.searxngUrl',
    problems,
  );
  const named = lookUp(raw, 'webSearch.providers');
  const providers = Array.isArray(named) ? SEARCH_PROVIDERS.filter((id) => named.includes(id)) : [];
  return { providers, ...(searxngUrl === undefined ? {} : { searxngUrl }) };
}

const SEARCH_PROVIDERS = ['searxng', 'brave', 'tavily'] as const;

function text(raw: RawSettings, name: string, problems: SettingsProblem[]): string | undefined {
  const value = lookUp(raw, name);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  problems.push({ setting: `gatehouse.${name}`, message: 'It must be a text.' });
  return undefined;
}

function count(
  raw: RawSettings,
  name: string,
  problems: SettingsProblem[],
  least = 0,
): number | undefined {
  const value = lookUp(raw, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least) return value;
  const message = `It must be a whole number, ${least} or more.`;
  problems.push({ setting: `gatehouse.${name}`, message });
  return undefined;
}

function httpUrl(value: unknown, setting: string, problems: SettingsProblem[]): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value;
  problems.push({
    setting,
    message: 'It must be an http or https URL, such as http://127.0.0.1:11434/v1.',
  });
  return undefined;
}
