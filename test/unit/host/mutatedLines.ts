import type { TestContext } from 'node:test';
import { createRandom, type Random } from '../random.ts';
import { type Host, residentBytes, start } from './stdioHost.ts';

export interface MutationReport {
  readonly lines: number;
  /** Bytes that the host holds after a tenth of the lines and after all, with every session closed. */
  readonly early: number;
  readonly late: number;
  readonly most: number;
  readonly exit: number | null;
}

/** Lines between two probes. */
const BATCH = 500;

/**
 * Sends `count` lines to a host, each a valid one that was changed somewhere. After each batch, a valid
 * request must be answered, and the sessions that were opened are closed.
 */
export async function sendMutatedLines(
  t: TestContext,
  count: number,
  seed: number,
): Promise<MutationReport> {
  const random = createRandom(seed);
  const host = await start(t, { script: () => ({ text: 'Ok.' }) });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  const pid = host.child.pid ?? 0;
  const seeds = toSeeds(sessionId, host.data);
  let [early, most] = [0, 0];
  for (let sent = 0; sent < count; ) {
    const batch = Math.min(BATCH, count - sent);
    const bytes = Array.from({ length: batch }, () => mutate(pick(seeds, random), random));
    if (host.child.stdin?.write(Buffer.concat(bytes)) === false) await drained(host);
    sent += batch;
    await probe(host);
    most = Math.max(most, residentBytes(pid));
    if (early === 0 && sent >= count / 10) early = residentBytes(pid);
  }
  const late = residentBytes(pid);
  host.child.stdin?.end();
  return { lines: count, early, late, most, exit: await host.exit };
}

/** The host answers, and what the batch has opened is closed. */
async function probe(host: Host): Promise<void> {
  const reply = await host.request('session/list', {});
  if (reply.result === undefined) throw new Error(`No list: ${JSON.stringify(reply.error)}`);
  const opened = new Set<string>();
  for (const { from, message } of host.lines) {
    const { sessionId } = Object(message.result);
    if (from === 'agent' && typeof sessionId === 'string') opened.add(sessionId);
  }
  for (const sessionId of opened) await host.request('session/close', { sessionId });
  host.forget();
}

function drained({ child }: Host): Promise<unknown> {
  return new Promise((resolve) => child.stdin?.once('drain', resolve));
}

function toSeeds(sessionId: string, cwd: string): readonly string[] {
  const folder = { cwd, mcpServers: [] };
  const text = [{ type: 'text', text: 'Hello there.' }];
  const requests: readonly (readonly [string, object])[] = [
    ['initialize', { protocolVersion: 1, clientCapabilities: {} }],
    ['session/new', folder],
    ['session/load', { sessionId, ...folder }],
    ['session/resume', { sessionId, ...folder }],
    ['session/list', { cwd }],
    ['session/prompt', { sessionId, prompt: text }],
    ['session/set_config_option', { sessionId, configId: 'approval', value: 'readOnly' }],
    ['session/set_mode', { sessionId, modeId: 'gatehouse' }],
    ['_gatehouse/history', { sessionId }],
    ['_gatehouse/search_sessions', { query: 'hello' }],
    ['_gatehouse/queue', { sessionId }],
  ];
  return [
    ...requests.map(([method, params], at) =>
      JSON.stringify({ jsonrpc: '2.0', id: `m${at}`, method, params }),
    ),
    JSON.stringify({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } }),
    JSON.stringify({ jsonrpc: '2.0', id: 1, result: { outcome: { outcome: 'cancelled' } } }),
    JSON.stringify({ jsonrpc: '2.0', id: 2, error: { code: -1, message: 'no' } }),
  ];
}

/** The line with one to four changes of its bytes, and its end. */
function mutate(line: string, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(line);
  for (let change = 0; change <= random(4); change++) bytes = changeBytes(bytes, random);
  return Buffer.concat([bytes, Buffer.from('\n')]);
}

function changeBytes(bytes: Buffer, random: Random): Buffer {
  const at = random(bytes.length + 1);
  const length = 1 + random(12);
  const [before, behind] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (random(6)) {
    case 0:
      return Buffer.concat([before, behind.subarray(length)]);
    case 1:
      return Buffer.concat([before, behind.subarray(0, length), behind]);
    case 2:
      return before;
    case 3:
      return Buffer.concat([before, Buffer.from([random(256)]), behind.subarray(1)]);
    case 4:
      return Buffer.concat([before, Buffer.from(pick(ODD, random)), behind]);
    default:
      return Buffer.concat([before, Buffer.from(pick(ODD, random)), behind.subarray(length)]);
  }
}

/** What parsers stumble over. */
const ODD = [
  ...['null', '{}', '[]', '""', '0', '-1', '1e400', 'true', '"\\ud800"', '\u0000', '__proto__'],
  ...['[[[[[[[[[[[[', '{"a":', '../../..', '9'.repeat(40), 'x'.repeat(2_000), '\r', '"id":null,'],
];

function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[random(items.length)];
  if (item === undefined) throw new Error('Nothing to pick from.');
  return item;
}
