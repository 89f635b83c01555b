import type { Chunk } from '../base/stream/chunk.ts';
import type { GateContext } from '../gate/gateContext.ts';
import type { Gate, Runtime } from '../runtime/runtime.ts';
import type { Registry } from './registry.ts';

/** What the model (or a script) asked for. */
export interface ToolRequest {
  readonly toolCallId: string;
  readonly tool: string;
  /** Not validated yet. */
  readonly input: unknown;
  /** `input` as the model wrote it; absent when a script made the call. */
  readonly inputText?: string;
}

/** What `callTool` needs of its session. It never records; the recorder listens to `emit`. */
export interface CallContext extends GateContext {
  readonly registry: Registry;
  /** A fresh runtime for one call; `emit` shows the call's progress. */
  runtime(
    toolCallId: string,
    signal: AbortSignal,
    emit: (chunk: Chunk) => void,
    gate: Gate,
  ): Runtime;
}
