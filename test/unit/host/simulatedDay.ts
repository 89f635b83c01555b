import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Script } from '../../tour/server.ts';
import { createRandom, type Random } from '../random.ts';
import { temporary } from './harness.ts';
import { type Host, residentBytes, start } from './stdioHost.ts';

export interface DayReport {
  readonly faults: readonly string[];
  /** Bytes, and open handles, of the window that stays open, after each tenth of the turns. */
  readonly memory: readonly number[];
  readonly handles: readonly number[];
  /** The most that any host held, in bytes. */
  readonly most: number;
}

interface Window {
  host: Host;
  readonly sessionId: string;
  /** The prompts whose turn has ended. */
  readonly done: string[];
}

/**
 * Two windows work on one history: `turns` turns with calls, searches, forks, rewinds and compactions. One
 * window stays open; the host of the other is ended `restarts` times, every second time by SIGKILL.
 */
export async function liveThroughDay(
  t: TestContext,
  size: { readonly turns: number; readonly restarts: number },
  seed: number,
): Promise<DayReport> {
  const random = createRandom(seed);
  const data = await temporary(t);
  writeFileSync(
    path.join(data, 'settings.json'),
    JSON.stringify({ 'gatehouse.permissions': RULES }),
  );
  const staying = await openWindow(t, data);
  // The index of the history has handles of its own, from the first search on.
  await staying.host.request('_gatehouse/search_sessions', { query: 'ask' });
  const restarted = await openWindow(t, data);
  const report = {
    faults: [] as string[],
    memory: [] as number[],
    handles: [] as number[],
    most: 0,
  };
  const every = Math.floor(size.turns / size.restarts);
  for (let turn = 1; turn <= size.turns; turn++) {
    const window = turn % 2 === 0 ? staying : restarted;
    report.faults.push(...(await takeTurn(window, turn, random)));
    if (turn % every === 0) {
      const lost = await restart(t, restarted, turn % (every * 2) === 0);
      report.faults.push(...lost.map((fault) => `after turn ${turn}: ${fault}`));
    }
    if (turn % Math.floor(size.turns / 10) === 0) await sample(report, staying.host);
    report.most = Math.max(report.most, ...[staying, restarted].map(({ host }) => memoryOf(host)));
  }
  for (const { host } of [staying, restarted]) {
    host.child.stdin?.end();
    if ((await host.exit) !== 0) report.faults.push('a host did not end well');
  }
  return report;
}

const RULES = ['read', 'write', 'fs.write'].map((permission) => ({
  ...{ permission, pattern: '**', action: 'allow' },
}));

const SCRIPT: Script = ({ body, conversation: { prompt, results } }) => {
  if (JSON.stringify(body).includes('You write the summary that replaces')) return { text: 'All.' };
  const turn = /\d+/.exec(prompt)?.[0] ?? '0';
  if (results.length > 0 || Number(turn) % 3 !== 0) {
    return { text: `Answer ${turn}. ${'word '.repeat(40)}` };
  }
  const content = `${turn}\n`.repeat(50);
  return { calls: [{ tool: 'write', input: { path: 'a.txt', content }, id: `call-${turn}` }] };
};

async function openWindow(t: TestContext, data: string): Promise<Window> {
  const host = await start(t, { data, script: SCRIPT });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  return { host, sessionId: (await host.newSession()).sessionId, done: [] };
}

/** One turn, and now and then something else that a user does. */
async function takeTurn(window: Window, turn: number, random: Random): Promise<readonly string[]> {
  const { host, sessionId, done } = window;
  const faults: string[] = [];
  const ask = async (method: string, params: object) => {
    const reply = await host.request(method, params);
    if (reply.error !== undefined) faults.push(`${method}: ${JSON.stringify(reply.error)}`);
    return Object(reply.result);
  };
  const text = `ask-${turn}.`;
  const prompt = [{ type: 'text', text }];
  const { stopReason } = await ask('session/prompt', { sessionId, prompt });
  if (stopReason === 'end_turn') done.push(text);
  else faults.push(`turn ${turn} ended with ${stopReason}`);
  switch (random(12)) {
    case 0:
      await ask('_gatehouse/search_sessions', { query: `ask ${1 + random(turn)}` });
      break;
    case 1: {
      const fork = await ask('_gatehouse/fork_session', { sessionId });
      await ask('session/delete', { sessionId: fork.sessionId });
      break;
    }
    case 2:
      await ask('_gatehouse/rewind', { sessionId });
      await ask('_gatehouse/unrewind', { sessionId });
      break;
    case 3:
      await ask('session/list', {});
  }
  if (turn % 500 < 2) await ask('_gatehouse/compact', { sessionId });
  host.forget();
  return faults;
}

/** Ends the window's host and opens its session in another. Returns the prompts that it has lost. */
async function restart(t: TestContext, window: Window, kill: boolean): Promise<readonly string[]> {
  const { host, sessionId, done } = window;
  if (kill) host.child.kill('SIGKILL');
  else host.child.stdin?.end();
  await host.exit;
  await host.model.stop();
  window.host = await start(t, { data: host.data, script: SCRIPT });
  await window.host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  await window.host.request('session/load', { sessionId, cwd: host.data, mcpServers: [] });
  const loaded = JSON.stringify(window.host.lines);
  return done.filter((text) => !loaded.includes(text)).map((text) => `${text} is lost`);
}

async function sample(
  { memory, handles }: { memory: number[]; handles: number[] },
  host: Host,
): Promise<void> {
  memory.push(memoryOf(host));
  // What writes now and then opens a file for a moment: the fewest of some readings counts.
  const readings: number[] = [];
  for (let reading = 0; reading < 20; reading++) {
    readings.push(readdirSync(`/proc/${host.child.pid}/fd`).length);
    await setTimeout(5);
  }
  handles.push(Math.min(...readings));
}

function memoryOf({ child }: Host): number {
  return residentBytes(child.pid ?? 0);
}
