import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../../../src/recorder/file/database.ts';
import type { Script } from '../../tour/server.ts';
import { createRandom, type Random } from '../random.ts';
import { temporary } from './harness.ts';
import { type Host, start } from './stdioHost.ts';

/** What a client was shown before the host was killed, and must find again. */
interface Shown {
  /** The stop reason of these prompts came. */
  readonly ended: Set<number>;
  /** Call ids with their last status, of those that ended. */
  readonly calls: Map<string, string>;
  /** Prompts whose first update came. */
  readonly begun: Set<number>;
}

export interface KillReport {
  readonly kills: number;
  readonly ended: number;
  readonly calls: number;
  readonly faults: readonly string[];
}

/** Lines of the host within one turn. */
const LINES = 26;

/**
 * Kills a host `count` times with SIGKILL, each at another point of a turn with a command, a new file and
 * an edit, always in the same session. After each kill the next host loads the session, and what the
 * client had been shown as done must be there: in the session and on disk. No command may run twice.
 */
export async function killHosts(t: TestContext, count: number, seed: number): Promise<KillReport> {
  const random = createRandom(seed);
  const data = await temporary(t);
  const rules = ['fs.write', 'write', 'edit', 'read'].map((permission) => ({
    ...{ permission, pattern: '**', action: 'allow' },
  }));
  writeFileSync(
    path.join(data, 'settings.json'),
    JSON.stringify({ 'gatehouse.permissions': rules }),
  );
  writeFileSync(path.join(data, 'edited.txt'), 'state 0\n');
  const shown: Shown = { ended: new Set(), calls: new Map(), begun: new Set() };
  const faults: string[] = [];
  let sessionId: string | undefined;
  for (let round = 1; round <= count; round++) {
    const host = await start(t, { data, script: SCRIPT });
    sessionId = await openSession(host, sessionId);
    faults.push(...findFaults(host, shown).map((fault) => `before kill ${round}: ${fault}`));
    await promptAndKill(host, sessionId, round, random);
    note(host, shown);
    faults.push(...findFileFaults(data, round, shown).map((fault) => `kill ${round}: ${fault}`));
    await host.model.stop();
    dropRecord(host);
  }
  const last = await start(t, { data, script: SCRIPT });
  await openSession(last, sessionId);
  faults.push(...findFaults(last, shown).map((fault) => `at the end: ${fault}`));
  last.child.stdin?.end();
  await last.exit;
  faults.push(...findDamage(path.join(data, 'state', 'gatehouse.db')));
  return { kills: count, ended: shown.ended.size, calls: shown.calls.size, faults };
}

/** One step with three calls, then an answer. */
const SCRIPT: Script = ({ conversation: { prompt, results } }) => {
  const round = Number(/\d+/.exec(prompt)?.[0]);
  if (results.length > 0) return { text: `Answer ${round}.`, chunkSize: 4 };
  const command = `echo x >> ran-${round}; printf %s ${round}`;
  const content = toContent(round);
  return {
    text: `Step ${round}.`,
    calls: [
      { tool: 'bash', input: { command }, id: `bash-${round}` },
      { tool: 'write', input: { path: `new-${round}.txt`, content }, id: `write-${round}` },
      {
        tool: 'edit',
        input: { path: 'edited.txt', old_string: 'state', new_string: `${round} state` },
        id: `edit-${round}`,
      },
    ],
  };
};

function toContent(round: number): string {
  return `${round}`.repeat(20_000);
}

/** A thousand hosts that were each sent the whole session do not fit into memory. */
function dropRecord(host: Host): void {
  host.forget();
  host.model.dropRequests();
}

async function openSession(host: Host, sessionId: string | undefined): Promise<string> {
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  if (sessionId === undefined) return (await host.newSession()).sessionId;
  await host.request('session/load', { sessionId, cwd: host.data, mcpServers: [] });
  return sessionId;
}

async function promptAndKill(host: Host, sessionId: string, round: number, random: Random) {
  const from = host.lines.length;
  const target = 1 + random(LINES);
  const late = random(12);
  const prompt = [{ type: 'text', text: `Prompt ${round}` }];
  host.send({ id: `turn-${round}`, method: 'session/prompt', params: { sessionId, prompt } });
  const ended = host.answered(`turn-${round}`);
  const answered = new Set<unknown>();
  await Promise.race([ended, untilLines(host, from + target, answered)]);
  await delay(late);
  host.child.kill('SIGKILL');
  await host.exit;
}

