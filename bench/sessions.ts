import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HOST_OPTIONS } from '../src/extension/host/hostSpawn.ts';
import { openRecorder } from '../src/recorder/recorder.ts';
import { type AcpProcess, startAcpProcess } from '../test/tour/acpProcess.ts';
import { MODEL_ID, type Script, startModelServer } from '../test/tour/server.ts';
import { interleave, median, type Row } from './row.ts';

const ROWS = 1000;
const CHUNKS = 1000;
const TURNS = 2000;
const STORED_TURNS = 2500;
const HOST = path.resolve('dist/host/main.mjs');

/** What long sessions cost: the recorder, late turns, memory, reopening, and the end of an answer. */
export async function sessionRows(): Promise<readonly Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-bench-sessions-'));
  try {
    const recorded = await recorderRow(folder);
    const reopened = await reopenRows(folder);
    return [recorded, ...reopened, ...(await longRows(folder))];
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Texts of an answer, stored as a turn stores them, against bare rows of the same table in one transaction. */
async function recorderRow(folder: string): Promise<Row> {
  const recorder = openRecorder(path.join(folder, 'recorder.db'));
  const { database } = recorder.store;
  const data = JSON.stringify({ text: 'x'.repeat(200) });
  let round = 0;
  const openTurn = () => {
    const { id } = recorder.createSession({ agent: 'gatehouse', cwd: folder });
    recorder.addUserMessage(id, [{ type: 'text', text: 'hello' }]);
    const turn = recorder.openTurn(id);
    if (!turn.ok) throw new Error(turn.error);
    return { id, record: turn.data };
  };
  const { ours, bare } = await interleave(15, {
    bare: async () => {
      const { id, record } = openTurn();
      const message = recorder.messages(id)[0]?.id ?? '';
      round += 1;
      record.close();
      return timed(() =>
        database.transaction(() => {
          for (let row = 0; row < ROWS; row++)
            database.run(INSERT, `bare_${round}_${row}`, id, message, row, data, 0, 0);
        }),
      );
    },
    ours: async () => {
      const { record } = openTurn();
      const took = timed(() => {
        for (let row = 0; row < ROWS; row += BATCH) {
          const texts = Math.min(BATCH, ROWS - row);
          const ids = Array.from({ length: texts }, (_, at) => `prt_${round}_${row + at}`);
          record.record(
            ...ids.flatMap((id) => [
              { type: 'text-start', id } as const,
              { type: 'text-delta', id, delta: 'x'.repeat(200) } as const,
              { type: 'text-end', id } as const,
            ]),
          );
        }
      });
      record.close();
      return took;
    },
  });
  recorder.close();
  const anchor = `${ROWS} bare rows of its table in one transaction`;
  return {
    goal: `recorder: ${ROWS} texts of a turn (CPU)`,
    anchor,
    ratio: ours / bare,
    limit: 2.5,
  };
}

const INSERT = `INSERT INTO chat_parts (id, session_id, message_id, "index", type, data_json, created_at, updated_at)
  VALUES (?, ?, ?, ?, 'text', ?, ?, ?)`;

/** The publisher stores at most 1,024 chunks at a time: 341 texts. */
const BATCH = 341;

/** The processor time of this thread, in milliseconds. */
function timed(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** A session of 5,000 messages with outputs of 20 KB, opened by a new host. */
async function reopenRows(folder: string): Promise<readonly Row[]> {
  const data = path.join(folder, 'reopen');
  const sessionId = fill(data);
  const page: number[] = [];
  const load: number[] = [];
  for (let round = 0; round < 7; round++) {
    const agent = await startHost(data, 'http://127.0.0.1:1', folder);
    await warmUp(agent, folder);
    let started = performance.now();
    await agent.request('_gatehouse/history', { sessionId, limit: 100 });
    page.push(performance.now() - started);
    agent.kill();
    const other = await startHost(data, 'http://127.0.0.1:1', folder);
    await warmUp(other, folder);
    started = performance.now();
    const loaded = other.request('session/load', { sessionId, cwd: folder, mcpServers: [] });
    await other.waitFor(({ method }) => method === 'session/update');
    load.push(performance.now() - started);
    await loaded;
    other.kill();
  }
  const row = (goal: string, times: readonly number[]): Row => {
    return { goal, anchor: '150 ms', ratio: median(times) / 150, limit: 1 };
  };
  const what = '5,000 messages with 20 KB outputs';
  return [row(`${what}: first page`, page), row(`${what}: first update of a load of all`, load)];
}

/** The host has loaded its code, as it has when a user opens a session of the list. */
async function warmUp(agent: AcpProcess, cwd: string): Promise<void> {
  await agent.request('session/list', { cwd });
}

function fill(data: string): string {
  const recorder = openRecorder(path.join(data, 'state', 'gatehouse.db'));
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: data });
  recorder.together(() => {
    for (let turn = 0; turn < STORED_TURNS; turn++) {
      recorder.addUserMessage(id, [{ type: 'text', text: `ask ${turn}` }]);
      const opened = recorder.openTurn(id);
      if (!opened.ok) throw new Error(opened.error);
      const call = { toolCallId: `call-${turn}`, toolName: 'bash' };
      const output = {
        type: 'output',
        data: 'word '.repeat(4_000),
        metadata: { duration_ms: 1 },
      } as const;
      opened.data.record({ type: 'tool-input-available', ...call, input: { command: 'ls' } });
      opened.data.record({ type: 'tool-output-available', toolCallId: call.toolCallId, output });
      opened.data.record({ type: 'finish', finishReason: 'stop' });
      opened.data.close();
    }
  });
  recorder.close();
  return id;
}

