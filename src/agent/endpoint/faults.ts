import { APICallError } from 'ai';
import { getCode } from '../../base/faults.ts';
import { fieldAt } from '../../base/json.ts';
import type { ModelFault } from '../../base/stream/chunk.ts';
import { redact } from '../../base/text/redact.ts';
import { MB } from '../../base/units.ts';
import { EditorModelError, NoStreamError, OversizeError, StallError } from './errors.ts';
import { findNamed, KEPT, toEditorFault, toStatusFault } from './statusFault.ts';

/** A model failure with a message for the user: what happened, what was kept, what to do. */
export interface ModelFailure extends ModelFault {
  readonly text: string;
  /** The wait the endpoint asked for (`retry-after`), in milliseconds. */
  readonly retryAfterMs?: number;
  /** The connection failed in a way that often passes, before anything arrived. */
  readonly passing?: boolean;
}

/**
 * Converts whatever error ended the model's stream into a failure the user can act on. Shows none of
 * `secrets`, which an endpoint may send back.
 */
export function toFault(
  error: unknown,
  now: number,
  secrets: readonly string[] = [],
): ModelFailure {
  const say = (fault: unknown) => toSentence(fault, secrets);
  if (error instanceof StallError) return stalled(error);
  for (const each of [error, fieldAt(error, 'cause')]) {
    if (each instanceof OversizeError) return tooLarge(each);
    if (each instanceof NoStreamError) return notEvents(each.start, say);
  }
  if (error instanceof EditorModelError) return toEditorFault(error.code, say(error));
  if (APICallError.isInstance(error)) return toCallFault(error, now, say);
  return toStreamedFault(error, say);
}

/** What an error says, for the user. */
type Say = (error: unknown) => string;

/** Handles an error object within the stream. Endpoints nest it and name its fields differently. */
function toStreamedFault(error: unknown, say: Say): ModelFailure {
  const inner = [fieldAt(fieldAt(error, 'response'), 'error'), fieldAt(error, 'error')];
  const details = inner.find((each) => typeof each === 'object' && each !== null) ?? error;
  const message = fieldAt(details, 'message');
  const text = say(typeof message === 'string' ? message : error);
  const status = STATUS_FIELDS.map((name) =>
    getStatus(fieldAt(details, name) ?? fieldAt(error, name)),
  )
    .concat(OVERLOADED.test(text) ? 503 : undefined)
    .find((each) => each !== undefined);
  if (status !== undefined) return toStatusFault(status, text, { body: toText(details) });
  return findNamed(text, toText(details)) ?? brokenStream(text);
}

const STATUS_FIELDS = ['statusCode', 'status_code', 'status', 'code'] as const;

const OVERLOADED = /^((model )?overloaded( error)?|service unavailable|internal server error)\.$/i;

function getStatus(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined;
}

function stalled(error: StallError): ModelFailure {
  const seconds = Math.round(error.afterMs / 1000);
  const what = error.beforeFirst ? 'did not start to answer' : 'stopped partway through its answer';
  return {
    kind: 'stalled',
    retryable: true,
    passing: error.beforeFirst,
    text: `The model ${what}: it sent nothing for ${seconds} s. ${KEPT} Retry, or check that the endpoint is working.`,
  };
}

function tooLarge({ what, bytes }: OversizeError): ModelFailure {
  const part = what === 'event' ? 'one part of its answer' : 'an answer';
  return {
    kind: 'broken-stream',
    retryable: true,
    text: `The model endpoint sent ${part} larger than ${Math.ceil(bytes / MB)} MB, so Gatehouse stopped reading. ${KEPT} Retry, or check that gatehouse.model.baseUrl is the address of a model.`,
  };
}

function notEvents(start: string, say: Say): ModelFailure {
  const value = parseObject(start);
  if (value !== undefined && fieldAt(value, 'error') !== undefined)
    return toStreamedFault(value, say);
  const [what, advice] = start.startsWith('<')
    ? [
        'a web page',
        'Check that gatehouse.model.baseUrl is the address of a model, and that no login page or proxy stands in front of it',
      ]
    : [
        `a JSON document (${say(start.slice(0, SHOWN))})`,
        'Check that gatehouse.model.baseUrl is the address of an OpenAI-compatible API, and that it supports streaming',
      ];
  return {
    kind: 'other',
    retryable: true,
    text: `The model endpoint sent ${what} instead of a streamed answer. ${KEPT} ${advice}, then retry.`,
  };
}

