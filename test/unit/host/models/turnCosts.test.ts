import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { findKnown } from '../../../../src/agent/models/knownModels.ts';
import { toCost } from '../../../../src/agent/models/price.ts';
import type { Chunk } from '../../../../src/base/stream/chunk.ts';
import { createDayCosts } from '../../../../src/host/models/dayCosts.ts';
import { createTurnCosts, type TurnCostParts } from '../../../../src/host/models/turnCosts.ts';
import { createManualClock } from '../../../tour/manualClock.ts';
import { temporary } from '../harness.ts';

const DAY = 86_400_000;
const NONE = { sessionCost: 0, dayCost: 0, unpricedTokens: 0 };
const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const USAGE = {
  ...{ input: 100_000, output: 10_000, reasoning: 0 },
  ...{ cache_read: 1_000_000, cache_write: 200_000 },
};
const COST = 0.3 + 0.15 + 0.3 + 0.75;

test('a price counts input, output and both uses of the cache', () => {
  assert.equal(toCost(PRICE, USAGE).toFixed(6), COST.toFixed(6));
  assert.equal(toCost({ input: 1, output: 0 }, { ...USAGE, output: 0 }), 1.3);
  const above = { tokens: 1_000_000, input: 2, output: 4 };
  assert.equal(toCost({ input: 1, output: 2, above }, USAGE).toFixed(2), '2.64');
});

test('the price of a model is that of its own id or a dated one, and unknown for any other', () => {
  const price = (id: string) => findKnown('anthropic', id).price?.input;
  assert.equal(price('claude-sonnet-4-5'), 3);
  assert.equal(price('claude-sonnet-4-5-20250929'), 3);
  assert.equal(price('claude-sonnet-4-99'), undefined);
  assert.equal(findKnown('openai', 'gpt-5-mini-2025-08-07').price?.input, 0.25);
  assert.equal(findKnown('openai', 'gpt-5-other').price, undefined);
  assert.equal(findKnown('openai-chat', 'gpt-4o').price?.input, 2.5);
  assert.equal(findKnown('openai-compatible', 'gpt-4o').price, undefined);
});

test('each request has its cost and that of the session so far', async (t) => {
  const { costs } = await open(t, { spent: { cost: 1, tokens: 5 } });
  const [chunk] = await use(costs);
  assert.equal(chunk?.cost?.toFixed(6), COST.toFixed(6));
  assert.equal(chunk?.sessionCost?.toFixed(6), (1 + COST).toFixed(6));
});

test('a request aside costs what the model for summaries does', async (t) => {
  const { costs } = await open(t, { aside: { price: { input: 1, output: 0 } } });
  const free = { ...USAGE, input: 0, output: 0, cache_read: 0, cache_write: 0 };
  assert.equal(costs.addAside({ ...free, input: 500_000 }), 0.5);
  const [chunk] = await use(costs);
  assert.equal(chunk?.sessionCost?.toFixed(6), (0.5 + COST).toFixed(6));
  const unknown = await open(t, { aside: { price: undefined } });
  assert.equal(unknown.costs.addAside(USAGE), undefined);
});

test('limits.sessionCost stops before the next request, and names what to raise', async (t) => {
  const limits = { ...NONE, sessionCost: 1.5 };
  const { costs } = await open(t, { limits: () => limits });
  assert.equal(costs.findStop(), undefined);
  await use(costs);
  const stop = costs.findStop();
  assert.equal(stop?.kind, 'budget');
  assert.match(stop?.text ?? '', /\$1\.50.*gatehouse\.limits\.sessionCost.*saved/s);
});

test('limits.dayCost counts the sessions of all windows, and begins anew on the next day', async (t) => {
  const limits = () => ({ ...NONE, dayCost: 2 });
  const { costs, folder, clock } = await open(t, { limits });
  const other = createTurnCosts({ ...parts(createDayCosts(folder, clock)), limits });
  await use(costs);
  assert.equal(other.findStop(), undefined);
  await use(other);
  assert.match(costs.findStop()?.text ?? '', /\$3\.00.*limits\.dayCost/s);
  clock.advance(DAY);
  assert.equal(costs.findStop(), undefined);
  await use(createTurnCosts(parts(createDayCosts(folder, clock))));
  assert.equal((await readdir(folder)).length, 1, 'the file of the day before is removed');
});

test('a day whose costs cannot be read has no money left', async (t) => {
  const { costs, folder, clock, day } = await open(t, {
    limits: () => ({ ...NONE, dayCost: 1000 }),
  });
  await use(costs);
  const [name = ''] = await readdir(folder);
  await writeFile(path.join(folder, name), 'no number\n');
  assert.match(costs.findStop()?.text ?? '', /is damaged/);
  clock.advance(DAY);
  day.add(1);
  const next = (await readdir(folder)).find((each) => each !== name) ?? assert.fail();
  await writeFile(path.join(folder, next), Buffer.from([0xff, 0xfe]));
  assert.match(costs.findStop()?.text ?? '', /can't be read/);
});

test('a cost that cannot be noted stops the turn while a day is limited', async (t) => {
  const { costs, folder } = await open(t, { limits: () => ({ ...NONE, dayCost: 1000 }) });
  await mkdir(path.dirname(folder), { recursive: true });
  await writeFile(folder, 'a file where the folder should be');
  await use(costs);
  assert.match(costs.findStop()?.text ?? '', /can't be noted/);
});

test('with a limit but no price, tokens are limited; without a limit nothing is', async (t) => {
  const limits = { sessionCost: 5, dayCost: 0, unpricedTokens: 1_000_000 };
  const { costs } = await open(t, { price: undefined, limits: () => limits });
  const [chunk] = await use(costs);
  assert.equal(chunk?.cost, undefined);
  assert.match(costs.findStop()?.text ?? '', /1,310,000 tokens.*limits\.unpricedTokens/s);
  limits.sessionCost = 0;
  assert.equal(costs.findStop(), undefined);
});

function parts(day: TurnCostParts['day']): TurnCostParts {
  return { price: PRICE, limits: () => NONE, spent: { cost: 0, tokens: 0 }, day };
}

async function open(t: Parameters<typeof temporary>[0], change: Partial<TurnCostParts>) {
  const folder = path.join(await temporary(t), 'costs');
  const clock = createManualClock();
  const day = createDayCosts(folder, clock);
  return { costs: createTurnCosts({ ...parts(day), ...change }), folder, clock, day };
}

async function use(costs: ReturnType<typeof createTurnCosts>) {
  async function* one(): AsyncGenerator<Chunk, void> {
    yield { type: 'data-usage', data: USAGE, transient: true };
  }
  const chunks = [];
  for await (const chunk of costs.count(one())) if (chunk.type === 'data-usage') chunks.push(chunk);
  return chunks;
}
