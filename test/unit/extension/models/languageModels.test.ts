import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LanguageModelCall, LanguageModelPart } from '../../../../src/acp/gatehouse/client.ts';
import {
  type LanguageModelParts,
  listLanguageModels,
  runLanguageModel,
} from '../../../../src/extension/models/languageModels.ts';

/** Stand-ins for the classes of VS Code's Language Model API, as its documentation describes them. */
class Text {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}
class Call {
  readonly callId: string;
  readonly name: string;
  readonly input: object;
  constructor(callId: string, name: string, input: object) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}
class Result {
  readonly callId: string;
  readonly content: readonly unknown[];
  constructor(callId: string, content: readonly unknown[]) {
    this.callId = callId;
    this.content = content;
  }
}
const api = {
  LanguageModelTextPart: Text,
  LanguageModelToolCallPart: Call,
  LanguageModelToolResultPart: Result,
  LanguageModelDataPart: {
    image: (data: Uint8Array, mimeType: string) => ({ bytes: data.length, mimeType }),
  },
  LanguageModelChatMessage: {
    User: (content: unknown) => ({ role: 'user', content }),
    Assistant: (content: unknown) => ({ role: 'assistant', content }),
  },
};

interface Request {
  readonly messages: unknown;
  readonly options: { readonly justification?: string; readonly tools?: readonly object[] };
  readonly token: { readonly isCancellationRequested: boolean };
}

function createBed(answer: (request: Request) => AsyncIterable<unknown>) {
  const seen: Request[] = [];
  const model = {
    ...{ id: 'one', name: 'One', vendor: 'copilot', maxInputTokens: 64_000 },
    async sendRequest(messages: unknown, options: Request['options'], token: Request['token']) {
      const request = { messages, options, token };
      seen.push(request);
      return { stream: answer(request) };
    },
  };
  const lm = { selectChatModels: async () => [model, { ...model, id: '' }] };
  const parts = { lm, api, justification: 'Why.' } as unknown as LanguageModelParts;
  const sent: LanguageModelPart['part'][] = [];
  const run = (call: Partial<LanguageModelCall>, signal = new AbortController().signal) =>
    runLanguageModel(
      parts,
      { callId: 'c', modelId: 'one', messages: [], tools: [], ...call },
      async ({ part }) => sent.push(part),
      signal,
    );
  return { parts, seen, sent, run };
}

test('VS Code: the models are listed with vendor and context window, without asking the user', async () => {
  const { parts } = createBed(async function* () {});
  assert.deepEqual(await listLanguageModels(parts), {
    models: [{ id: 'one', name: 'One', vendor: 'copilot', contextTokens: 64_000 }],
  });
});

test('VS Code: a request has messages, an image, calls, results, tools and the reason to ask', async () => {
  const { run, seen, sent } = createBed(async function* () {
    yield new Text('Both.');
    yield { ofAnotherKind: true };
    yield new Call('x', 'read', { path: 'b' });
  });
  const result = await run({
    messages: [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'Look.' },
          { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
        ],
      },
      { role: 'assistant', parts: [{ type: 'call', id: 'a', name: 'read', input: { path: 'a' } }] },
      { role: 'user', parts: [{ type: 'result', id: 'a', text: 'content' }] },
    ],
    tools: [{ name: 'read', description: 'Reads.', parameters: { type: 'object' } }],
  });
  assert.deepEqual(result, {});
  assert.deepEqual(seen[0]?.messages, [
    { role: 'user', content: [new Text('Look.'), { bytes: 8, mimeType: 'image/png' }] },
    { role: 'assistant', content: [new Call('a', 'read', { path: 'a' })] },
    { role: 'user', content: [new Result('a', [new Text('content')])] },
  ]);
  assert.deepEqual(seen[0]?.options, {
    justification: 'Why.',
    tools: [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }],
  });
  assert.deepEqual(sent, [
    { type: 'text', text: 'Both.' },
    { type: 'call', id: 'x', name: 'read', input: { path: 'b' } },
  ]);
});

test('VS Code: a refusal has its code and cause, and a model that is gone is said', async () => {
  const cause = new Error('The user declined.');
  const { run } = createBed(() => {
    throw Object.assign(new Error('Failed', { cause }), { code: 'NoPermissions' });
  });
  const refused = { code: 'NoPermissions', message: 'The user declined.' };
  assert.deepEqual(await run({}), { error: refused });
  const gone = { code: 'NotFound', message: 'two is not offered.' };
  assert.deepEqual(await run({ modelId: 'two' }), { error: gone });
});

test('VS Code: a cancel reaches the model, and nothing is sent after it', async () => {
  const stop = new AbortController();
  const { run, sent, seen } = createBed(async function* () {
    yield new Text('One.');
    stop.abort();
    yield new Text('Two.');
  });
  await run({}, stop.signal);
  assert.deepEqual(sent, [{ type: 'text', text: 'One.' }]);
  assert.equal(seen[0]?.token.isCancellationRequested, true);
});
