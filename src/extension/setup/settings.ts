import type * as vscode from 'vscode';
import {
  HOST_SETTINGS,
  SETTINGS,
  type SettingKey,
  type SettingValue,
} from '../../base/settings.ts';

/** The part of `vscode.workspace` that settings are read from. */
export type SettingsSource = Pick<typeof vscode.workspace, 'getConfiguration'>;

/** The effective value of a setting. Values of the wrong type are ignored. */
export function readSetting<Key extends SettingKey>(
  source: SettingsSource,
  key: Key,
): SettingValue<Key> {
  const fallback: SettingValue<Key> = SETTINGS[key].default;
  const value = source.getConfiguration('gatehouse').get<SettingValue<Key>>(key);
  if (value === undefined || value === null) return fallback;
  return typeof value === typeof fallback && Array.isArray(value) === Array.isArray(fallback)
    ? value
    : fallback;
}

/** The settings for the host, by name. Rules are sent separately, with their origins. */
export function hostSettings(source: SettingsSource): Readonly<Record<string, unknown>> {
  const configuration = source.getConfiguration('gatehouse');
  const read = (key: string) => {
    const join = STRICTER.get(key);
    return join === undefined ? configuration.get(key) : readStricter(configuration, key, join);
  };
  return Object.fromEntries(Object.keys(HOST_SETTINGS).map((key) => [key, read(key)]));
}

/**
 * The settings that a workspace may only make stricter, and what holds of the user's value and its own: a
 * repository must not lift what its user has set.
 */
const STRICTER: ReadonlyMap<string, (user: unknown, workspace: unknown) => unknown> = new Map([
  // The only mode that writes edits before anybody has seen them.
  ['review.mode', (user: unknown, own: unknown) => (own === 'afterwards' ? user : own)],
  ['tools.disabled', (user: unknown, own: unknown) => [...toList(user), ...toList(own)]],
  ['editorTools', (user: unknown, own: unknown) => (user === false ? user : own)],
]);

function readStricter(
  configuration: vscode.WorkspaceConfiguration,
  key: string,
  join: (user: unknown, workspace: unknown) => unknown,
): unknown {
  const { defaultValue, globalValue, workspaceValue, workspaceFolderValue } =
    configuration.inspect<unknown>(key) ?? {};
  const isSet = (value: unknown) => value !== undefined && value !== null;
  return [workspaceValue, workspaceFolderValue]
    .filter(isSet)
    .reduce<unknown>(join, globalValue ?? defaultValue);
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
