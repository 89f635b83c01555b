import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSandboxStatus } from '../../../src/host/services/sandboxStatus.ts';
import { connect, newSession, prompt, requests, temporary, until } from './harness.ts';

interface Options {
  readonly bwrap?: string;
  readonly settings?: object;
  /** Whether the client offers copies. */
  readonly offers?: boolean;
  readonly commands?: readonly string[];
}

const UNDECIDED = 'f() { printf made > b.txt; }; f';
const NOWHERE = '/nowhere';

/** Runs commands that ask and are allowed; the number of requests, and what the sandbox's state was told as. */
async function run(t: TestContext, options: Options = {}) {
  const { bwrap = '', settings = {}, offers = true, commands = [UNDECIDED, UNDECIDED] } = options;
  const data = await temporary(t);
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
  const own = { v: 1, sandbox: true, ...(offers && { sandboxOffer: true }) };
  let asks = 0;
  /** What was told when a request came. */
  const atAsk: number[] = [];
  const told = () =>
    requests(host, '_gatehouse/sandbox_changed').map(({ params }) => Object(params));
  const host = await connect(t, {
    data,
    env: { HOME: await temporary(t), GATEHOUSE_BWRAP: bwrap },
    script: [
      ...commands.map((command) => ({ calls: [{ tool: 'bash', input: { command } }] })),
      { text: 'Done.' },
    ],
    client: {
      capabilities: { _meta: { gatehouse: own } },
      permission(params) {
        asks += 1;
        atAsk.push(told().filter(({ offer }) => offer === true).length);
        const option = params.options.find(({ kind }) => kind === 'allow_once');
        return { outcome: { outcome: 'selected', optionId: option?.optionId ?? '' } };
      },
    },
  });
  const offered = () => told().filter(({ offer }) => offer === true);
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  // Choosing Autopilot waits for the self-test, and so for an offer that would come after it.
  const prove = () =>
    host.agent
      .request('session/set_config_option', { sessionId, configId: 'approval', value: 'autopilot' })
      .catch(() => undefined);
  return { prove, host, told, offered, atAsk, asks: () => asks };
}

test('after the answer to a request that a copy would have saved, the client is told once', async (t) => {
  const { host, offered, asks, atAsk } = await run(t);
  await until(() => offered().length > 0, 'the offer');
  assert.deepEqual([asks(), atAsk[0]], [2, 0]);
  await host.stop();
  assert.deepEqual(offered(), [{ state: 'proven', offer: true }]);
});

test('nothing is offered where the self-test fails', async (t) => {
  const { host, told, offered, asks } = await run(t, { bwrap: NOWHERE });
  await until(() => told().some(({ state }) => state === 'unproven'), 'the self-test');
  assert.equal(asks(), 2);
  await host.stop();
  assert.deepEqual(offered(), []);
});

const RULE = { permission: 'bash', pattern: 'printf *', action: 'ask' };

for (const [what, options, expected] of [
  ['the sandbox is off', { settings: { 'sandbox.mode': 'off' } }, 2],
  ['the client does not offer it', { offers: false }, 2],
  ['a rule asked', { settings: { permissions: [RULE] }, commands: ['printf a', 'printf b'] }, 2],
  [
    'a rule of the user would ask about copies too',
    { settings: { permissions: [{ permission: 'copy', pattern: 'bash *', action: 'ask' }] } },
    2,
  ],
  ['commands run in a copy', { settings: { 'sandbox.autoRun': true } }, undefined],
] as const) {
  test(`nothing is offered where ${what}`, async (t) => {
    const { host, offered, asks, prove } = await run(t, options);
    await prove();
    if (expected !== undefined) assert.equal(asks(), expected);
    await host.stop();
    assert.deepEqual(offered(), []);
  });
}

test('an offer is wanted by a client that makes it, unless copies are on or the sandbox is off', () => {
  for (const [sandboxOffer, runsInCopy, sandboxMode, expected] of [
    [true, false, 'auto', true],
    [true, false, 'require', true],
    [true, false, 'off', false],
    [true, true, 'auto', false],
    [false, false, 'auto', false],
  ] as const) {
    const { wantsOffer } = createSandboxStatus({
      client: { facts: { sandboxOffer } } as never,
      settings: () => ({ sandboxMode, runsInCopy }),
      warn: assert.fail,
    });
    assert.equal(wantsOffer(), expected, `${sandboxOffer} ${runsInCopy} ${sandboxMode}`);
  }
});
