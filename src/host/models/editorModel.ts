import type {
  LanguageModelCall,
  LanguageModelPart,
  WireModelTool,
} from '../../acp/gatehouse/client.ts';
import { EditorModelError } from '../../agent/endpoint/errors.ts';
import type { ChatModel, ModelCall, ModelPart } from '../../agent/model.ts';
import { createId } from '../../base/ids.ts';
import { toRecord } from '../../base/json.ts';
import { MB } from '../../base/units.ts';
import type { Client } from '../client/client.ts';
import { requestClient } from '../client/requestClient.ts';
import type { EditorAnswers } from './editorAnswers.ts';
import { toWireMessages } from './editorMessages.ts';

/** Characters of an answer: as much as is read of an endpoint. */
const MOST = 64 * MB;

/** A language model of the editor, as the loop calls one. */
export function createEditorModel(
  client: Client,
  answers: EditorAnswers,
  modelId: string,
): ChatModel {
  return {
    specificationVersion: 'v4',
    provider: 'vscode',
    modelId,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('Gatehouse only streams answers.')),
    doStream: async (call) => ({ stream: stream(client, answers, toCall(modelId, call), call) }),
  };
}

function toCall(modelId: string, { prompt, tools = [] }: ModelCall): LanguageModelCall {
  const wired = tools.flatMap((tool): readonly WireModelTool[] => {
    if (tool.type !== 'function') return [];
    const { name, description = '', inputSchema } = tool;
    return [{ name, description, parameters: toRecord(inputSchema) }];
  });
  return { callId: createId('lmc'), modelId, messages: toWireMessages(prompt), tools: wired };
}

function stream(
  client: Client,
  answers: EditorAnswers,
  call: LanguageModelCall,
  { abortSignal }: ModelCall,
): ReadableStream<ModelPart> {
  const { readable, writable } = new TransformStream<ModelPart, ModelPart>();
  const to = writable.getWriter();
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(abortSignal ? [abortSignal] : [])]);
  const answer = createAnswer();
  const listening = answers.listen(call.callId, async (part) => {
    // Waits until the loop has read it, so that the client waits too.
    for (const each of answer.take(part)) await to.write(each);
  });
  // The loop no longer reads.
  to.closed.catch(() => stop.abort());
  void run();
  return readable;

  async function run(): Promise<void> {
    try {
      await to.write({ type: 'stream-start', warnings: [] });
      const { error } = await requestClient(client, 'languageModel', call, signal);
      if (error !== undefined) throw new EditorModelError(error.code, error.message);
      for (const each of answer.end()) await to.write(each);
      await to.close();
    } catch (error) {
      await to.abort(error).catch(() => undefined);
    } finally {
      listening.dispose();
    }
  }
}

function createAnswer() {
  let open = false;
  let calls = 0;
  let size = 0;
  const close = (): readonly ModelPart[] => {
    const parts: readonly ModelPart[] = open ? [{ type: 'text-end', id: 'text' }] : [];
    open = false;
    return parts;
  };
  return {
    take(part: LanguageModelPart['part']): readonly ModelPart[] {
      size += part.type === 'text' ? part.text.length : 0;
      if (size > MOST) throw new EditorModelError('Oversize', 'The answer is too large.');
      if (part.type === 'call') {
        calls += 1;
        return [...close(), ...toToolCall(part)];
      }
      if (part.text === '') return [];
      const start: readonly ModelPart[] = open ? [] : [{ type: 'text-start', id: 'text' }];
      open = true;
      return [...start, { type: 'text-delta', id: 'text', delta: part.text }];
    },
    /** The editor doesn't say how many tokens were used. */
    end: (): readonly ModelPart[] => [...close(), toFinish(calls > 0)],
  };
}

function toToolCall({
  id,
  name,
  input,
}: Extract<LanguageModelPart['part'], { type: 'call' }>): readonly ModelPart[] {
  return [
    { type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(input ?? {}) },
  ];
}

function toFinish(called: boolean): ModelPart {
  const unknown = { total: undefined, cacheRead: undefined, cacheWrite: undefined };
  return {
    type: 'finish',
    finishReason: { unified: called ? 'tool-calls' : 'stop', raw: undefined },
    usage: {
      inputTokens: { ...unknown, noCache: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    },
  };
}
