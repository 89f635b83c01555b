import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { type AcpProcess, startAcpProcess } from '../test/tour/acpProcess.ts';
import { MODEL_ID, type ModelServer, startModelServer } from '../test/tour/server.ts';
import { createTour } from '../test/tour/tour.ts';
import { interleave, type Row } from './row.ts';

const ROUNDS = 21;
const WARM_UP = 3;
const CHUNKS = 1000;

/**
 * The overhead of a turn: from the end of the model's tool call to the request with its result,
 * with permissions and recorder, compared with an agent that does nothing else.
 */
export async function turnRows(host = 'dist/host/main.mjs'): Promise<readonly Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-bench-turn-'));
  const server = await startModelServer({ script: createTour() });
  const agents: Contender[] = [];
  try {
    const workspace = writeWorkspace(folder);
    const reference = await bundleReference(folder);
    const ours = await start(
      [process.execPath, path.resolve(host), 'acp'],
      workspace,
      toEnvironment(folder, server),
    );
    agents.push(ours);
    const floor = await start([process.execPath, reference, server.url], workspace, process.env);
    agents.push(floor);
    return await measure(server, ours, floor, path.join(workspace, 'a.txt'));
  } finally {
    for (const { agent } of agents) agent.kill();
    await server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Contender {
  readonly agent: AcpProcess;
  readonly cwd: string;
}

async function measure(
  server: ModelServer,
  ours: Contender,
  floor: Contender,
  file: string,
): Promise<Row[]> {
  const read = `#call read ${JSON.stringify({ path: file })}`;
  const bash = `#call bash ${JSON.stringify({ command: 'true' })}`;
  for (let round = 0; round < WARM_UP; round++) {
    for (const contender of [ours, floor]) {
      await turnaround(server, contender, read);
      await turnaround(server, contender, bash);
    }
  }
  const times = await interleave(ROUNDS, {
    ourRead: () => turnaround(server, ours, read),
    floorRead: () => turnaround(server, floor, read),
    ourBash: () => turnaround(server, ours, bash),
    floorBash: () => turnaround(server, floor, bash),
    ourStart: () => toFirstRequest(server, ours),
    floorStart: () => toFirstRequest(server, floor),
    ourStream: () => toWholeAnswer(ours),
    floorStream: () => toWholeAnswer(floor),
  });
  const row = (goal: string, ratio: number, limit: number): Row => ({
    goal,
    anchor: 'reference SDK agent',
    ratio,
    limit,
  });
  return [
    row('read turn', times.ourRead / times.floorRead, 3),
    row('bash turn (true)', times.ourBash / times.floorBash, 1.8),
    row('prompt to model request', times.ourStart / times.floorStart, 4),
    row(`${CHUNKS} chunks relayed`, times.ourStream / times.floorStream, 3),
  ];
}

/** Milliseconds from the end of the model's call to the request with its result. */
async function turnaround(server: ModelServer, contender: Contender, prompt: string) {
  const ask = await openSession(contender);
  const first = server.requests.length;
  await ask(prompt);
  const [call, result, ...others] = server.requests.slice(first);
  const [outcome] = result?.conversation.results ?? [];
  const failed = outcome === undefined || outcome.errorText !== '';
  if (failed || others.length > 0 || call?.endedAt === undefined || result === undefined) {
    throw new Error(`no call ran: ${outcome?.errorText} ${contender.agent.stderr()}`);
  }
  return result.receivedAt - call.endedAt;
}

async function toFirstRequest(server: ModelServer, contender: Contender): Promise<number> {
  const ask = await openSession(contender);
  const first = server.requests.length;
  const started = performance.now();
  await ask('hello');
  return (server.requests[first]?.receivedAt ?? Number.NaN) - started;
}

/**
 * Wall time in milliseconds of an answer of a thousand chunks, delivered as fast as it is consumed.
 */
async function toWholeAnswer(contender: Contender): Promise<number> {
  const ask = await openSession(contender);
  const started = performance.now();
  await ask(`#long ${(CHUNKS * 20) / 1024}`);
  return performance.now() - started;
}

/** Uses a new session for each sample, so that history doesn't add to the cost. */
async function openSession({ agent, cwd }: Contender) {
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
  return (text: string) =>
    agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
}

async function start(
  command: readonly [string, ...string[]],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Contender> {
  const agent = startAcpProcess(command, { cwd, env });
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  return { agent, cwd };
}

/** Rules allow both calls, so that deciding is measured but asking is not. */
function toEnvironment(folder: string, server: ModelServer): NodeJS.ProcessEnv {
  const settings = path.join(folder, 'settings.json');
  const allow = (permission: string, pattern: string) => ({ permission, pattern, action: 'allow' });
  writeFileSync(
    settings,
    JSON.stringify({ 'gatehouse.permissions': [allow('read', '**'), allow('bash', 'true')] }),
  );
  return {
    ...process.env,
    GATEHOUSE_CONFIG: settings,
    GATEHOUSE_DATA: path.join(folder, 'data'),
    GATEHOUSE_MODEL_BASE_URL: server.url,
    GATEHOUSE_MODEL_ID: MODEL_ID,
    GATEHOUSE_MODEL_API_KEY: 'none',
  };
}

function writeWorkspace(folder: string): string {
  const workspace = path.join(folder, 'workspace');
  mkdirSync(workspace);
  writeFileSync(path.join(workspace, 'a.txt'), 'hello\n'.repeat(100));
  return workspace;
}

async function bundleReference(folder: string): Promise<string> {
  const outfile = path.join(folder, 'reference.mjs');
  await build({
    entryPoints: [path.join(import.meta.dirname, 'referenceAgent.ts')],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    mainFields: ['module', 'main'],
    logLevel: 'warning',
  });
  return outfile;
}
