import type { Outcome } from '../base/outcome.ts';
import type { Chunk } from '../base/stream/chunk.ts';
import type { Isolation } from '../base/tools/isolation.ts';
import type { Admitted } from '../gate/admit.ts';
import type { GateContext } from '../gate/gateContext.ts';
import type { Gate, Runtime } from '../runtime/runtime.ts';
import type { CallCopy } from './copy/callCopy.ts';
import type { Registry } from './registry.ts';

/** A tool call as the model or a script requested it. */
export interface ToolRequest {
  readonly toolCallId: string;
  readonly tool: string;
  /** Not validated. */
  readonly input: unknown;
  /** The exact text that the model wrote for `input`; absent when a script made the call. */
  readonly inputText?: string;
}

/** The part of a session that `callTool` uses. Nothing here records; the recorder listens to `emit`. */
export interface CallContext extends GateContext {
  readonly registry: Registry;
  /** Why no tool with this id can be called; undefined when there never was one. */
  whyMissing?(id: string): string | undefined;
  /**
   * Resolves when what was emitted is on record; undefined when it is. A tool does not run before. Rejects
   * when it can't be stored. Absent: nothing is recorded.
   */
  stored?(): Promise<void> | undefined;
  /** Writes to the host's log. */
  readonly warn?: (message: string) => void;
  /**
   * Runs before a tool that starts programs, which see only what is on disk: has the changes that wait
   * for a review reviewed. Resolves with the paths of those that still wait, or when the signal aborts.
   */
  beforeCommand?(signal: AbortSignal): Promise<readonly string[]>;
  /** The call's changes are written before the user reviews them. Call `end` when it has ended. */
  noteWrites?(toolCallId: string): UnreviewedWrites;
  /**
   * Opens the copy of the workspace for a call that may only run there. It waits until other commands of
   * the session have left it. Absent: there is none.
   */
  openCopy?(
    toolCallId: string,
    admitted: Admitted,
    emit: (chunk: Chunk) => void,
    signal: AbortSignal,
  ): Promise<Outcome<CallCopy>>;
  /** Where programs that a call starts for real would run at the moment. Absent: that isn't shown. */
  findIsolation?(): Promise<Isolation>;
  /**
   * Runs before a tool that starts programs for real, and returns where they run. Fails with a sentence for
   * the model if they must run in the sandbox and can't. Absent: they need not.
   */
  confine?(toolCallId: string, signal: AbortSignal): Promise<Outcome<Isolation>>;
  /**
   * Creates the runtime of one call; `emit` publishes the call's progress. `outside`: the user allowed its
   * programs to run without the sandbox.
   */
  runtime(
    toolCallId: string,
    signal: AbortSignal,
    emit: (chunk: Chunk) => void,
    gate: Gate,
    outside?: boolean,
  ): Runtime;
}

/** What a call has written and the user has not reviewed. */
export interface UnreviewedWrites {
  /** The number of changed files. */
  count(): number;
  end(): void;
}

/** The fixed text of spec VA-25, and the reason if there is one. */
export function unknownTool(id: string, { whyMissing }: CallContext): string {
  const why = whyMissing?.(id);
  return `unknown tool: ${id}${why === undefined ? '' : `. ${why}`}`;
}
