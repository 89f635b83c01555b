import type { ModelFailure } from './faults.ts';

export const KEPT = 'Everything so far is saved.';

/** What an endpoint said besides its message. */
interface Said {
  readonly body?: string;
  /** The wait it asked for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** The failure that an HTTP status means; the words of the body are more exact where they name one. */
export function toStatusFault(
  status: number,
  message: string,
  { body = '', retryAfterMs }: Said = {},
): ModelFailure {
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  const named = status < 500 ? findNamed(message, body, retryAfterMs) : undefined;
  if (named !== undefined) return { ...named, ...wait, status };
  return { ...toPlainFault(status, message, retryAfterMs), ...wait, status };
}

function toPlainFault(
  status: number,
  message: string,
  retryAfterMs: number | undefined,
): ModelFailure {
  if (status === 401 || status === 403) return unauthorized(status, message);
  if (status === 402) return outOfQuota(message, retryAfterMs);
  if (status === 429) {
    return {
      kind: 'rate-limited',
      retryable: true,
      text: `The model endpoint's rate limit was exceeded (429): ${message} ${KEPT} ${toAdvice(retryAfterMs)}`,
    };
  }
  if (status >= 500 || status === 408) {
    return {
      kind: 'server-error',
      retryable: true,
      text: `The model endpoint failed (${status}): ${message} ${KEPT} Retry in a moment.`,
    };
  }
  const advice =
    status === 404
      ? 'Check gatehouse.model.baseUrl and gatehouse.model.id.'
      : 'Check the model settings.';
  return {
    kind: 'other',
    retryable: false,
    text: `The model endpoint rejected the request (${status}): ${message} ${KEPT} ${advice}`,
  };
}

function unauthorized(status: number, message: string): ModelFailure {
  return {
    kind: 'unauthorized',
    retryable: true,
    text: `The model endpoint rejected the API key (${status}): ${message} ${KEPT} Set a valid key, then retry.`,
  };
}

function toAdvice(retryAfterMs: number | undefined): string {
  if (retryAfterMs === undefined) return 'Wait a moment, then retry.';
  return `It accepts requests again in ${toDuration(retryAfterMs)}.`;
}

function toDuration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 1) return `${Math.max(1, Math.ceil(ms / 1000))} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

/** Characters of an answer that are searched: some patterns take the square of its length. */
const SEARCHED = 8_000;

/** A failure that the words name, whatever the status is. */
export function findNamed(
  message: string,
  whole: string,
  retryAfterMs?: number,
): ModelFailure | undefined {
  const body = whole.slice(0, SEARCHED);
  const words = `${message.slice(0, SEARCHED)} ${body}`;
  if (CONTEXT_LENGTH.test(words)) {
    return {
      kind: 'context-length',
      retryable: false,
      text: `The conversation exceeds the model's context window: ${message} ${KEPT} Start a new session, or choose a model with a larger context window.`,
    };
  }
  if (OUT_OF_QUOTA.test(words) && !BY_MINUTE.test(body)) return outOfQuota(message, retryAfterMs);
  if (FILTERED.test(words)) {
    return {
      kind: 'content-filter',
      retryable: true,
      text: `The provider's content filter stopped the request: ${message} ${KEPT} Put the message another way, or choose another model.`,
    };
  }
  if (WRONG_KEY.test(words)) return unauthorized(400, message);
  if (!GONE.test(words)) return undefined;
  return {
    kind: 'model-gone',
    retryable: true,
    text: `The provider has no such model, or it is not available to this account: ${message} ${KEPT} Choose another model, then retry.`,
  };
}

function outOfQuota(message: string, retryAfterMs?: number): ModelFailure {
  const wait = retryAfterMs === undefined ? '' : ` ${toAdvice(retryAfterMs)}`;
  return {
    kind: 'quota',
    retryable: true,
    // Waiting doesn't help, so it is not repeated by itself.
    passing: false,
    text: `The account's quota or credit is used up: ${message}${wait} ${KEPT} Add credit at the provider or choose another model, then retry.`,
  };
}

const CONTEXT_LENGTH =
  /context[_ ]length|maximum context|context window|context size|prompt is too long|too many tokens|input length exceeds|input token count/i;
const OUT_OF_QUOTA =
  /insufficient_quota|exceeded your current quota|credit balance is too low|billing_hard_limit|billing_not_active|insufficient credits|out of credits|premium request|monthly (usage|quota)/i;
/** Google's word for a rate limit, whose message speaks of quota. */
const BY_MINUTE = /"quotaId"\s*:\s*"[^"]*PerMinute(?![\s\S]*PerDay)/;
const WRONG_KEY = /API_KEY_INVALID|API key not valid/i;
const FILTERED =
  /content_filter|content_policy|content management policy|safety_violation|blocked by (the )?(content|safety)|requires moderation|input was flagged/i;
const GONE =
  /model_not_found|models\/\S+ is not found|model_not_available|"not_found_error"[^}]*model|model\b[^.]{0,80}\b(not found|does not exist|is not found|not supported|has been (deprecated|retired|shut down))|try pulling it first|is not a valid model id|no endpoints found/i;

/** A refusal of the editor, by the code of its error. */
export function toEditorFault(code: string, message: string): ModelFailure {
  if (code === 'NoPermissions') {
    return {
      kind: 'model-refused',
      retryable: true,
      text: `VS Code doesn't let Gatehouse use this language model: ${message} ${KEPT} Allow it when you retry, or choose another model.`,
    };
  }
  if (code === 'NotFound') {
    return {
      kind: 'model-gone',
      retryable: true,
      text: `VS Code has no such language model any more: ${message} ${KEPT} Choose another model, then retry.`,
    };
  }
  if (code === 'Blocked') return outOfQuota(message);
  return (
    findNamed(message, '') ?? {
      kind: 'other',
      retryable: true,
      text: `VS Code's language model failed: ${message} ${KEPT} Retry, or choose another model.`,
    }
  );
}
