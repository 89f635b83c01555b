import { fieldAt } from '../base/json.ts';
import { toErrorText } from '../base/text/boundedText.ts';
import { KB } from '../base/units.ts';
import type { Runtime, Sidecars } from '../runtime/runtime.ts';
import { cutText } from '../runtime/text.ts';
import type { OutputLimit, Tool } from './contract.ts';

/** The value for the model, and the envelope metadata that depends on the truncation. */
export interface Truncated<Value> {
  readonly value: Value;
  readonly truncated: boolean;
  readonly outputPath?: string;
  /** The end of the whole. */
  readonly end?: string;
}

/** How a call ended that was not denied. `cut`: its text was cut already. */
export type RunEnd =
  | { readonly type: 'data'; readonly data: unknown }
  | { readonly type: 'error'; readonly text: string; readonly cut?: Cut };

/**
 * What the model sees of a call. Without a tool and a runtime it did not run. `failed`: it was not possible,
 * and the value says why.
 */
export function truncateEnd(
  call: Ran,
  end: RunEnd,
  toolCallId: string,
  toMessage: (fault: unknown) => string,
) {
  return truncate(call, end, toolCallId).catch((fault: unknown) => {
    return { ...NO_CUT, value: toMessage(fault), truncated: false, failed: true };
  });
}

interface Ran {
  readonly tool?: Tool;
  readonly runtime?: Runtime;
}

async function truncate({ tool, runtime }: Ran, end: RunEnd, toolCallId: string) {
  if (tool === undefined || runtime === undefined) {
    // The text is about the name or the arguments, which may be of any length.
    const value = end.type === 'error' ? toErrorText(end.text) : end.data;
    return { ...NO_CUT, value, truncated: false, failed: false };
  }
  const shown =
    end.type === 'error'
      ? await truncateError(end.text, runtime.sidecars, toolCallId, end.cut)
      : await truncateData(tool, end.data, runtime, toolCallId);
  return { ...NO_CUT, ...shown, failed: false };
}

/** Nothing was cut. */
const NO_CUT = { outputPath: undefined, end: undefined };

/** Truncates a result to the tool's limit and saves the whole in a sidecar (spec C-44, C-45). */
async function truncateData(
  tool: Tool,
  data: unknown,
  runtime: Pick<Runtime, 'limits' | 'sidecars'>,
  toolCallId: string,
): Promise<Truncated<unknown>> {
  const limit = tool.output?.(runtime.limits) ?? {};
  const cut = getCut(data);
  if (cut !== undefined) {
    return { value: withinLimit(data, limit.bytes ?? OTHER_BYTES), truncated: true, ...cut };
  }
  const parts = split(data, limit);
  if (parts === undefined) return { value: data, truncated: false };
  const { head, whole, beside } = parts;
  const saved = await save(runtime.sidecars, toolCallId, whole);
  return {
    value: { ...beside, head, ...saved.note },
    truncated: true,
    ...(saved.path === undefined ? {} : { outputPath: saved.path }),
  };
}

/** Truncates a long error; its head stays in `error_text` (spec CA-15). */
async function truncateError(
  text: string,
  sidecars: Sidecars,
  toolCallId: string,
  cut?: Cut,
): Promise<Truncated<string>> {
  const head = cutText(text, OTHER_BYTES);
  if (cut !== undefined) return { value: head, truncated: true, ...cut };
  if (head === text) return { value: text, truncated: false };
  const saved = await save(sidecars, toolCallId, text);
  const note = saved.note.note === undefined ? '' : `\n${saved.note.note}`;
  return {
    value: head + note,
    truncated: true,
    ...(saved.path === undefined ? {} : { outputPath: saved.path }),
  };
}

/** Marks data, or a failure, as truncated by the tool itself; the file holds the whole (spec CA-12, CA-15). */
export function withCut<Data extends object>(
  data: Data,
  outputPath: string | undefined,
  end?: string,
): Data {
  const value: Cut = {
    ...(outputPath !== undefined && { outputPath }),
    ...(end !== undefined && { end }),
  };
  return Object.defineProperty(data, CUT, { value, enumerable: false });
}

interface Cut {
  readonly outputPath?: string;
  /** The end of the whole, which only the user is shown. */
  readonly end?: string;
}

const CUT = Symbol('cut');

/** The mark that `withCut` left on the data or failure. */
export function getCut(data: unknown): Cut | undefined {
  return typeof data === 'object' && data !== null ? Reflect.get(data, CUT) : undefined;
}

/** The limit of results without a limit of their own (spec C-44, VC-48). */
const OTHER_BYTES = 200 * KB;

/** Applies the byte limit to data that its tool truncated by another measure. */
function withinLimit(data: unknown, bytes: number): unknown {
  const given = fieldAt(data, 'head');
  if (typeof data !== 'object' || typeof given !== 'string') return data;
  const head = cutText(given, bytes);
  return head === given ? data : { ...data, head };
}

interface Parts {
  readonly head: string;
  readonly whole: string;
  readonly beside: object;
}

/** Undefined when the data fits. */
function split(data: unknown, limit: OutputLimit): Parts | undefined {
  const bytes = limit.bytes ?? OTHER_BYTES;
  const list = limit.list && fieldAt(data, limit.list.key);
  if (limit.list && Array.isArray(list)) {
    if (list.length <= limit.list.entries && !tooLong(list, bytes)) return undefined;
    const head = toLines(list.slice(0, limit.list.entries));
    return {
      head: cutText(head, bytes),
      whole: toLines(list),
      beside: without(data, limit.list.key),
    };
  }

  const field = limit.text === undefined ? undefined : fieldAt(data, limit.text);
  const text = typeof field === 'string' ? field : typeof data === 'string' ? data : undefined;
  const whole = text ?? JSON.stringify(data) ?? '';
  const head = cutText(whole, bytes);
  if (head === whole) return undefined;
  const beside = typeof field === 'string' && limit.text ? without(data, limit.text) : {};
  return { head, whole, beside };
}

function tooLong(list: readonly unknown[], bytes: number): boolean {
  const lines = toLines(list);
  return cutText(lines, bytes) !== lines;
}

function toLines(list: readonly unknown[]): string {
  return list
    .map((entry) => (typeof entry === 'string' ? entry : (toLine(entry) ?? JSON.stringify(entry))))
    .join('\n');
}

/** A grep row reads as `path:line:text`, everything else as JSON. */
function toLine(entry: unknown): string | undefined {
  const path = fieldAt(entry, 'path');
  const text = fieldAt(entry, 'text');
  if (typeof path !== 'string' || typeof text !== 'string') return undefined;
  const line = fieldAt(entry, 'line');
  return typeof line === 'number' ? `${path}:${line}:${text}` : `${path}:${text}`;
}

/** The other fields of the data; dropped when they are too large. */
function without(data: unknown, key: string): object {
  if (typeof data !== 'object' || data === null) return {};
  const rest = Object.fromEntries(Object.entries(data).filter(([name]) => name !== key));
  return JSON.stringify(rest).length <= 8 * KB ? rest : {};
}

async function save(sidecars: Sidecars, toolCallId: string, whole: string) {
  const saved = await sidecars.write(toolCallId, whole);
  if (saved.ok) return { path: saved.data, note: {} as { readonly note?: string } };
  return {
    path: undefined,
    note: {
      note: `The full result could not be saved: ${saved.error} Narrow the call to see the rest.`,
    },
  };
}
