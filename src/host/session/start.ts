import path from 'node:path';
import {
  type NewSessionRequest,
  RequestError,
  type ResumeSessionRequest,
} from '@agentclientprotocol/sdk';
import { readSessionMeta } from '../../acp/gatehouse/session.ts';
import { orInvalidParams } from '../../acp/invalidParams.ts';
import type { McpServer } from '../../base/tools/mcpServer.ts';
import { parseClientServer } from '../../mcp/config/clientServers.ts';
import { type Approval, parseApproval } from './policy/approval.ts';

/** How a session is started: by a client, or by another session for its subagent. */
export interface SessionStart extends SessionTerms {
  /** The session's root. Absolute. */
  readonly cwd: string;
  /** The agent's name; default: the host's default agent. */
  readonly agent?: string;
  /** The session that starts this one; absent when the user starts it. */
  readonly parent?: string;
  /** The user's message that it was started for. */
  readonly parentMessage?: string;
  /** What is stored of the call that started it. */
  readonly task?: object;
}

/** The terms of a session, set when it is created or reopened. Only the approval mode is stored. */
export interface SessionTerms {
  /** Absolute. */
  readonly additionalDirectories: readonly string[];
  readonly approval: Approval;
  /** Whether a user can answer a question of this session; otherwise an ask becomes a deny (spec C-56). */
  readonly canAsk: boolean;
  /** The MCP servers that the client gives the session. Absent: those of the session that starts it. */
  readonly mcpServers?: readonly McpServer[];
}

/** Parses a client's `session/new`. Throws a request error when it is invalid. */
export function parseStart(request: NewSessionRequest): SessionStart {
  const { cwd } = request;
  if (!path.isAbsolute(cwd)) throw RequestError.invalidParams({ cwd: 'Must be an absolute path.' });
  const { agent } = readMeta(request);
  return { ...parseTerms(request), cwd, ...(agent === undefined ? {} : { agent }) };
}

/**
 * The terms of a session that a client starts or reopens; `stored` is the approval mode that comes back with
 * it unless the client names one. Every ACP client can answer asks.
 */
export function parseTerms(
  request: NewSessionRequest | ResumeSessionRequest,
  stored?: unknown,
): SessionTerms {
  return {
    additionalDirectories: parseDirectories(request.additionalDirectories ?? []),
    approval: parseApproval(readMeta(request).approval) ?? parseApproval(stored) ?? 'ask',
    canAsk: true,
    mcpServers: parseClientServers(request.mcpServers ?? [], request.cwd),
  };
}

/** A server that can't be used must not be dropped silently: the client believes that it is there. */
function parseClientServers(
  given: NonNullable<ResumeSessionRequest['mcpServers']>,
  cwd: string,
): readonly McpServer[] {
  return given.map((server, at) => {
    const parsed = parseClientServer(server, cwd);
    if (parsed.ok) return parsed.data;
    throw RequestError.invalidParams({ [`mcpServers/${at}`]: parsed.error }, parsed.error);
  });
}

/** A relative folder could mean any folder, so leaving it out silently would open fewer files than the client believes. */
function parseDirectories(folders: readonly string[]): readonly string[] {
  const relative = folders.findIndex((folder) => !path.isAbsolute(folder));
  if (relative === -1) return folders;
  const field = `additionalDirectories/${relative}`;
  throw RequestError.invalidParams({ [field]: 'Must be an absolute path.' });
}

const readMeta = orInvalidParams(readSessionMeta);