const SCRIPT: Script = ({ body, conversation: { prompt } }) => {
  const text = JSON.stringify(body);
  if (text.includes('You write the summary that replaces')) return { text: 'A summary.' };
  if (prompt === 'stream') return { text: 'x'.repeat(CHUNKS * 20) };
  const usage = { prompt_tokens: Math.ceil(text.length / 4), completion_tokens: 250 };
  return { text: `answer ${'word '.repeat(200)}`, usage };
};

/** One host and one session of 2,000 turns in a window of 24,000 tokens, which is compacted again and again. */
async function longRows(folder: string): Promise<readonly Row[]> {
  const server = await startModelServer({ script: SCRIPT });
  const data = path.join(folder, 'long');
  mkdirSync(data);
  const agent = await startHost(data, server.url, folder);
  try {
    const ask = async (sessionId: string, text: string) => {
      const prompt = [{ type: 'text', text: `${text} ${'word '.repeat(160)}`.slice(0, 800) }];
      await agent.request('session/prompt', { sessionId, prompt });
    };
    const turns = async (sessionId: string, from: number, to: number) => {
      const before = cpuMs(agent.pid);
      for (let turn = from; turn < to; turn++) await ask(sessionId, `ask ${turn}`);
      return (cpuMs(agent.pid) - before) / (to - from);
    };
    const long = await open(agent, folder);
    await turns(long, 0, 40);
    const early = residentBytes(agent.pid);
    await turns(long, 40, TURNS - 20);
    const [late, tenth]: [number[], number[]] = [[], []];
    // Alternately, so that both are measured under the same load and in a warm process.
    for (let round = 0; round < 4; round++) {
      late.push(await turns(long, TURNS - 20 + round * 5, TURNS - 15 + round * 5));
      const fresh = await open(agent, folder);
      await turns(fresh, 0, 7);
      tenth.push(await turns(fresh, 7, 12));
    }
    const grown = residentBytes(agent.pid);
    const ends = await endTimes(agent, folder, server);
    const streamed = await streamShare(agent, folder);
    return [
      {
        goal: `CPU of turn ${TURNS}, compacted`,
        anchor: 'turn 10',
        ratio: sum(late) / sum(tenth),
        limit: 1.5,
      },
      { goal: `RSS after ${TURNS} turns`, anchor: 'after 40', ratio: grown / early, limit: 1.5 },
      {
        goal: 'end of the answer → stop reason, fastest quarter',
        anchor: '5 ms',
        ratio: ends / 5,
        limit: 1,
      },
      {
        goal: `recorder: CPU of ${CHUNKS} chunks`,
        anchor: 'host: streaming them',
        ratio: streamed,
        limit: 0.05,
      },
    ];
  } finally {
    agent.kill();
    await server.stop();
  }
}

/**
 * Milliseconds from the last byte of the model's answer to the reply of the prompt. Of a quarter of the turns,
 * because on a busy machine the others wait for the processor, in the host as in the client.
 */
async function endTimes(
  agent: AcpProcess,
  cwd: string,
  server: Awaited<ReturnType<typeof startModelServer>>,
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 21; round++) {
    const sessionId = await open(agent, cwd);
    const prompt = [{ type: 'text', text: 'hello' }];
    await agent.request('session/prompt', { sessionId, prompt });
    times.push(performance.now() - (server.requests.at(-1)?.endedAt ?? Number.NaN));
  }
  return median(times.sort((a, b) => a - b).slice(0, Math.floor(times.length / 2)));
}

/** The recorder's CPU for the chunks of an answer, of what the host takes to stream them. */
async function streamShare(agent: AcpProcess, cwd: string): Promise<number> {
  const rounds = 10;
  const before = cpuMs(agent.pid);
  for (let round = 0; round < rounds; round++) {
    const sessionId = await open(agent, cwd);
    const prompt = [{ type: 'text', text: 'stream' }];
    await agent.request('session/prompt', { sessionId, prompt });
  }
  const whole = cpuMs(agent.pid) - before;
  return (recordingMs(cwd) * rounds) / whole;
}

/** CPU time of storing the same chunks as they come: about four in a tick. */
function recordingMs(folder: string): number {
  const recorder = openRecorder(path.join(folder, 'streamed.db'));
  const times: number[] = [];
  for (let round = 0; round < 20; round++) {
    const { id } = recorder.createSession({ agent: 'gatehouse', cwd: folder });
    const turn = recorder.openTurn(id);
    if (!turn.ok) throw new Error(turn.error);
    const before = process.threadCpuUsage();
    turn.data.record({ type: 'text-start', id: `prt_stream_${round}` });
    for (let chunk = 0; chunk < CHUNKS; chunk += 4) {
      const delta = {
        type: 'text-delta',
        id: `prt_stream_${round}`,
        delta: 'x'.repeat(20),
      } as const;
      turn.data.record(delta, delta, delta, delta);
    }
    turn.data.record({ type: 'text-end', id: `prt_stream_${round}` });
    turn.data.close();
    const { user, system } = process.threadCpuUsage(before);
    times.push((user + system) / 1000);
  }
  recorder.close();
  return median(times);
}

async function startHost(data: string, url: string, folder: string): Promise<AcpProcess> {
  const settings = path.join(folder, 'settings.json');
  writeFileSync(settings, JSON.stringify({ 'gatehouse.model.contextTokens': 24_000 }));
  const agent = startAcpProcess([process.execPath, ...HOST_OPTIONS, HOST, 'acp'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      GATEHOUSE_CONFIG: settings,
      GATEHOUSE_DATA: data,
      GATEHOUSE_MODEL_BASE_URL: url,
      GATEHOUSE_MODEL_ID: MODEL_ID,
    },
  });
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  return agent;
}

async function open(agent: AcpProcess, cwd: string): Promise<string> {
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
  return String(sessionId);
}

/** The processor time of a process in milliseconds, in steps of 10. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
