import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ModelRequest, Script } from '../../tour/server.ts';
import { sizeOf } from '../../workbench/sizes.ts';
import { createRandom } from '../random.ts';
import { temporary } from './harness.ts';
import { type Host, start } from './stdioHost.ts';

/** `npm run test:durability` has the long form. */
const KILLS = sizeOf(4, 100);

const isSummary = ({ body }: ModelRequest) =>
  JSON.stringify(body).includes('You write the summary that replaces');

/** A summary names how many prompts it stands for, in words of many chunks. */
const SCRIPT: Script = (request) =>
  isSummary(request)
    ? { text: `SUMMARY ${'word '.repeat(40)}END.`, chunkSize: 5 }
    : { text: `Answer. ${'word '.repeat(300)}` };

test(`${KILLS} kills within compactions lose no message, and leave the session summarised whole or not at all`, async (t) => {
  const { faults, ends } = await killCompactions(t, KILLS, 1617);
  assert.deepEqual(faults, []);
  // Kills came before the summary was there and after it. One that follows a summary has nothing to compact.
  if (KILLS >= 100) assert.deepEqual(Object.keys(ends).sort(), ['cancelled', 'completed', NOTHING]);
});

const NOTHING = 'failed: There is nothing to compact yet: the conversation is short.';

async function killCompactions(t: TestContext, count: number, seed: number) {
  const random = createRandom(seed);
  const data = await temporary(t);
  const faults: string[] = [];
  const ends: Record<string, number> = {};
  let sessionId: string | undefined;
  for (let round = 1; round <= count + 1; round++) {
    const host = await start(t, { data, script: SCRIPT });
    await host.request('initialize', CAPABLE);
    if (sessionId === undefined) ({ sessionId } = await host.newSession());
    else await host.request('session/load', { sessionId, cwd: data, mcpServers: [] });
    const status = round === 1 ? undefined : lastStatus(host);
    if (status !== undefined) ends[status] = (ends[status] ?? 0) + 1;
    faults.push(...findLost(host, round).map((fault) => `before round ${round}: ${fault}`));
    await prompt(host, sessionId, `ask-${round}.`);
    faults.push(...findWrongRequest(host, status).map((fault) => `in round ${round}: ${fault}`));
    if (round > count) {
      host.child.stdin?.end();
      await host.exit;
      break;
    }
    await compactAndKill(host, sessionId, { lines: 1 + random(3), ms: random(25) });
    await host.model.stop();
  }
  return { faults, ends };
}

const CAPABLE = { protocolVersion: 1, clientCapabilities: { session: { compaction: {} } } };

async function prompt(host: Host, sessionId: string, text: string): Promise<void> {
  const reply = await host.request('session/prompt', {
    sessionId,
    prompt: [{ type: 'text', text }],
  });
  assert.equal(Object(reply.result).stopReason, 'end_turn');
}

async function compactAndKill(
  host: Host,
  sessionId: string,
  point: { readonly lines: number; readonly ms: number },
): Promise<void> {
  const from = host.lines.length;
  const text = '/compact';
  const params = { sessionId, prompt: [{ type: 'text', text }] };
  host.send({ id: 'compact', method: 'session/prompt', params });
  while (host.lines.length < from + point.lines) await delay(1);
  await delay(point.ms);
  host.child.kill('SIGKILL');
  await host.exit;
}

function updates({ lines }: Host) {
  return lines.flatMap(({ from, message }) =>
    from === 'agent' && message.method === 'session/update' ? [Object(message.params).update] : [],
  );
}

/** What became of the newest compaction, and why; undefined when it was killed before it was on record. */
function lastStatus(host: Host): string | undefined {
  const last = updates(host).findLast(({ sessionUpdate }) => sessionUpdate === 'compaction_update');
  return last?.error === undefined ? last?.status : `${last.status}: ${last.error}`;
}

/** Prompts and answers of earlier rounds that a load did not bring back. */
function findLost(host: Host, round: number): readonly string[] {
  const texts = (kind: string) =>
    updates(host)
      .filter(({ sessionUpdate }) => sessionUpdate === kind)
      .map(({ content }) => Object(content).text)
      .join('');
  const asked = texts('user_message_chunk');
  const answers = texts('agent_message_chunk').split('Answer.').length - 1;
  const lost: string[] = [];
  for (let at = 1; at < round; at++) {
    if (!asked.includes(`ask-${at}.`)) lost.push(`prompt ${at} is lost`);
  }
  if (answers !== round - 1) lost.push(`${answers} of ${round - 1} answers are there`);
  return lost;
}

/** The request after a load has the summary and nothing that it stands for, or the messages. */
function findWrongRequest(host: Host, status: string | undefined): readonly string[] {
  const body = JSON.stringify(host.model.requests.at(-1)?.body);
  const wrong: string[] = [];
  if (/SUMMARY(?!.*END\.)/.test(body)) wrong.push('half a summary is sent');
  if (status === 'in_progress') wrong.push('the compaction still runs');
  if (status === 'completed' && !body.includes('SUMMARY')) wrong.push('the summary is not used');
  return wrong;
}
