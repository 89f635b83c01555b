import { getMessage } from '../../base/faults.ts';
import { asString, toRecord } from '../../base/json.ts';
import type { ChatCommand, ErrorItem } from '../../webview/messages/chatState.ts';
import type { HostExit } from '../host/hostProcess.ts';
import type { Translate } from '../text/translate.ts';

/** Commands offered for a kind of error besides *Retry*. Other kinds offer the log. */
const COMMANDS: Readonly<Record<string, readonly ChatCommand[]>> = {
  'no-model': ['setModel'],
  unauthorized: ['setApiKey', 'setModel'],
  'no-key': ['setApiKey'],
  untrusted: ['manageTrust'],
  unreachable: ['setModel', 'showLog'],
  'server-error': ['showLog'],
  'context-length': ['newSession', 'chooseModel'],
  'model-gone': ['chooseModel'],
  'model-refused': ['chooseModel'],
  'content-filter': ['chooseModel'],
  quota: ['chooseModel', 'setApiKey'],
  budget: ['openLimits'],
  offline: ['chooseModel', 'showLog'],
};

/** The kinds of errors that only a command mends; the others pass, or *Retry* shows whether they have. */
const MENDED = new Set([
  'no-model',
  'unauthorized',
  'no-key',
  'untrusted',
  'context-length',
  'model-gone',
  'model-refused',
  'quota',
  'budget',
]);
const NOT_FOUND = 404;

/** The card of a failed prompt. The host's message says what failed and what was kept. */
export function promptFailed(error: unknown, id: string): ErrorItem {
  const data = toRecord(toRecord(error)['data']);
  // The endpoint has no such model, or there is another address behind it.
  const said = asString(data['kind']) ?? '';
  const kind = data['status'] === NOT_FOUND && said === 'other' ? 'no-model' : said;
  const [first] = COMMANDS[kind] ?? [];
  const message =
    error instanceof Error
      ? error.message
      : (asString(toRecord(error)['message']) ?? String(error));
  return {
    kind: 'error',
    id,
    text: message,
    retry: data['retryable'] !== false || kind === 'no-model' || kind === 'unauthorized',
    commands: COMMANDS[kind] ?? ['showLog'],
    ...(MENDED.has(kind) && first !== undefined && { helps: first }),
    ...(said !== '' && { cause: said }),
  };
}

/** The card of a host exit: the exit code, the end of stderr, and what happens next. */
export function hostExited(exit: HostExit, retry: boolean, id: string, t: Translate): ErrorItem {
  const how =
    exit.signal === null ? t('exit code {0}', exit.code ?? '?') : t('signal {0}', exit.signal);
  const next =
    exit.restartIn === undefined
      ? t("It won't restart automatically. The conversation is kept.")
      : t('It is restarting, and the conversation is kept.');
  return {
    kind: 'error',
    id,
    text: t('The Gatehouse host stopped ({0}). {1}', how, next),
    ...(exit.stderrTail !== '' && { detail: exit.stderrTail }),
    retry,
    commands: exit.restartIn === undefined ? ['restartHost', 'showLog'] : ['showLog'],
  };
}

/** Whether the host has no such session, because it was deleted elsewhere. */
export function isGone(error: unknown): boolean {
  return toRecord(error)['code'] === RESOURCE_NOT_FOUND;
}

/** Whether the host did not read the message, because it is too large for the protocol. */
export function isTooLarge(error: unknown): boolean {
  return toRecord(toRecord(error)['data'])['kind'] === 'too-large';
}

const RESOURCE_NOT_FOUND = -32_002;

/** Describes an error for the log. */
export function describeError(error: unknown): string {
  const data = toRecord(toRecord(error)['data']);
  const message = getMessage(error);
  return Object.keys(data).length === 0 ? message : `${message} ${JSON.stringify(data)}`;
}