/** Characters of a document that its message shows. */
const SHOWN = 120;

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** For an answer that ended as it should, without text or calls. */
export function silent(reasoned: boolean): ModelFailure {
  const what = reasoned ? 'reasoned, but sent no answer' : 'sent an empty answer';
  return {
    kind: 'other',
    retryable: true,
    text: `The model ${what}. ${KEPT} Retry, or put the message another way.`,
  };
}

function toCallFault(error: APICallError, now: number, say: Say): ModelFailure {
  const { statusCode } = error;
  if (statusCode === undefined) return unreachable(error, say);
  // The status was a success, so the body broke off.
  if (statusCode < 300) return brokenStream(say(error.cause ?? error));
  const { location } = error.responseHeaders ?? {};
  if (statusCode < 400) return redirected(statusCode, location && say(location).replace(/\.$/, ''));
  const { responseBody: body = '' } = error;
  const retryAfterMs = parseRetryAfter(error.responseHeaders, now) ?? parseRetryDelay(body);
  return toStatusFault(statusCode, say(error), { body, retryAfterMs });
}

function unreachable(error: APICallError, say: Say): ModelFailure {
  const reason = rootMessage(error, say);
  const origin = getOrigin(error.url);
  const base = { retryable: true, passing: PASSING.has(reason) } as const;
  if (NO_NETWORK.has(reason) && !LOOPBACK.test(origin)) {
    return {
      ...base,
      kind: 'offline',
      text: `This machine seems to be offline: ${origin} was not found (${reason}). ${KEPT} Check the network connection, then retry. A model on this machine works without one.`,
    };
  }
  return {
    ...base,
    kind: 'unreachable',
    text: `The model endpoint ${origin} cannot be reached (${reason}). ${KEPT} Start the endpoint or fix gatehouse.model.baseUrl, then retry.`,
  };
}

/** What a machine without a network says about an address elsewhere. */
const NO_NETWORK = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'ENETDOWN', 'EHOSTUNREACH']);
const LOOPBACK = /^https?:\/\/(localhost|127\.|\[::1\])/;

/** Resets, time-outs and name servers that were busy. */
const PASSING = new Set([
  ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'UND_ERR_SOCKET'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'],
]);

function redirected(status: number, location: string | undefined): ModelFailure {
  return {
    kind: 'other',
    retryable: false,
    status,
    text: `The model endpoint redirects to ${location || 'another address'}, and Gatehouse does not follow redirects. ${KEPT} Set gatehouse.model.baseUrl to the final address.`,
  };
}

/** What Node says of a connection that is closed in the middle of an answer. */
const CLOSED = /^(terminated|other side closed|socket hang up|read ECONNRESET)\.$/i;

function brokenStream(detail: string): ModelFailure {
  const why = CLOSED.test(detail) ? 'the connection was closed.' : detail;
  return {
    kind: 'broken-stream',
    retryable: true,
    text: `The model's answer was interrupted: ${why} ${KEPT} Retry to ask again.`,
  };
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date (RFC 9110 §10.2.3). */
export function parseRetryAfter(
  headers: Readonly<Record<string, string>> | undefined,
  now: number,
): number | undefined {
  const milliseconds = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const value = headers?.['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (seconds >= 0) return seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Google says it in the body (google.rpc.RetryInfo), in seconds. */
function parseRetryDelay(body: string): number | undefined {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}

/** One sentence without line breaks or secrets, at most 300 characters. */
function toSentence(error: unknown, secrets: readonly string[]): string {
  const raw = error instanceof Error ? error.message : toText(error);
  const text = redact(raw.replace(/\s+/g, ' '), secrets).trim().slice(0, 300);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The innermost cause is specific (`ECONNREFUSED`); the outer ones only say "fetch failed". */
function rootMessage(error: Error, say: Say): string {
  let at: unknown = error;
  while (at instanceof Error && at.cause !== undefined) at = at.cause;
  return getCode(at) ?? say(at).replace(/\.$/, '');
}

function getOrigin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

function toText(value: unknown): string {
  if (typeof value !== 'object') return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    // An error object may be nested too deeply to be written.
    return 'The endpoint sent an error that cannot be shown.';
  }
}
