import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { callEditorTool, listEditorTools } from '../../src/extension/mcp/editorTools.ts';

/** Registered by `test/fixtures/toolExtension`, another extension of the same window. */
const NAME = 'gatehouse_tests_look';

suite('tools of other extensions', () => {
  suiteSetup(async () => {
    await vscode.extensions.getExtension('gatehouse-tests.tool-extension')?.activate();
  });

  test('a tool that another extension registered is listed and called', async () => {
    const { tools } = listEditorTools(vscode.lm);
    const tool = tools.find(({ name }) => name === NAME);
    assert.equal(tool?.description, 'Looks around.');
    assert.deepEqual(tool?.parameters['required'], ['where']);
    const { signal } = new AbortController();
    const call = { name: NAME, input: { where: 'here' } };
    assert.deepEqual(await callEditorTool(vscode.lm, call, signal), { texts: ['A tree is here.'] });
  });

  test('a tool of another extension that fails, or is stopped, gives an error', async () => {
    const { signal } = new AbortController();
    const dark = { name: NAME, input: { where: 'nowhere' } };
    assert.match((await callEditorTool(vscode.lm, dark, signal)).error ?? '', /It is dark/);
    const stopped = new AbortController();
    const call = { name: NAME, input: { where: 'forever' } };
    const ended = callEditorTool(vscode.lm, call, stopped.signal);
    setTimeout(() => stopped.abort(), 0);
    assert.notEqual((await ended).error, undefined);
    const gone = { name: 'gatehouse_tests_gone', input: {} };
    assert.notEqual((await callEditorTool(vscode.lm, gone, signal)).error, undefined);
  });
});
