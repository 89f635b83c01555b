import { createModel } from '../../../src/agent/model.ts';
import { runTurn } from '../../../src/agent/runTurn.ts';
import { DEFAULT_LIMITS } from '../../../src/runtime/limits.ts';

// A process of its own, because its memory is measured: one turn at the endpoint of its argument.
const signal = new AbortController().signal;
let fault: unknown;
let last = '';
for await (const chunk of runTurn({
  model: createModel({ baseUrl: process.argv[2] ?? '', id: 'm' }),
  ...{ system: 'You are a test.', messages: [], tools: [], images: true },
  call: () => Promise.reject(new Error('no call may run')),
  summarizer: async () => ({ prompt: '' }),
  limits: { ...DEFAULT_LIMITS, modelRetries: 0 },
  signal,
})) {
  if (chunk.type === 'error') fault = { ...chunk.fault, text: chunk.errorText };
  last = chunk.type;
}
const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
process.stdout.write(JSON.stringify({ fault, last, megabytes }));
