import path from 'node:path';
import { readRegularText } from '../../base/disk/readRegular.ts';
import { toRecord } from '../../base/json.ts';
import type { RuleOrigin } from '../../permissions/rules/rule.ts';
import type { Sources, WrittenRule } from './configuration.ts';
import { readStamp } from './fileStamp.ts';
import { lookUp, type RawSettings } from './settings.ts';
import { parseSettingsFile, type SettingsFault } from './settingsFault.ts';

/**
 * The two settings files that stand for the client's snapshot outside VS Code: the user's, and the workspace's, of which
 * only the rules count. They can only tighten until the user accepts them.
 */
export function readSettingsFiles(userFile: string, cwd: string): Sources {
  const workspaceFile = workspaceSettingsFile(cwd);
  const user = readSettings(userFile);
  const workspace = readSettings(workspaceFile);
  return {
    raw: { ...user, ...toSafeMode(user) },
    rules: [
      ...toRules(user, { layer: 'user', file: userFile }),
      ...toRules(workspace, { layer: 'workspace', file: workspaceFile, folder: cwd }),
    ],
  };
}

/** A damaged file may hide that the user requires a sandbox. */
function toSafeMode(user: ReadSettings | undefined): RawSettings {
  const isHidden = user?.[FAULT] !== undefined && lookUp(user, 'sandbox.mode') === undefined;
  return isHidden ? { 'sandbox.mode': 'require' } : {};
}

/** The file of the workspace's settings, which may not exist. */
export function workspaceSettingsFile(cwd: string): string {
  return path.join(cwd, '.vscode', 'settings.json');
}

/** Changes when one of the two files changes, so that it can key a cache. */
export function settingsStamp(userFile: string, cwd: string): string {
  return [userFile, workspaceSettingsFile(cwd)].map(readStamp).join();
}

/** Marks a file that is not fully readable. The unreadable part may hold a deny, so the rest must not allow by itself. */
const FAULT = Symbol('fault');

type ReadSettings = RawSettings & { readonly [FAULT]?: SettingsFault };

/** Reads JSON with comments, as VS Code writes it. A missing file gives undefined. */
function readSettings(file: string): ReadSettings | undefined {
  const read = readRegularText(file);
  if (read.state === 'absent') return undefined;
  const { values, fault } = parseSettingsFile(read);
  return fault === undefined ? values : { ...values, [FAULT]: fault };
}

function toRules(
  settings: ReadSettings | undefined,
  origin: Omit<RuleOrigin, 'index'>,
): readonly WrittenRule[] {
  if (settings === undefined) return [];
  const written = lookUp(settings, 'permissions');
  const rules: readonly unknown[] = Array.isArray(written) ? written : [];
  // An unreadable entry could hide a deny, so it becomes an ask, and is reported (spec decision 8).
  const unreadable = written !== undefined && !Array.isArray(written);
  const read = [...rules, ...(unreadable ? [undefined] : [])].map((entry, index) => ({
    entry: toRecord(entry),
    origin: { ...origin, index },
  }));
  const fault = settings[FAULT];
  if (fault === undefined) return read;
  return [...read, { entry: {}, origin: { ...origin, index: read.length }, fault }];
}
