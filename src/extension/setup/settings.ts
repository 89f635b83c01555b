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
  return Object.fromEntries(Object.keys(HOST_SETTINGS).map((key) => [key, configuration.get(key)]));
}
