import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import { HOST_SETTINGS } from '../../../../src/base/settings.ts';
import { hostSettings } from '../../../../src/extension/setup/settings.ts';

type Values = Readonly<Record<string, unknown>>;

/** What the host gets of these settings. The editor's own value is that of the workspace. */
function read(user: Values, workspace: Values, folder: Values = {}): Values {
  const configuration = {
    get: (key: string) => folder[key] ?? workspace[key] ?? user[key],
    inspect: (key: string) => ({
      ...{ key, globalValue: user[key], workspaceValue: workspace[key] },
      workspaceFolderValue: folder[key],
    }),
  };
  return hostSettings({
    getConfiguration: () => configuration as unknown as vscode.WorkspaceConfiguration,
  });
}

const MODE = 'review.mode';

for (const [user, workspace, expected] of [
  [undefined, 'afterwards', undefined],
  ['each', 'afterwards', 'each'],
  ['turn', 'afterwards', 'turn'],
  ['afterwards', 'afterwards', 'afterwards'],
  ['afterwards', 'each', 'each'],
  ['afterwards', undefined, 'afterwards'],
  [undefined, 'turn', 'turn'],
] as const) {
  test(`the review mode ${user} of the user and ${workspace} of the workspace is ${expected}`, () => {
    assert.equal(read({ [MODE]: user }, { [MODE]: workspace })[MODE], expected);
    assert.equal(read({ [MODE]: user }, {}, { [MODE]: workspace })[MODE], expected);
  });
}

test('a workspace disables more tools, and enables none that the user has disabled', () => {
  const key = 'tools.disabled';
  assert.deepEqual(read({ [key]: ['bash'] }, { [key]: [] })[key], ['bash']);
  assert.deepEqual(read({ [key]: ['bash'] }, { [key]: ['lsp'] })[key], ['bash', 'lsp']);
  assert.deepEqual(read({}, { [key]: ['lsp'] })[key], ['lsp']);
});

test('a workspace does not turn on the tools of other extensions that the user turned off', () => {
  assert.equal(read({ editorTools: false }, { editorTools: true })['editorTools'], false);
  assert.equal(read({ editorTools: true }, { editorTools: false })['editorTools'], false);
});

test('each setting of the host that a workspace can set is one that it can only make stricter', () => {
  const manifest = new URL('../../../../package.json', import.meta.url);
  const { contributes } = JSON.parse(readFileSync(manifest, 'utf8'));
  const scopes = Object.assign(
    {},
    ...[contributes.configuration].flat().map(({ properties }: Values) => properties),
  );
  const keys = Object.keys(HOST_SETTINGS).filter((key) =>
    ['window', 'resource'].includes(scopes[`gatehouse.${key}`].scope),
  );
  // How tools are found allows nothing.
  const own = keys.filter((key) => !key.startsWith('toolSearch.'));
  assert.deepEqual(own.sort(), ['editorTools', MODE, 'tools.disabled'].sort());
});
