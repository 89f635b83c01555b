import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { toFault } from '../../../../src/agent/endpoint/faults.ts';
import { google } from '../../../../src/agent/providers/google.ts';
import { type Answer, CALL, events, json, play, serve, summarize } from './loopback.ts';

// https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse
const STREAM = [
  toChunk([{ text: 'Let me see.', thought: true }]),
  toChunk([{ text: 'Both.' }]),
  toChunk([
    { functionCall: { name: 'read', args: { path: 'a' } }, thoughtSignature: 'CiQB' },
    { functionCall: { name: 'read', args: { path: 'b' } } },
  ]),
  {
    candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      ...{ promptTokenCount: 2125, candidatesTokenCount: 49, thoughtsTokenCount: 40 },
      ...{ cachedContentTokenCount: 2000, totalTokenCount: 2214 },
    },
  },
];

function toChunk(parts: readonly object[]) {
  return { candidates: [{ content: { role: 'model', parts }, index: 0 }] };
}

test('Google: a streamed answer has its thoughts, text, parallel calls, stop reason and cached usage', async (t) => {
  const { model } = await open(t, () => events(STREAM));
  const parts = await play(model);
  assert.deepEqual(summarize(parts), {
    ...{ text: 'Both.', reasoning: 'Let me see.', reason: 'tool-calls' },
    calls: ['read {"path":"a"}', 'read {"path":"b"}'],
    ...{ input: 2125, cached: 2000, output: 89 },
  });
  assert.match(JSON.stringify(parts), /"thoughtSignature":"CiQB"/);
});

test('Google: a request has the documented shape, asks for thoughts and sends signatures back', async (t) => {
  const { model, seen } = await open(t, () => events(STREAM));
  const prompt = CALL.prompt.map((message) =>
    message.role === 'assistant'
      ? {
          ...message,
          content: message.content.map((part) => ({
            ...part,
            ...(part.type === 'tool-call' && {
              providerOptions: { google: { thoughtSignature: 'CiQB' } },
            }),
          })),
        }
      : message,
  );
  await play(model, { ...CALL, prompt });
  const [{ url, headers, body } = assert.fail()] = seen;
  assert.equal(url, '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse');
  assert.equal(headers['x-goog-api-key'], 'key');
  assert.match(JSON.stringify(body['generationConfig']), /"includeThoughts":true/);
  assert.match(JSON.stringify(body['systemInstruction']), /You are a test\./);
  const text = JSON.stringify(body['contents']);
  assert.match(text, /"inlineData":\{"mimeType":"image\/png"/);
  assert.match(text, /"functionCall":\{[^}]*"name":"read"/);
  assert.match(text, /"thoughtSignature":"CiQB"/);
  assert.match(text, /"functionResponse":\{[^}]*"name":"read"/);
});

for (const [what, code, status, message, kind] of [
  ['a wrong key', 403, 'PERMISSION_DENIED', 'Method lacks an API key', 'unauthorized'],
  ['a key that is none', 400, 'INVALID_ARGUMENT', 'API key not valid. Pass one.', 'unauthorized'],
  ['a rate limit', 429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted', 'rate-limited'],
  ['an unknown model', 404, 'NOT_FOUND', 'models/x is not found for API v1beta', 'model-gone'],
  [
    'too much text',
    400,
    'INVALID_ARGUMENT',
    'The input token count (9) exceeds the maximum number of tokens allowed (5).',
    'context-length',
  ],
] as const) {
  test(`Google: ${what} is the fault ${kind}`, async (t) => {
    const { model } = await open(t, () => json({ error: { code, message, status } }, code));
    const fault = await play(model).catch((error: unknown) => toFault(error, 0));
    assert.equal('kind' in fault && fault.kind, kind);
  });
}

test('Google: a quota by the minute is a rate limit with its wait, one by the day is used up', async (t) => {
  const fail = async (quotaId: string) => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' },
    ];
    const message = 'You exceeded your current quota, please check your plan.';
    const error = { code: 429, message, status: 'RESOURCE_EXHAUSTED', details };
    const { model } = await open(t, () => json({ error }, 429));
    const fault = await play(model).catch((each: unknown) => toFault(each, 0));
    return 'kind' in fault ? fault : assert.fail('no fault');
  };
  const minute = await fail('GenerateRequestsPerMinutePerProjectPerModel-FreeTier');
  assert.deepEqual([minute.kind, minute.retryAfterMs], ['rate-limited', 34_500]);
  const day = await fail('GenerateRequestsPerDayPerProjectPerModel-FreeTier');
  assert.equal(day.kind, 'quota');
});

test('Google: a blocked answer has the reason content-filter', async (t) => {
  const blocked = { candidates: [{ content: { parts: [] }, finishReason: 'SAFETY', index: 0 }] };
  const { model } = await open(t, () => events([blocked]));
  assert.equal(summarize(await play(model)).reason, 'content-filter');
});

test('Google: the list has the models that generate text, with their context windows', async (t) => {
  const { access } = await open(t, () =>
    json({
      models: [
        {
          ...{ name: 'models/gemini-2.5-flash', displayName: 'Gemini 2.5 Flash' },
          ...{ inputTokenLimit: 1_048_576, supportedGenerationMethods: ['generateContent'] },
        },
        { name: 'models/embedding-001', supportedGenerationMethods: ['embedContent'] },
      ],
    }),
  );
  assert.deepEqual(await google.listModels(access), [
    {
      ...{ id: 'gemini-2.5-flash', name: 'Gemini 2.5 Flash', contextTokens: 1_048_576 },
      ...{ images: true, tools: true, price: { input: 0.3, cacheRead: 0.03, output: 2.5 } },
    },
  ]);
});

async function open(t: TestContext, answer: () => Answer) {
  const server = await serve(t, answer);
  const access = { baseUrl: `${server.url}/v1beta`, apiKey: 'key' };
  const model = await google.open(access, 'gemini-2.5-pro', { contextTokens: 0 });
  return { model, access, seen: server.seen };
}
