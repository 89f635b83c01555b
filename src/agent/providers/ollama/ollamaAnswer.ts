import { asString, toRecord } from '../../../base/json.ts';
import type { ModelPart } from '../../model.ts';

/** Converts the lines of Ollama's answer to the parts of a streamed answer. */
export interface OllamaAnswer {
  take(line: string): readonly ModelPart[];
  /** What is left when the connection ended. */
  end(): readonly ModelPart[];
}

export function createOllamaAnswer(): OllamaAnswer {
  const texts = createTexts();
  let calls = 0;
  let done = false;
  const toCalls = (value: unknown): readonly ModelPart[] => {
    const list = Array.isArray(value) ? value : [];
    return list.flatMap((each) => {
      calls += 1;
      return toCall(toRecord(toRecord(each)['function']), calls);
    });
  };
  return {
    take(line) {
      if (line.trim() === '' || done) return [];
      const row = parse(line);
      if (row === undefined) return [toError('The answer has a line that is not JSON.')];
      if (row['error'] !== undefined) return [{ type: 'error', error: row }];
      const message = toRecord(row['message']);
      const parts = [
        ...texts.add('reasoning', asString(message['thinking']) ?? ''),
        ...texts.add('text', asString(message['content']) ?? ''),
        ...toCalls(message['tool_calls']),
      ];
      if (row['done'] !== true) return parts;
      done = true;
      return [...parts, ...texts.close(), toFinish(row, calls > 0)];
    },
    end: () => (done ? [] : [toError('The connection ended before the answer did.')]),
  };
}

function toError(message: string): ModelPart {
  return { type: 'error', error: new Error(message) };
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return toRecord(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function createTexts() {
  let open: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined;
  let count = 0;
  const close = (): readonly ModelPart[] => {
    const last = open;
    open = undefined;
    return last === undefined ? [] : [{ type: `${last.kind}-end`, id: last.id }];
  };
  return {
    close,
    add(kind: 'text' | 'reasoning', delta: string): readonly ModelPart[] {
      if (delta === '') return [];
      if (open?.kind === kind) return [{ type: `${kind}-delta`, id: open.id, delta }];
      const before = close();
      count += 1;
      const id = String(count);
      open = { kind, id };
      return [...before, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }];
    },
  };
}

/** Ollama sends whole calls, older versions without ids. */
function toCall(call: Readonly<Record<string, unknown>>, number: number): readonly ModelPart[] {
  const toolName = asString(call['name']);
  if (toolName === undefined) return [];
  const id = `call_${number}`;
  const input = JSON.stringify(call['arguments'] ?? {});
  return [
    { type: 'tool-input-start', id, toolName },
    { type: 'tool-input-delta', id, delta: input },
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName, input },
  ];
}

function toFinish(row: Readonly<Record<string, unknown>>, called: boolean): ModelPart {
  const reason = asString(row['done_reason']);
  const unified = called ? 'tool-calls' : reason === 'length' ? 'length' : 'stop';
  const input = toCount(row['prompt_eval_count']);
  const output = toCount(row['eval_count']);
  return {
    type: 'finish',
    finishReason: { unified, raw: reason },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: output, reasoning: undefined },
    },
  };
}

function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
