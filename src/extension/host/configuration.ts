import { existsSync } from 'node:fs';
import path from 'node:path';
import type * as vscode from 'vscode';
import type {
  ConfigurationSnapshot,
  ConfiguredRule,
  SettingsFile,
} from '../../acp/gatehouse/configure.ts';
import { toRecord } from '../../base/json.ts';
import { hostSettings } from '../setup/settings.ts';

/** The parts of the editor that a configuration snapshot is read from. */
export interface ConfigurationSource {
  readonly workspace: Pick<
    typeof vscode.workspace,
    'getConfiguration' | 'workspaceFolders' | 'workspaceFile' | 'isTrusted'
  >;
  readonly tabGroups: Pick<vscode.TabGroups, 'all'>;
  readonly appRoot: string;
  /** The path of the user settings file, if known. */
  readonly userSettings: string | undefined;
}

/** Reads the snapshot for the host: settings, rules with their origins, folders and trust. */
export function readConfiguration(source: ConfigurationSource): ConfigurationSnapshot {
  const roots = (source.workspace.workspaceFolders ?? []).flatMap(({ uri }) =>
    uri.scheme === 'file' ? [uri.fsPath] : [],
  );
  const rgPath = findRipgrep(source.appRoot);
  return {
    settings: hostSettings(source.workspace),
    rules: readRules(source),
    files: findFiles(source),
    workspace: { roots, adHoc: adHocFolders(source, roots), trusted: source.workspace.isTrusted },
    editor: rgPath === undefined ? {} : { rgPath },
  };
}

/** The file for workspace rules: the `.code-workspace` file, or the first folder's settings. */
export function workspaceSettingsFile({
  workspaceFile,
  workspaceFolders,
}: Pick<typeof vscode.workspace, 'workspaceFile' | 'workspaceFolders'>):
  | { readonly path: string; readonly section: readonly string[] }
  | undefined {
  if (workspaceFile?.scheme === 'file')
    return { path: workspaceFile.fsPath, section: ['settings'] };
  const [first] = workspaceFolders ?? [];
  if (first?.uri.scheme !== 'file') return undefined;
  return { path: toFolderSettings(first.uri.fsPath), section: [] };
}

/** The rules of all settings files, each as written. */
export function readRules({
  workspace,
  userSettings,
}: Pick<ConfigurationSource, 'workspace' | 'userSettings'>): readonly ConfiguredRule[] {
  const layers = workspace.getConfiguration('gatehouse').inspect<unknown>('permissions');
  const workspaceFile = workspaceSettingsFile(workspace)?.path;
  // With one folder and no workspace file, the folder settings are the workspace settings.
  const folders = workspace.workspaceFile === undefined ? [] : (workspace.workspaceFolders ?? []);
  return [
    ...toRules(layers?.globalValue, 'user', userSettings),
    ...toRules(layers?.workspaceValue, 'workspace', workspaceFile),
    ...folders.flatMap((folder) => {
      const own = workspace
        .getConfiguration('gatehouse', folder.uri)
        .inspect<unknown>('permissions');
      const file = toFolderSettings(folder.uri.fsPath);
      return toRules(own?.workspaceFolderValue, 'folder', file, folder.uri.fsPath);
    }),
  ];
}

/** The settings files of the editor. The host looks whether they can be read. */
function findFiles({ workspace, userSettings }: ConfigurationSource): readonly SettingsFile[] {
  const workspaceFile = workspaceSettingsFile(workspace)?.path;
  const folders = workspace.workspaceFile === undefined ? [] : (workspace.workspaceFolders ?? []);
  return [
    ...(userSettings === undefined ? [] : [userSettings, toMachineSettings(userSettings)]).map(
      (file) => ({ layer: 'user', path: file }) as const,
    ),
    ...(workspaceFile === undefined ? [] : [{ layer: 'workspace', path: workspaceFile } as const]),
    ...folders.flatMap(({ uri }) =>
      uri.scheme === 'file'
        ? [{ layer: 'folder', path: toFolderSettings(uri.fsPath), folder: uri.fsPath } as const]
        : [],
    ),
  ];
}

/** On a remote machine, VS Code merges these into the user's settings. */
function toMachineSettings(userSettings: string): string {
  return path.join(path.dirname(userSettings), '..', 'Machine', path.basename(userSettings));
}

function toFolderSettings(folder: string): string {
  return path.join(folder, '.vscode', 'settings.json');
}

function toRules(
  value: unknown,
  layer: ConfiguredRule['origin']['layer'],
  file: string | undefined,
  folder?: string,
): readonly ConfiguredRule[] {
  if (value === undefined || value === null) return [];
  // What is no list may have been meant as a deny, so it is sent as one rule that can't be read.
  const entries: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  return entries.map((entry, index) => {
    const { permission, pattern, action, added_at } = toRecord(entry);
    const origin = {
      layer,
      index,
      ...(file !== undefined && { file }),
      ...(folder !== undefined && { folder }),
    };
    const fields = {
      permission: toScalar(permission),
      pattern: toScalar(pattern),
      action: toScalar(action),
    };
    const age = added_at === undefined ? {} : { added_at: toScalar(added_at) };
    return { ...fields, ...age, origin };
  });
}

/** No field may be a list, an object or null, and what is nested deeply can't be sent: any wrong value will do. */
function toScalar(value: unknown): unknown {
  return typeof value === 'object' ? false : value;
}

/**
 * Folders of files in open tabs outside the workspace folders, until the tab closes (spec C-37).
 */
function adHocFolders(
  { tabGroups, userSettings }: ConfigurationSource,
  roots: readonly string[],
): readonly string[] {
  const editorsOwn = userSettings === undefined ? [] : [path.dirname(userSettings)];
  const folders = new Set<string>();
  for (const tab of tabGroups.all.flatMap((group) => group.tabs)) {
    const file = getFile(tab.input);
    if (file === undefined) continue;
    // Agents get no access to the user settings, even while they are open.
    if (![...roots, ...editorsOwn].some((root) => isInside(file, root)))
      folders.add(path.dirname(file));
  }
  return [...folders];
}

function getFile(input: unknown): string | undefined {
  const uri = toRecord(input)['uri'];
  if (typeof uri !== 'object' || uri === null || !('scheme' in uri) || uri.scheme !== 'file')
    return undefined;
  return 'fsPath' in uri && typeof uri.fsPath === 'string' ? uri.fsPath : undefined;
}

function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** The path of VS Code's ripgrep, which differs between versions. */
function findRipgrep(appRoot: string): string | undefined {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const platform = `${process.platform}-${process.arch}`;
  const folders = [
    ['@vscode', 'ripgrep-universal', 'bin', platform, name],
    ['@vscode', 'ripgrep', 'bin', name],
  ];
  return ['node_modules', 'node_modules.asar.unpacked']
    .flatMap((modules) => folders.map((parts) => path.join(appRoot, modules, ...parts)))
    .find((file) => existsSync(file));
}
