import { RequestError } from '@agentclientprotocol/sdk';
import type { PromptFault } from './modelChoice.ts';

/** JSON-RPC's internal error: the turn failed, and `data.kind` says how. */
const INTERNAL_ERROR = -32603;

/** The error response of `session/prompt`. */
export function toRequestError({ message, data }: PromptFault): RequestError {
  return new RequestError(INTERNAL_ERROR, message, data);
}

export const UNTRUSTED: PromptFault = {
  message:
    'This workspace is not trusted, so the agent cannot run. Trust the workspace (Workspaces: Manage Workspace Trust), then send the message again.',
  data: { kind: 'untrusted', retryable: true },
};

export const NO_REASON: PromptFault = {
  message: 'The agent stopped with an error. Send the message again.',
  data: { kind: 'other', retryable: true },
};

export const NOT_SENT: PromptFault = {
  message: 'The previous turn failed, so this message was not sent. Send it again.',
  data: { kind: 'not-sent', retryable: true },
};

export const NOT_CONFIGURED: PromptFault = {
  message: 'The editor did not send its settings. Reload the window and try again.',
  data: { kind: 'not-configured', retryable: true },
};

/** Sending it again would fail too, so no retry is offered. */
export const DELETED: PromptFault = {
  message:
    'This session was deleted in another window, so the message was not sent. Copy it into a new chat.',
  data: { kind: 'deleted', retryable: false },
};

/** A prompt that is refused before it is stored. Sending it again would fail too, so no retry is offered. */
export function toBadPrompt(message: string): PromptFault {
  return { message, data: { kind: 'bad-prompt', retryable: false } };
}

/** The session's agent cannot be started: its file is missing, invalid or no longer accepted. */
export function noAgent(reason: string): PromptFault {
  return {
    message: `${reason} Choose another agent for this session, then send the message again.`,
    data: { kind: 'no-agent', retryable: true },
  };
}

/** The history is locked by another program for long. */
export function storeBusy(message: string): PromptFault {
  return { message, data: { kind: 'busy', retryable: true } };
}
