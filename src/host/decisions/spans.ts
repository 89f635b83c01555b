import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { createId } from '../../base/ids.ts';
import type { Chunk } from '../../base/stream/chunk.ts';
import type { Envelope } from '../../base/stream/envelope.ts';
import type { DecisionEvent } from '../../gate/decisionEvent.ts';
import { createTraceLines } from './traceLines.ts';

/** How long the parts of a session took (spec CS-100). Each is written when it ends. */
export interface Spans {
  /** `session.run`: while the session is open. Returns its end. */
  session(sessionId: string): () => void;
  /** `session.turn`: while a prompt is worked on. */
  turn(sessionId: string): TurnSpan;
  /** `permission.evaluate`: one for each subject of the decision. */
  decided(event: DecisionEvent): void;
  dispose(): void;
}

export interface TurnSpan {
  /** Writes `tool.call` and `compaction.run` as they end. Absent when nothing is traced. */
  readonly note?: (chunk: Chunk) => void;
  end(outcome: { readonly stop_reason?: string; readonly error?: string }): void;
}

type Name = 'session.run' | 'session.turn' | 'tool.call' | 'compaction.run' | 'permission.evaluate';

interface SpanLine {
  readonly name: Name;
  readonly session_id: string;
  readonly span_id: string;
  readonly parent_id?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly duration_ms: number;
}

/**
 * Writes spans as lines of JSON to a file of this process in the folder that `GATEHOUSE_TRACE` names, and
 * never anywhere else.
 */
export function createSpans(
  folder: string | undefined,
  warn: (message: string) => void,
  clock: Clock = systemClock,
): Spans {
  const name = path.basename(spanFile('', process.pid));
  const lines = createTraceLines(folder, name, warn, 'Spans are not traced');
  const runs = new Map<string, string>();
  const turns = new Map<string, string>();
  const open = (): Open => ({ id: createId('spn', clock.now()), start: clock.now() });
  const write = (line: SpanLine, attributes: object) => lines.write({ ...line, ...attributes });
  const close = (name: Name, session_id: string, { id, start }: Open, attributes: object) => {
    const parent_id = name === 'session.run' ? undefined : runs.get(session_id);
    const duration_ms = clock.now() - start;
    write({ name, session_id, span_id: id, parent_id, start, duration_ms }, attributes);
  };
  /** A part of the session's turn that took so long until now. */
  const part = (name: Name, session_id: string, duration_ms: number, attributes: object) => {
    const start = clock.now() - duration_ms;
    const span_id = createId('spn', clock.now());
    const parent_id = turns.get(session_id) ?? runs.get(session_id);
    write({ name, session_id, span_id, parent_id, start, duration_ms }, attributes);
  };
  return {
    session(sessionId) {
      const span = open();
      runs.set(sessionId, span.id);
      return () => {
        close('session.run', sessionId, span, {});
        runs.delete(sessionId);
      };
    },
    turn(sessionId) {
      const span = open();
      turns.set(sessionId, span.id);
      const parts = createParts(clock, (name, ...rest) => part(name, sessionId, ...rest));
      return {
        ...(lines.enabled && { note: parts }),
        end(outcome) {
          turns.delete(sessionId);
          close('session.turn', sessionId, span, outcome);
        },
      };
    },
    decided(event) {
      if (!lines.enabled) return;
      for (const attributes of toEvaluations(event))
        part('permission.evaluate', event.sessionId, event.durationMs, attributes);
    },
    dispose: lines.dispose,
  };
}

interface Open {
  readonly id: string;
  readonly start: number;
}

/** The file of the host with that process id. */
export function spanFile(folder: string, pid: number): string {
  return path.join(folder, `spans-${pid}.jsonl`);
}

type WritePart = (name: Name, durationMs: number, attributes: object) => void;

/** Follows the chunks of one turn to the ends of its calls and compactions. */
function createParts(clock: Clock, write: WritePart): (chunk: Chunk) => void {
  const tools = new Map<string, string>();
  const compactions = new Map<string, number>();
  const endCall = (tool_call_id: string, output: Envelope | undefined, errorText?: string) => {
    const { duration_ms = 0, truncated = false } = output?.metadata ?? {};
    const error = errorText === undefined ? {} : { error: errorText.slice(0, MOST_ERROR) };
    const tool_id = tools.get(tool_call_id) ?? '';
    write('tool.call', duration_ms, { tool_id, tool_call_id, truncated, ...error });
    tools.delete(tool_call_id);
  };
  return (chunk) => {
    switch (chunk.type) {
      case 'tool-input-available':
        tools.set(chunk.toolCallId, chunk.toolName);
        return;
      case 'tool-output-available':
        return endCall(chunk.toolCallId, chunk.output);
      case 'tool-output-error':
        return endCall(chunk.toolCallId, chunk.output, chunk.errorText);
      case 'tool-output-denied':
        return endCall(chunk.toolCallId, undefined, 'denied');
      case 'data-compaction': {
        const { status, auto = false } = chunk.data;
        const started = compactions.get(chunk.id) ?? clock.now();
        compactions.set(chunk.id, started);
        if (status !== 'in_progress')
          write('compaction.run', clock.now() - started, { status, auto });
      }
    }
  };
}

const MOST_ERROR = 200;

/** The decision log has the targets. */
function toEvaluations(event: DecisionEvent): readonly object[] {
  const { tool: tool_id, toolCallId: tool_call_id, by, layer } = event;
  const call = { tool_id, tool_call_id, settled_by: by };
  if (event.subjects.length === 0) return [{ ...call, action: event.decision, source: layer }];
  return event.subjects.map(({ permission, decision, rule }) => ({
    ...call,
    ...{ permission, action: decision },
    ...(rule !== undefined && { pattern: rule.pattern }),
    source: rule?.origin?.layer ?? rule?.source ?? layer,
  }));
}
