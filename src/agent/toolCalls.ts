import { getMessage } from '../base/faults.ts';
import type { Chunk } from '../base/stream/chunk.ts';
import type { Envelope } from '../base/stream/envelope.ts';
import type { ToolRequest } from '../tools/call.ts';
import { createChunkQueue } from './chunkQueue.ts';
import type { Turn } from './turn.ts';

/**
 * Runs the calls of one step in parallel and forwards their chunks immediately. An abort ends the
 * stream at once: calls keep their last state (spec CS-79), and later chunks are dropped.
 */
export async function* runCalls(
  turn: Pick<Turn, 'call' | 'signal'>,
  requests: readonly ToolRequest[],
): AsyncGenerator<Chunk, void> {
  if (requests.length === 0) return;
  const queue = createChunkQueue();
  const onAbort = () => queue.close();
  turn.signal.addEventListener('abort', onAbort);
  try {
    const running = requests.map((request) => runCall(turn, request, (chunk) => queue.push(chunk)));
    void Promise.all(running).then(() => queue.close());
    if (!turn.signal.aborted) yield* queue;
    turn.signal.throwIfAborted();
  } finally {
    turn.signal.removeEventListener('abort', onAbort);
    queue.close();
  }
}

/**
 * Never rejects. Emits exactly one outcome chunk: the tool's own, or one made from its envelope.
 */
async function runCall(
  turn: Pick<Turn, 'call' | 'signal'>,
  request: ToolRequest,
  push: (chunk: Chunk) => void,
): Promise<void> {
  let ended = false;
  let denied: DeniedChunk | undefined;
  const emit = (chunk: Chunk) => {
    if (ended) return;
    ended = isOutcome(chunk, request.toolCallId);
    // Held back until the envelope arrives, because the two are stored together.
    if (chunk.type === 'tool-output-denied' && chunk.output === undefined) denied = chunk;
    else push(chunk);
  };
  try {
    const output = await turn.call(request, emit);
    if (denied) push({ ...denied, output });
    emit(toOutcome(request.toolCallId, output));
  } catch (error) {
    if (turn.signal.aborted) return;
    const text = getMessage(error);
    const errorText = `The tool failed unexpectedly: ${text}`;
    emit({ type: 'tool-output-error', toolCallId: request.toolCallId, errorText });
  }
}

type DeniedChunk = Extract<Chunk, { type: 'tool-output-denied' }>;

function isOutcome(chunk: Chunk, toolCallId: string): boolean {
  switch (chunk.type) {
    case 'tool-output-available':
    case 'tool-output-error':
    case 'tool-output-denied':
      return chunk.toolCallId === toolCallId;
    default:
      return false;
  }
}

function toOutcome(toolCallId: string, output: Envelope): Chunk {
  return output.type === 'output'
    ? { type: 'tool-output-available', toolCallId, output }
    : { type: 'tool-output-error', toolCallId, errorText: output.error_text, output };
}
