import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  callEditorTool,
  listEditorTools,
  type ToolApi,
} from '../../../../src/extension/mcp/editorTools.ts';

const SIGNAL = new AbortController().signal;

function createApi(invokeTool: (name: string, options: unknown) => Promise<unknown>): ToolApi {
  const tools = [
    { name: 'look', description: 'Looks.', inputSchema: { type: 'object' }, tags: [] },
    { name: 'bare', description: 'Has no schema.', inputSchema: undefined, tags: [] },
  ];
  return { tools, invokeTool } as unknown as ToolApi;
}

test('the tools of other extensions are listed with their schemas', () => {
  assert.deepEqual(listEditorTools(createApi(async () => ({ content: [] }))), {
    tools: [
      { name: 'look', description: 'Looks.', parameters: { type: 'object' } },
      { name: 'bare', description: 'Has no schema.', parameters: {} },
    ],
  });
});

test('texts, other parts and failures of a tool of another extension', async () => {
  const given: unknown[] = [];
  const api = createApi(async (name, options) => {
    given.push(name, options);
    const data = { mimeType: 'image/png', data: new Uint8Array() };
    return { content: [{ value: 'A tree.' }, { value: { a: 1 } }, data] };
  });
  const call = { name: 'look', input: { where: 'up' } };
  assert.deepEqual(await callEditorTool(api, call, SIGNAL), {
    texts: ['A tree.', '{"a":1}', '(image/png, not shown)'],
  });
  assert.deepEqual(given, ['look', { input: { where: 'up' }, toolInvocationToken: undefined }]);
  const broken = createApi(() => Promise.reject(new Error('It is dark.')));
  assert.deepEqual(await callEditorTool(broken, call, SIGNAL), {
    ...{ texts: [], error: 'It is dark.' },
  });
});
