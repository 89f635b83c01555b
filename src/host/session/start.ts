import path from 'node:path';
import {
  type NewSessionRequest,
  RequestError,
  type ResumeSessionRequest,
} from '@agentclientprotocol/sdk';
import { readSessionMeta } from '../../acp/gatehouse/session.ts';
import { orInvalidParams } from '../../acp/invalidParams.ts';
import { type Approval, parseApproval } from './policy/approval.ts';

/** What a session is started as: by a client, later by another session for its subagent. */
export interface SessionStart extends SessionTerms {
  /** The session's root. Absolute. */
  readonly cwd: string;
  /** By name; absent = the host's default agent. */
  readonly agent?: string;
  /** The session that starts this one; absent when the user does. */
  readonly parent?: string;
}

/** On what terms a session runs from now on, new or opened again. None of it is stored. */
export interface SessionTerms {
  /** Absolute. */
  readonly additionalDirectories: readonly string[];
  readonly approval: Approval;
  /** Whether someone can answer a question of this session; without it ask is deny (spec C-56). */
  readonly canAsk: boolean;
}

/** A client's `session/new`. Throws what the client did wrong as a request error. */
export function parseStart(request: NewSessionRequest): SessionStart {
  const { cwd } = request;
  if (!path.isAbsolute(cwd)) throw RequestError.invalidParams({ cwd: 'It must be absolute.' });
  const { agent } = readMeta(request);
  return { ...parseTerms(request), cwd, ...(agent === undefined ? {} : { agent }) };
}

/** What a client says of a session it starts or opens again. Every ACP client can be asked. */
export function parseTerms(request: NewSessionRequest | ResumeSessionRequest): SessionTerms {
  return {
    additionalDirectories: (request.additionalDirectories ?? []).filter((each) =>
      path.isAbsolute(each),
    ),
    approval: parseApproval(readMeta(request).approval) ?? 'ask',
    canAsk: true,
  };
}

const readMeta = orInvalidParams(readSessionMeta);
