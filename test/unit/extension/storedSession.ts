import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Chunk } from '../../../src/base/stream/chunk.ts';
import type { ChatSession } from '../../../src/extension/chat/chatSession.ts';
import { openRecorder } from '../../../src/recorder/recorder.ts';
import { createExtensionSide, type SideOptions } from './extensionSide.ts';

/** Stores a session of turns, each a prompt and an answer with a call, and returns its id. */
export function storeSession(data: string, cwd: string, messages: number, answer = toText): string {
  const recorder = openRecorder(path.join(data, 'state', 'gatehouse.db'));
  try {
    const { id } = recorder.createSession({ agent: 'gatehouse', cwd });
    recorder.together(() => {
      for (let turn = 0; turn < messages / 2; turn += 1) {
        recorder.addUserMessage(id, [{ type: 'text', text: `Question ${turn}` }]);
        const opened = recorder.openTurn(id, { agent: 'gatehouse' });
        if (!opened.ok) throw new Error(opened.error);
        for (const chunk of toAnswer(turn, answer(turn))) opened.data.record(chunk);
        opened.data.close();
      }
    });
    return id;
  } finally {
    recorder.close();
  }
}

function toText(turn: number): string {
  return Array.from(
    { length: 1 + (turn % 7) },
    (_, at) => `Answer ${turn}, part ${at}, with \`src/a.ts:${turn}\` and **bold** text.`,
  ).join('\n\n');
}

function toAnswer(turn: number, delta: string): readonly Chunk[] {
  const toolCallId = `call-${turn}`;
  return [
    { type: 'start-step' },
    { type: 'tool-input-available', toolCallId, toolName: 'bash', input: { command: 'ls' } },
    { type: 'tool-output-available', toolCallId, output: OUTPUT },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta },
    { type: 'text-end', id: 't' },
    { type: 'finish', finishReason: 'stop' },
  ];
}

const OUTPUT = {
  type: 'output',
  data: { output: 'a.ts\n', exit_code: 0 },
  metadata: { duration_ms: 1 },
} as const;

/** The extension of a fresh window, and a host of its own process that has the stored sessions. */
export function openWindow(
  data: string,
  folder: string,
  host: readonly string[],
  env: NodeJS.ProcessEnv = {},
  parts: Pick<SideOptions, 'settings' | 'servers'> = {},
) {
  let kill = () => undefined as unknown;
  const side = createExtensionSide({
    folder,
    ...parts,
    launch: () => {
      const child = spawn(process.execPath, [...host, 'acp'], {
        stdio: ['pipe', 'pipe', 'ignore'],
        env: { PATH: process.env['PATH'], HOME: data, GATEHOUSE_DATA: data, ...env },
      });
      kill = () => child.kill('SIGKILL');
      const { stdin, stdout, pid = 0 } = child;
      return { stdin, stdout, pid };
    },
  });
  return {
    ...side,
    /** As a view does that shows the session. */
    open(id: string): ChatSession {
      const session = side.chats.open(id);
      session.watch();
      return session;
    },
    close: () => kill(),
  };
}
