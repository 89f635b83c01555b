import { toRecord } from '../json.ts';
import type { Chunk, ModelFault, ProviderMetadata, ToolChunk, ToolDisplay } from './chunk.ts';
import type { DataChunk } from './dataChunk.ts';
import type { StoredPart, StoredToolPart, ToolState } from './stored.ts';

/** A part that has no row yet. */
export type PartBody = WithoutId<StoredPart>;
type WithoutId<Part> = Part extends unknown ? Omit<Part, 'id'> : never;
export type ToolBody = WithoutId<StoredToolPart>;

/** The effect of one chunk. Writing growing text or a display may be delayed; a state may not. */
export interface PartChange {
  readonly index: number;
  readonly kind: 'opened' | 'text' | 'shown' | 'state';
}

/**
 * Folds a turn's chunks into the parts of one message (spec CS-94). The recorder stores these
 * parts, and the loop builds the next request from the same parts, so that both agree.
 */
export interface Fold {
  readonly parts: readonly PartBody[];
  apply(chunk: Chunk): PartChange | undefined;
}

/** `before` holds the parts of an answer that is continued. */
export function createFold(before: readonly PartBody[] = []): Fold {
  const parts: PartBody[] = [...before];
  const indexes = toIndexes(before);
  const open = (key: string | undefined, part: PartBody): PartChange => {
    const index = parts.push(part) - 1;
    if (key !== undefined) indexes.set(key, index);
    return { index, kind: 'opened' };
  };
  const grow = (key: string, { delta = '', providerMetadata }: Growth): PartChange | undefined => {
    const index = indexes.get(key);
    const part = index === undefined ? undefined : parts[index];
    if (index === undefined || (part?.type !== 'text' && part?.type !== 'reasoning')) return;
    if (delta === '' && providerMetadata === undefined) return;
    parts[index] = {
      ...part,
      text: part.text + delta,
      ...(providerMetadata && { providerMetadata }),
    };
    return { index, kind: 'text' };
  };
  const foldTool = (chunk: ToolChunk): PartChange | undefined => {
    const key = `tool:${chunk.toolCallId}`;
    const index = indexes.get(key);
    const known = index === undefined ? undefined : parts[index];
    const next = nextTool(known && isToolBody(known) ? known : undefined, chunk);
    if (next === undefined) return;
    if (index === undefined) return open(key, next);
    parts[index] = next;
    if (chunk.type === 'tool-input-delta') return { index, kind: 'text' };
    const sameState = known && isToolBody(known) && known.state === next.state;
    return { index, kind: sameState ? 'shown' : 'state' };
  };
  const foldData = (chunk: DataChunk): PartChange => {
    const key = 'id' in chunk && chunk.id !== undefined ? `${chunk.type}:${chunk.id}` : undefined;
    const index = key === undefined ? undefined : indexes.get(key);
    const known = index === undefined ? undefined : parts[index];
    const part = { type: chunk.type, data: nextData(known, chunk) };
    if (index === undefined) return open(key, part);
    parts[index] = part;
    return { index, kind: 'state' };
  };
  return {
    parts,
    apply: (chunk) => applyChunk(chunk, { parts, open, grow, foldTool, foldData }),
  };
}

function toIndexes(parts: readonly PartBody[]): Map<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, part] of parts.entries()) {
    const key = getKey(part);
    if (key !== undefined) indexes.set(key, index);
  }
  return indexes;
}

/** The key under which later chunks find a part. Text that was interrupted is not continued. */
function getKey(part: PartBody): string | undefined {
  if (isToolBody(part)) return `tool:${part.toolCallId}`;
  if (part.type === 'data-plan') return 'data-plan:plan';
  if (part.type !== 'data-compaction' || !('data' in part)) return undefined;
  return `data-compaction:${String(toRecord(part.data)['id'])}`;
}

/** What a chunk adds to a text. */
interface Growth {
  readonly delta?: string;
  readonly providerMetadata?: ProviderMetadata;
}

interface Writer {
  readonly parts: readonly PartBody[];
  open(key: string | undefined, part: PartBody): PartChange;
  grow(key: string, growth: Growth): PartChange | undefined;
  foldTool(chunk: ToolChunk): PartChange | undefined;
  foldData(chunk: DataChunk): PartChange;
}

function applyChunk(chunk: Chunk, to: Writer): PartChange | undefined {
  if (isDataChunk(chunk)) {
    return 'transient' in chunk && chunk.transient ? undefined : to.foldData(chunk);
  }
  switch (chunk.type) {
    case 'text-start':
      return to.open(`text:${chunk.id}`, { type: 'text', text: '' });
    case 'reasoning-start':
      return to.open(`reasoning:${chunk.id}`, { type: 'reasoning', text: '' });
    case 'text-delta':
      return to.grow(`text:${chunk.id}`, chunk);
    case 'reasoning-delta':
      return to.grow(`reasoning:${chunk.id}`, chunk);
    case 'start-step':
      return to.open(undefined, { type: STEP, data: {} });
    case 'error':
      return to.open(undefined, { type: ERROR, data: toErrorData(chunk) });
    case 'text-end':
      return to.grow(`text:${chunk.id}`, chunk);
    case 'reasoning-end':
      return to.grow(`reasoning:${chunk.id}`, chunk);
    case 'start':
    case 'finish-step':
    case 'finish':
    case 'abort':
      return undefined;
    default:
      return to.foldTool(chunk);
  }
}

