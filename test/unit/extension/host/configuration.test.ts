import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import {
  type ConfigurationSource,
  readConfiguration,
  workspaceSettingsFile,
} from '../../../../src/extension/host/configuration.ts';

const uri = (path: string, scheme = 'file') => ({ scheme, path, fsPath: path }) as vscode.Uri;
const allow = (pattern: string) => ({ permission: 'bash', pattern, action: 'allow' });

interface Given {
  readonly folders?: readonly string[];
  readonly file?: vscode.Uri;
  readonly open?: readonly vscode.Uri[];
  readonly trusted?: boolean;
}

/** A window with a rule of the user, of the workspace and of each folder. */
function openWindow({ folders = [], file, open = [], trusted = true }: Given): ConfigurationSource {
  const inspect = (folder: vscode.Uri | undefined) => ({
    key: 'permissions',
    globalValue: [allow('of the user')],
    workspaceValue: [allow('of the workspace')],
    ...(folder !== undefined && { workspaceFolderValue: [allow(`of ${folder.fsPath}`)] }),
  });
  return {
    workspace: {
      getConfiguration: (_section?: string, scope?: unknown) =>
        ({
          get: () => undefined,
          inspect: (key: string) =>
            key === 'permissions' ? inspect(scope as vscode.Uri | undefined) : undefined,
        }) as unknown as vscode.WorkspaceConfiguration,
      workspaceFolders: folders.map((path, index) => ({ uri: uri(path), name: path, index })),
      workspaceFile: file,
      isTrusted: trusted,
    },
    tabGroups: {
      all: [{ tabs: open.map((each) => ({ input: { uri: each } })) }],
    } as unknown as Pick<vscode.TabGroups, 'all'>,
    appRoot: '/nonexistent',
    userSettings: '/u/User/settings.json',
  };
}

const toRows = (source: ConfigurationSource) =>
  readConfiguration(source).rules.map(({ pattern, origin: { layer, file, folder } }) =>
    [pattern, layer, file, folder].filter((each) => each !== undefined).join(' | '),
  );

test('one folder has its rules in its settings, which are those of the workspace', () => {
  const source = openWindow({ folders: ['/a'] });
  assert.deepEqual(toRows(source), [
    'of the user | user | /u/User/settings.json',
    'of the workspace | workspace | /a/.vscode/settings.json',
  ]);
  const file = { path: '/a/.vscode/settings.json', section: [] };
  assert.deepEqual(workspaceSettingsFile(source.workspace), file);
});

test('of several folders, each has rules in its settings, and the workspace in its file', () => {
  const source = openWindow({ folders: ['/a', '/b'], file: uri('/all.code-workspace') });
  assert.deepEqual(toRows(source), [
    'of the user | user | /u/User/settings.json',
    'of the workspace | workspace | /all.code-workspace',
    'of /a | folder | /a/.vscode/settings.json | /a',
    'of /b | folder | /b/.vscode/settings.json | /b',
  ]);
  const { files } = readConfiguration(source);
  assert.deepEqual(
    files.map(({ layer, path }) => `${layer} ${path}`),
    [
      'user /u/User/settings.json',
      'user /u/Machine/settings.json',
      'workspace /all.code-workspace',
      'folder /a/.vscode/settings.json',
      'folder /b/.vscode/settings.json',
    ],
  );
  const file = { path: '/all.code-workspace', section: ['settings'] };
  assert.deepEqual(workspaceSettingsFile(source.workspace), file);
});

test('a workspace that has no file yet, or no folder, saves where VS Code reads', () => {
  const untitled = openWindow({ folders: ['/a', '/b'], file: uri('1700', 'untitled') });
  assert.equal(workspaceSettingsFile(untitled.workspace)?.path, '/a/.vscode/settings.json');
  assert.equal(workspaceSettingsFile(openWindow({}).workspace), undefined);
});

test('an open file outside the folders opens its folder, but the user’s own settings do not', () => {
  const open = [uri('/a/x.ts'), uri('/b/y.ts'), uri('/u/User/settings.json'), uri('/c', 'git')];
  const { workspace } = readConfiguration(openWindow({ folders: ['/a'], open, trusted: false }));
  assert.deepEqual(workspace, { roots: ['/a'], adHoc: ['/b'], trusted: false });
});
