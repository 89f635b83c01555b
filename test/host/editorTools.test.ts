import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { callEditorTool, listEditorTools } from '../../src/extension/mcp/editorTools.ts';
import { type ModelRequest, type Reply, startModelServer } from '../tour/server.ts';
import { openWindow } from '../unit/extension/storedSession.ts';
import { until } from '../workbench/processes.ts';

const TOOL = 'vscode_test_weather';

suite('the tools of other extensions', () => {
  const data = mkdtempSync(path.join(tmpdir(), 'gatehouse-data-'));
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const root = vscode.extensions.getExtension('gatehouse.gatehouse')?.extensionPath ?? '';
  /** The calls that reached VS Code. */
  const called: string[] = [];
  const sent: ModelRequest[] = [];

  suiteTeardown(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));

  /** One turn for each city, in a host of its own that asks this window for its tools. */
  async function open() {
    const script = (request: ModelRequest): Reply => {
      sent.push(request);
      const { prompt, results } = request.conversation;
      return results.length > 0
        ? { text: `Told ${prompt}.` }
        : { calls: [{ tool: TOOL, input: { city: prompt } }] };
    };
    const model = await startModelServer({ script });
    const host = [path.join(root, 'dist/host/main.mjs')];
    const window = openWindow(
      data,
      folder,
      host,
      {},
      {
        settings: {
          'model.baseUrl': model.url,
          'model.id': 'scripted',
          'toolSearch.enabled': false,
        },
        servers: {
          editorTools: async () => listEditorTools(vscode.lm),
          editorTool: (call, signal) => {
            called.push(JSON.stringify(call));
            return callEditorTool(vscode.lm, call, signal);
          },
        },
      },
    );
    const chat = window.chats.blank();
    chat.watch();
    return { ...window, chat, stop: () => model.stop() };
  }

  test('issue 18: a tool that another extension registered with VS Code is listed, asked about, denied, allowed, and may fail', async () => {
    await until('the registered tool', async () =>
      vscode.lm.tools.some(({ name }) => name === 'test_weather'),
    );
    const window = await open();
    const { chats, chat, asks, clock } = window;
    const answer = async (optionId: string) => {
      const pending = await until('the request', async () => asks.pending[0]);
      clock.tick(1000);
      assert.equal(pending.tool, TOOL);
      assert.match(JSON.stringify(pending.ask), /mcp:vscode:test_weather/);
      assert.ok(asks.answer(pending.ask.id, { kind: 'option', optionId }));
    };
    try {
      for (const [city, optionId] of [
        ['Oslo', 'reject'],
        ['Rome', 'allow'],
        ['Atlantis', 'allow'],
      ] as const) {
        const turn = chats.send(chat, city);
        await answer(optionId);
        await turn;
      }
    } finally {
      window.close();
      await window.stop();
    }
    assert.deepEqual(called, [
      '{"name":"test_weather","input":{"city":"Rome"}}',
      '{"name":"test_weather","input":{"city":"Atlantis"}}',
    ]);
    const [first] = sent;
    assert.ok(first?.conversation.tools.includes(TOOL), 'it is offered');
    assert.match(JSON.stringify(first?.body), /Tells the weather of a city\./);
    const told = sent.flatMap(({ conversation }) =>
      conversation.results.map((result) => JSON.stringify(result)),
    );
    assert.equal(told.length, 3);
    assert.match(told[1] ?? '', /It rains in Rome\./);
    assert.match(told[2] ?? '', /There is no such city\./);
  });
});