/** Marks the start of a model request; the history is split into messages here. */
export const STEP = 'data-step';
/**
 * An error that was shown to the user, `{errorText, fault?}`; shown again when the session is
 * reopened.
 */
export const ERROR = 'data-error';

function toErrorData(chunk: { readonly errorText: string; readonly fault?: ModelFault }) {
  return { errorText: chunk.errorText, ...(chunk.fault && { fault: chunk.fault }) };
}

function isDataChunk(chunk: Chunk): chunk is DataChunk {
  return chunk.type.startsWith('data-');
}

/** Updates of a compaction are merged; all other data replaces the previous data. */
function nextData(known: PartBody | undefined, chunk: DataChunk): unknown {
  if (chunk.type === 'data-plan' && chunk.update) return { ...chunk.data, update: chunk.update };
  if (chunk.type !== 'data-compaction') return chunk.data;
  const before = known !== undefined && 'data' in known ? toRecord(known.data) : {};
  const { summaryDelta, ...news } = chunk.data;
  if (summaryDelta === undefined) return { ...before, id: chunk.id, ...news };
  const { summary } = { ...before, ...news };
  const text = `${typeof summary === 'string' ? summary : ''}${summaryDelta}`;
  return { ...before, id: chunk.id, status: before['status'] ?? news.status, summary: text };
}

export function isToolBody(part: PartBody): part is ToolBody {
  return part.type.startsWith('tool-');
}

/** One part per call; later chunks win. Undefined for an update about an unknown call. */
function nextTool(before: ToolBody | undefined, chunk: ToolChunk): ToolBody | undefined {
  switch (chunk.type) {
    case 'tool-input-start':
      return { ...toolBody(chunk, 'input-streaming'), inputText: '' };
    case 'tool-input-available':
      return {
        ...toolBody(chunk, 'input-available', before),
        input: chunk.input,
        ...(chunk.inputText !== undefined && { inputText: chunk.inputText }),
        ...(chunk.providerMetadata && { providerMetadata: chunk.providerMetadata }),
      };
    case 'tool-input-error':
      return {
        ...toolBody(chunk, 'output-error', before),
        ...(typeof chunk.input === 'string' ? { inputText: chunk.input } : { input: chunk.input }),
        errorText: chunk.errorText,
      };
    case 'tool-hosted':
      return nextHosted(before, chunk);
    default:
      return before && nextState(before, chunk);
  }
}

type HostedChunk = Extract<ToolChunk, { type: 'tool-hosted' }>;

/** Null means unchanged, as an absent field does. */
function nextHosted(before: ToolBody | undefined, chunk: HostedChunk): ToolBody {
  const { state, input, output, errorText } = chunk;
  const news = Object.entries(chunk.update).filter(
    ([key, value]) => key !== 'sessionUpdate' && value != null,
  );
  return {
    ...(before ?? toolBody(chunk, 'input-available')),
    ...(state !== undefined && { state }),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(errorText !== undefined && { errorText }),
    hosted: { ...before?.hosted, ...Object.fromEntries(news) },
  };
}

type OpenedChunk = Extract<
  ToolChunk,
  { type: 'tool-input-start' | 'tool-input-available' | 'tool-input-error' | 'tool-hosted' }
>;

function nextState(before: ToolBody, chunk: Exclude<ToolChunk, OpenedChunk>): ToolBody {
  switch (chunk.type) {
    case 'tool-input-delta':
      return { ...before, inputText: (before.inputText ?? '') + chunk.inputTextDelta };
    case 'tool-approval-request': {
      const next = withDisplay({ ...before, state: 'approval-requested' }, chunk.display);
      return { ...next, approvalId: chunk.approvalId };
    }
    case 'tool-progress': {
      const state = before.state === 'approval-requested' ? 'approval-responded' : before.state;
      const begun = state === 'input-available' && { begun: true as const };
      return withDisplay({ ...withoutText(before), state, ...begun }, chunk.display);
    }
    case 'tool-output-available': {
      const next = withDisplay(
        { ...withoutText(before), state: 'output-available' },
        chunk.display,
      );
      return { ...next, output: chunk.output };
    }
    case 'tool-output-error': {
      const next = withDisplay({ ...withoutText(before), state: 'output-error' }, chunk.display);
      return { ...next, errorText: chunk.errorText, ...(chunk.output && { output: chunk.output }) };
    }
    case 'tool-output-denied':
      return {
        ...withDisplay({ ...withoutText(before), state: 'output-denied' }, chunk.display),
        ...(chunk.reason !== undefined && { errorText: chunk.reason }),
        ...(chunk.output && { output: chunk.output }),
      };
  }
}

/** A call that runs or has ended is not run from its row again, so the parsed arguments are enough. */
function withoutText(call: ToolBody): ToolBody {
  if (call.input === undefined) return call;
  const { inputText: _, ...parsed } = call;
  return parsed;
}

function toolBody(
  chunk: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly display?: ToolDisplay;
  },
  state: ToolState,
  before?: ToolBody,
): ToolBody {
  const body: ToolBody = {
    type: `tool-${chunk.toolName}`,
    toolCallId: chunk.toolCallId,
    toolName: chunk.toolName,
    state,
    ...(before?.display && { display: before.display }),
  };
  return withDisplay(body, chunk.display);
}

/** Absent fields are unchanged. */
function withDisplay(part: ToolBody, display: ToolDisplay | undefined): ToolBody {
  return display === undefined ? part : { ...part, display: { ...part.display, ...display } };
}
