import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import {
  type AgentContext,
  agent,
  ndJsonStream,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';

/**
 * The baseline for turns: the ACP SDK, `fetch` and two tools, without a stored history or
 * permissions. Usage: `node referenceAgent.mjs BASE_URL`.
 */
const [baseUrl = ''] = process.argv.slice(2);
const histories = new Map<string, object[]>();

interface WireCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

agent({ name: 'reference' })
  .onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }))
  .onRequest('session/new', () => {
    const sessionId = `reference-${histories.size}`;
    histories.set(sessionId, []);
    return { sessionId };
  })
  .onRequest('session/prompt', async ({ params, client }) => {
    const content = params.prompt.map((block) => ('text' in block ? block.text : '')).join('');
    const session = {
      client,
      id: params.sessionId,
      history: histories.get(params.sessionId) ?? [],
    };
    session.history.push({ role: 'user', content });
    for (;;) {
      const calls = await askModel(session);
      if (calls.length === 0) return { stopReason: 'end_turn' as const };
      for (const call of calls) await runCall(session, call);
    }
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );

interface Session {
  readonly client: AgentContext;
  readonly id: string;
  readonly history: object[];
}

async function askModel(session: Session): Promise<WireCall[]> {
  const tools = ['read', 'bash'].map((name) => ({
    type: 'function',
    function: { name, description: name, parameters: { type: 'object' } },
  }));
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'reference', stream: true, messages: session.history, tools }),
  });
  const calls: WireCall[] = [];
  let text = '';
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const delta = JSON.parse(line.slice(6)).choices[0]?.delta ?? {};
      if (delta.content) {
        text += delta.content;
        await show(session, {
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: delta.content },
        });
      }
      calls.push(...(delta.tool_calls ?? []));
    }
  }
  session.history.push({
    role: 'assistant',
    content: text,
    ...(calls.length && { tool_calls: calls }),
  });
  return calls;
}

async function runCall(session: Session, call: WireCall): Promise<void> {
  const { name } = call.function;
  const { path, command } = JSON.parse(call.function.arguments);
  const toolCallId = call.id;
  await show(session, {
    sessionUpdate: 'tool_call',
    toolCallId,
    title: name,
    status: 'in_progress',
  });
  const content = name === 'read' ? await readFile(path, 'utf8') : await runBash(command);
  await show(session, { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
  session.history.push({ role: 'tool', tool_call_id: toolCallId, content });
}

function show({ client, id }: Session, update: SessionUpdate): Promise<void> {
  return client.notify('session/update', { sessionId: id, update });
}

function runBash(command: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        output += bytes;
      });
    }
    child.on('close', (code) => resolve(`${output}\nexit ${code}`));
  });
}
