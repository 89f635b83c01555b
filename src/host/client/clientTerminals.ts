import type {
  CreateTerminalRequest,
  CreateTerminalResponse,
  TerminalOutputResponse,
  WaitForTerminalExitResponse,
} from '@agentclientprotocol/sdk';
import type { ClientTerminals } from '../../runtime/runtime.ts';
import type { Client } from './client.ts';

type Run = ClientTerminals['run'];

/** Another client's terminals. A released terminal stays visible in its call. */
export function createClientTerminals(client: Client, sessionId: string): ClientTerminals {
  return { run: (request) => run(client, sessionId, request) };
}

async function run(
  client: Client,
  sessionId: string,
  request: Parameters<Run>[0],
): ReturnType<Run> {
  const { command, args, cwd, env, outputByteLimit, signal } = request;
  const params: CreateTerminalRequest = {
    sessionId,
    command,
    args: [...args],
    cwd,
    outputByteLimit,
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
  };
  const { terminalId } = await client.peer.request<CreateTerminalResponse>(
    'terminal/create',
    params,
  );
  request.onStart?.(terminalId);
  const terminal = { sessionId, terminalId };
  const kill = () => void client.peer.request('terminal/kill', terminal).catch(() => undefined);
  try {
    if (signal.aborted) kill();
    else signal.addEventListener('abort', kill, { once: true });
    const { exitCode, signal: ended } = await client.peer.request<WaitForTerminalExitResponse>(
      'terminal/wait_for_exit',
      terminal,
    );
    const { output, truncated } = await client.peer.request<TerminalOutputResponse>(
      'terminal/output',
      terminal,
    );
    return { terminalId, output, truncated, exitCode: exitCode ?? null, signal: ended ?? null };
  } finally {
    signal.removeEventListener('abort', kill);
    // The client keeps its output readable. A failed release only affects the client.
    await client.peer.request('terminal/release', terminal).catch(() => undefined);
  }
}
