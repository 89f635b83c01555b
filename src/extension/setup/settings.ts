import type * as vscode from 'vscode';

/**
 * Every setting and its default, as package.json declares them (a test compares the two). A setting
 * that nothing reads does not stand here.
 */
export const SETTINGS = {
  permissions: [] as readonly unknown[],
  'watchdog.command': [] as readonly string[],
  'model.baseUrl': '',
  'model.id': '',
  'model.contextTokens': 0,
  'ask.surface': 'both' as 'quickPick' | 'chat' | 'both',
  'edits.openDiff': 'onClick' as 'onClick' | 'background' | 'focus',
  'edits.save': 'ifClean' as 'never' | 'ifClean' | 'always',
  'notify.whenWaiting': 'windowNotFocused' as 'off' | 'windowNotFocused' | 'always',
  'chat.sendKey': 'enter' as 'enter' | 'modEnter',
  'chat.expandTools': 'failed' as 'failed' | 'all' | 'none',
  'webSearch.providers': [] as readonly string[],
  'webSearch.searxngUrl': '',
  'tools.timeout': 30,
  'tools.disabled': [] as readonly string[],
  'security.confirmExternalActions': true,
  'limits.readBytes': 204_800,
  'limits.globEntries': 1_000,
  'limits.grepMatches': 200,
  'limits.bashBytes': 204_800,
  'limits.webFetchBytes': 204_800,
  'limits.bashTimeoutMs': 120_000,
  'limits.toolTimeoutMs': 60_000,
  'limits.webSearchCalls': 25,
  'limits.webSearchTimeoutMs': 15_000,
  'limits.webFetchTimeoutMs': 25_000,
  'limits.turnSteps': 100,
  'limits.modelFirstChunkMs': 120_000,
  'limits.modelChunkMs': 60_000,
  'limits.modelRetries': 4,
};

export type Settings = typeof SETTINGS;
export type SettingKey = keyof Settings;

/** The part of `vscode.workspace` settings are read from. */
export type SettingsSource = Pick<typeof vscode.workspace, 'getConfiguration'>;

/** One setting as it is in force. A value of the wrong kind counts as not set. */
export function readSetting<Key extends SettingKey>(
  source: SettingsSource,
  key: Key,
): Settings[Key] {
  const fallback = SETTINGS[key];
  const value = source.getConfiguration('gatehouse').get<Settings[Key]>(key);
  if (value === undefined || value === null) return fallback;
  return typeof value === typeof fallback && Array.isArray(value) === Array.isArray(fallback)
    ? value
    : fallback;
}

/** Everything the host reads, under the names it knows. Rules travel apart, with their origins. */
export function hostSettings(source: SettingsSource): Readonly<Record<string, unknown>> {
  const configuration = source.getConfiguration('gatehouse');
  const keys = Object.keys(SETTINGS).filter((key) =>
    /^(model|webSearch|tools|security|watchdog|limits)\./.test(key),
  );
  return Object.fromEntries(keys.map((key) => [key, configuration.get(key)]));
}