/** Allows whatever is asked, until there are so many lines. */
async function untilLines(host: Host, target: number, answered: Set<unknown>): Promise<void> {
  while (!host.child.killed && host.lines.length < target) {
    for (const { from, message } of [...host.lines]) {
      if (from !== 'agent' || message.method !== 'session/request_permission') continue;
      if (answered.has(message.id)) continue;
      answered.add(message.id);
      host.send({
        id: message.id,
        result: { outcome: { outcome: 'selected', optionId: 'allow' } },
      });
    }
    await delay(1);
  }
}

/** What the client has seen by now. */
function note(host: Host, shown: Shown): void {
  for (const { from, message } of host.lines) {
    if (from !== 'agent') continue;
    const turn = /^turn-(\d+)$/.exec(String(message.id))?.[1];
    if (turn !== undefined && message.result !== undefined) shown.ended.add(Number(turn));
    const { toolCallId, status } = Object(Object(message.params).update);
    if (typeof toolCallId !== 'string') continue;
    if (status === 'completed' || status === 'failed') shown.calls.set(toolCallId, status);
    const round = /^\w+-(\d+)$/.exec(toolCallId)?.[1];
    if (round !== undefined) shown.begun.add(Number(round));
  }
}

/** What a session that was just loaded lacks of what was shown. */
function findFaults(host: Host, { ended, calls, begun }: Shown): string[] {
  const updates = host.lines.flatMap(({ from, message }) =>
    from === 'agent' && message.method === 'session/update' ? [Object(message.params).update] : [],
  );
  const texts = (kind: string) =>
    updates
      .filter(({ sessionUpdate }) => sessionUpdate === kind)
      .map(({ content }) => Object(content).text)
      .join('');
  const said = texts('agent_message_chunk');
  const asked = texts('user_message_chunk');
  const states = new Map<string, string>();
  for (const { toolCallId, status } of updates) {
    if (typeof toolCallId === 'string' && typeof status === 'string')
      states.set(toolCallId, status);
  }
  const faults: string[] = [];
  for (const round of ended) {
    if (!said.includes(`Step ${round}.`)) faults.push(`the text of step ${round} is lost`);
    if (!said.includes(`Answer ${round}.`)) faults.push(`answer ${round} is lost`);
  }
  for (const round of begun) {
    if (!asked.includes(`Prompt ${round}`)) faults.push(`prompt ${round} is lost`);
  }
  for (const [id, status] of calls) {
    if (states.get(id) !== status) faults.push(`${id} was ${status}, and is ${states.get(id)}`);
  }
  return faults;
}

function findFileFaults(data: string, rounds: number, { calls }: Shown): string[] {
  const faults: string[] = [];
  const read = (name: string) =>
    existsSync(path.join(data, name)) ? readFileSync(path.join(data, name), 'utf8') : undefined;
  const edited = read('edited.txt') ?? '';
  if (!/^(?:\d+ )*state 0\n$/.test(edited)) faults.push(`edited.txt is ${JSON.stringify(edited)}`);
  for (let round = 1; round <= rounds; round++) {
    const ran = read(`ran-${round}`);
    if (ran !== undefined && ran !== 'x\n') faults.push(`command ${round} ran more than once`);
    if (ran === undefined && calls.get(`bash-${round}`) === 'completed') {
      faults.push(`command ${round} is shown as run and did not`);
    }
    const written = read(`new-${round}.txt`);
    if (written !== undefined && written !== toContent(round))
      faults.push(`file ${round} is half written`);
    if (written === undefined && calls.get(`write-${round}`) === 'completed') {
      faults.push(`file ${round} is lost`);
    }
    const times = edited.split(' ').filter((word) => word === `${round}`).length;
    if (times > 1) faults.push(`edit ${round} was made ${times} times`);
    if (times === 0 && calls.get(`edit-${round}`) === 'completed')
      faults.push(`edit ${round} is lost`);
  }
  return faults;
}

function findDamage(file: string): string[] {
  const database = openDatabase(file, () => 0);
  try {
    const [found] = Object.values(database.get('PRAGMA integrity_check') ?? {});
    assert.equal(database.notices.length, 0);
    return found === 'ok' ? [] : [`integrity_check: ${found}`];
  } finally {
    database.close();
  }
}
