import { KB } from './units.ts';

/**
 * Every setting under `gatehouse.`, declared once with its type, default and bounds. The host, the
 * extension and the limits read this table; a test compares `package.json` with it.
 */
export type SettingSchema =
  | { readonly type: 'string'; readonly default: string; readonly format?: 'url' }
  | { readonly type: 'enum'; readonly default: string; readonly values: readonly string[] }
  | ({ readonly type: 'integer'; readonly default: number } & IntegerBounds)
  | { readonly type: 'number'; readonly default: number; readonly minimum: number }
  | { readonly type: 'boolean'; readonly default: boolean }
  | {
      readonly type: 'list';
      readonly default: readonly string[];
      /** The allowed items; any text when absent. */
      readonly values?: readonly string[];
    }
  | { readonly type: 'rules'; readonly default: readonly unknown[] }
  | { readonly type: 'object'; readonly default: Readonly<Record<string, unknown>> };

interface IntegerBounds {
  readonly minimum: number;
  /** Larger values are reduced to this one. */
  readonly maximum?: number;
}

/**
 * Settings that the host reads. Limits are bytes, milliseconds or counts, as their names indicate.
 */
export const HOST_SETTINGS = {
  'model.provider': choice('openai-compatible', [
    'vscode',
    'ollama',
    'lmstudio',
    'llamacpp',
    'anthropic',
    'openai',
    'openai-chat',
    'google',
    'openrouter',
    'openai-compatible',
  ]),
  'model.baseUrl': url(),
  'model.id': text(),
  'model.contextTokens': integer(0, { minimum: 0 }),
  'model.small': text(),
  'model.reasoning': choice('default', ['default', 'none', 'low', 'medium', 'high']),
  'model.images': { type: 'boolean', default: true as boolean },
  'webSearch.providers': listAmong('searxng', 'brave', 'tavily'),
  'webSearch.searxngUrl': url(),
  'tools.timeout': integer(30, { minimum: 1, maximum: 86_400 }),
  'tools.disabled': list(),
  'skills.paths': list(),
  'toolSearch.enabled': { type: 'boolean', default: true as boolean },
  'toolSearch.threshold': integer(20, { minimum: 0, maximum: 10_000 }),
  'toolSearch.maxMatches': integer(10, { minimum: 1, maximum: 50 }),
  'security.confirmExternalActions': { type: 'boolean', default: true as boolean },
  editorTools: { type: 'boolean', default: true as boolean },
  mcp: { type: 'object', default: {} as Readonly<Record<string, unknown>> },
  'watchdog.command': list(),
  'environment.pass': list(),
  'sandbox.mode': choice('auto', ['auto', 'require', 'off']),
  'sandbox.autoRun': { type: 'boolean', default: false as boolean },
  'review.mode': choice('each', ['each', 'turn', 'afterwards']),
  // Zero: sessions are kept until the user deletes them.
  'sessions.keepDays': integer(0, { minimum: 0, maximum: 36_500 }),
  'sessions.keepArchivedDays': integer(0, { minimum: 0, maximum: 36_500 }),
  'sessions.keepNewest': integer(0, { minimum: 0 }),
  'limits.readBytes': integer(200 * KB),
  'limits.globEntries': integer(1000),
  'limits.grepMatches': integer(200),
  'limits.bashBytes': integer(200 * KB),
  'limits.webFetchBytes': integer(200 * KB),
  'limits.bashTimeoutMs': integer(120_000),
  // Zero: nobody is asked.
  'limits.commandAnswerMs': integer(120_000, { minimum: 0 }),
  'limits.toolTimeoutMs': integer(60_000),
  // Zero makes sense only for a few; any other zero time or size would end every call at once.
  'limits.webSearchCalls': integer(25, { minimum: 0 }),
  'limits.modelRetries': integer(4, { minimum: 0 }),
  // US dollars; zero: no limit.
  'limits.sessionCost': { type: 'number', default: 0 as number, minimum: 0 },
  'limits.dayCost': { type: 'number', default: 0 as number, minimum: 0 },
  // Zero: no limit.
  'limits.unpricedTokens': integer(2_000_000, { minimum: 0 }),
  'limits.webSearchTimeoutMs': integer(15_000),
  'limits.webFetchTimeoutMs': integer(25_000),
  // Zero: nothing is looked at, so what a look would decide asks.
  'limits.lookMs': integer(500, { minimum: 0, maximum: 60_000 }),
  'limits.schemaMs': integer(1000, { minimum: 10, maximum: 60_000 }),
  'limits.watchdogMs': integer(5000, { minimum: 100, maximum: 60_000 }),
  'limits.serverStartMs': integer(4000, { minimum: 0, maximum: 120_000 }),
  'limits.turnSteps': integer(100),
  'limits.modelFirstChunkMs': integer(120_000),
  'limits.modelChunkMs': integer(60_000),
} as const satisfies Readonly<Record<string, SettingSchema>>;

/**
 * Settings that only the extension reads. Rules are sent to the host separately, with their
 * origins.
 */
const EDITOR_SETTINGS = {
  permissions: { type: 'rules', default: [] as readonly unknown[] },
  'ask.surface': choice('both', ['both', 'quickPick', 'chat']),
  'edits.openDiff': choice('onClick', ['onClick', 'background', 'focus']),
  'edits.save': choice('ifClean', ['never', 'ifClean', 'always']),
  'notify.whenWaiting': choice('windowNotFocused', ['off', 'windowNotFocused', 'always']),
  'notify.whenDone': choice('windowNotFocused', ['off', 'windowNotFocused', 'always']),
  'notify.sound': { type: 'boolean', default: false as boolean },
  'notify.system': { type: 'boolean', default: false as boolean },
  codeActions: { type: 'boolean', default: true as boolean },
  'chat.sendKey': choice('enter', ['enter', 'modEnter']),
  'chat.expandTools': choice('failed', ['failed', 'all', 'none']),
} as const satisfies Readonly<Record<string, SettingSchema>>;

export const SETTINGS = { ...HOST_SETTINGS, ...EDITOR_SETTINGS };

export type SettingKey = keyof typeof SETTINGS;
export type HostSettingKey = keyof typeof HOST_SETTINGS;
export type SettingValue<Key extends SettingKey> = (typeof SETTINGS)[Key]['default'];

function text() {
  return { type: 'string', default: '' as string } as const;
}

/** An http or https URL, or empty. */
function url() {
  return { type: 'string', default: '' as string, format: 'url' } as const;
}

function integer(value: number, bounds: IntegerBounds = { minimum: 1 }) {
  return { type: 'integer', default: value, ...bounds } as const;
}

function list() {
  return { type: 'list', default: [] as readonly string[] } as const;
}

function listAmong<const Value extends string>(...values: readonly Value[]) {
  return { type: 'list', default: [] as readonly Value[], values } as const;
}

function choice<const Value extends string>(value: Value, values: readonly Value[]) {
  return { type: 'enum', default: value, values } as const;
}
