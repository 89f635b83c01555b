import { toRecord } from '../../base/json.ts';

/** What a watchdog gets before every call (spec C-58). */
export interface WatchdogCall {
  readonly sessionId: string;
  readonly tool: string;
  /** Validated arguments. */
  readonly input: unknown;
  readonly manifest?: unknown;
}

/** What a watchdog answers (spec C-59). It can only make a decision stricter (spec C-62). */
export type WatchdogAnswer =
  | { readonly action: 'allow' }
  | { readonly action: 'ask'; readonly reason: string }
  | { readonly action: 'deny'; readonly reason: string };

export interface WatchdogOptions {
  /** The secrets the host currently knows; read for each call. */
  secrets(): readonly string[];
  /** The number of identical calls in a row from which a call asks; 3 by default. */
  readonly repeatLimit?: number;
}

const REPEAT_LIMIT = 3;
/** Minimum length of a secret in characters; shorter ones would match ordinary arguments. */
const SECRET_LENGTH = 8;
const ALLOW: WatchdogAnswer = { action: 'allow' };

/**
 * The stateful part of the built-in watchdog, one for each session. It denies known secrets in
 * arguments and asks when the same call repeats (a doom loop). `evaluate` checks what a command
 * line does.
 */
export function createWatchdog({
  secrets,
  repeatLimit = REPEAT_LIMIT,
}: WatchdogOptions): (call: WatchdogCall) => WatchdogAnswer {
  let last = '';
  let times = 0;
  return ({ tool, input }) => {
    const text = `${tool}\0${JSON.stringify(input) ?? ''}`;
    times = text === last ? times + 1 : 1;
    last = text;
    if (holdsSecret(input, secrets())) {
      const reason =
        'The arguments contain a secret that Gatehouse stores. Remove it: tools get their secrets from the host.';
      return { action: 'deny', reason };
    }
    if (times < repeatLimit) return ALLOW;
    const reason = `The same call was made ${times} times in a row.`;
    return { action: 'ask', reason };
  };
}

/** Whether a string in the arguments contains a secret, plain or in a common encoding. */
export function holdsSecret(input: unknown, secrets: readonly string[]): boolean {
  const needles = secrets.filter((secret) => secret.length >= SECRET_LENGTH).flatMap(toSpellings);
  if (needles.length === 0) return false;
  let found = false;
  const look = (value: unknown): void => {
    if (typeof value === 'string') found ||= needles.some((needle) => value.includes(needle));
    else if (typeof value === 'object' && value !== null && !found) {
      for (const [key, each] of Object.entries(value)) {
        look(key);
        look(each);
      }
    }
  };
  look(input);
  return found;
}

/**
 * The secret plain, reversed, percent-encoded, in hexadecimal, and in base64 at each of its three
 * alignments.
 */
function toSpellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const aligned = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The first and last characters also encode bits of the neighbors.
    return text.slice(shift === 0 ? 0 : shift + 1, -1);
  });
  return [
    secret,
    [...secret].reverse().join(''),
    encodeURIComponent(secret),
    bytes.toString('hex'),
    ...aligned,
  ];
}

/** Parses an external watchdog's answer. Anything invalid is a deny (spec C-61, CA-40). */
export function parseWatchdogAnswer(value: unknown): WatchdogAnswer {
  const { verdict: action, reason: given } = toRecord(value);
  const reason = typeof given === 'string' ? given : 'The watchdog gave no reason.';
  if (action === 'allow') return ALLOW;
  if (action === 'ask' || action === 'deny') return { action, reason };
  return { action: 'deny', reason: WATCHDOG_FAILED };
}

/**
 * The fixed reason when a watchdog failed, timed out or returned invalid output
 * (spec CA-40, VC-37).
 */
export const WATCHDOG_FAILED = 'The watchdog gave no valid answer, so the call is denied.';

/** The stricter of two answers; the first on a tie. */
export function stricterAnswer(a: WatchdogAnswer, b: WatchdogAnswer): WatchdogAnswer {
  const order = { allow: 0, ask: 1, deny: 2 } as const;
  return order[b.action] > order[a.action] ? b : a;
}
