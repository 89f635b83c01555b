import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TerminalEvent } from '../../../../src/acp/gatehouse/terminal.ts';
import type { Clock } from '../../../../src/base/clock.ts';
import { createTerminalView } from '../../../../src/host/client/terminals.ts';
import { calls, connect, newSession, prompt, requests, until } from '../harness.ts';

const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;
const PANES = { _meta: { gatehouse: { v: 1, terminal: true } } };

/** A clock that is moved by hand. */
function handClock() {
  let now = 0;
  const timers = new Set<{ at: number; run(): void }>();
  const clock: Clock = {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return { dispose: () => void timers.delete(timer) };
    },
  };
  const advance = (ms: number) => {
    now += ms;
    for (const timer of [...timers].filter(({ at }) => at <= now)) {
      timers.delete(timer);
      timer.run();
    }
  };
  return { clock, advance };
}

/** A client that takes every message at once. */
function collect(sent: TerminalEvent[]) {
  return (event: TerminalEvent) => {
    sent.push(event);
    return Promise.resolve();
  };
}

test('PR-038: nothing accumulates while the client does not read', async () => {
  const sent: TerminalEvent[] = [];
  const taken: (() => void)[] = [];
  const { clock, advance } = handClock();
  const view = createTerminalView((event) => {
    sent.push(event);
    return new Promise((resolve) => taken.push(resolve));
  }, clock);
  for (let frame = 0; frame < 100; frame += 1) {
    view.output('t', `frame ${frame} ${'x'.repeat(10_000)}`);
    advance(16);
  }
  assert.equal(sent.length, 1);
  taken[0]?.();
  await new Promise((resolve) => setImmediate(resolve));
  advance(16);
  assert.equal(sent.length, 2);
  const [, last] = sent;
  assert.ok(last?.event === 'output' && last.data.length < 66_000);
  assert.match(last.data, /frame 99/);
});

test('output is sent once per frame', async () => {
  const sent: TerminalEvent[] = [];
  const { clock, advance } = handClock();
  const view = createTerminalView(collect(sent), clock);
  view.opened({ terminalId: 't', title: 'Run the tests', command: 'npm test', cwd: '/w' });
  await new Promise((resolve) => setImmediate(resolve));
  for (let at = 0; at < 1000; at += 1) view.output('t', `${at} `);
  advance(15);
  assert.equal(sent.length, 1);
  advance(1);
  assert.equal(sent.length, 2);
  view.output('t', 'more');
  view.closed({ terminalId: 't', exitCode: 0, signal: null });
  advance(100);
  assert.deepEqual(sent.slice(2), [
    { terminalId: 't', event: 'output', data: 'more' },
    { terminalId: 't', event: 'closed', exitCode: 0 },
  ]);
});

test('of too much output, the end of each frame is sent, with a note about the rest', () => {
  const sent: TerminalEvent[] = [];
  const { clock, advance } = handClock();
  const view = createTerminalView(collect(sent), clock);
  for (let at = 0; at < 1000; at += 1) view.output('t', 'x'.repeat(10_000));
  view.output('t', 'the end');
  advance(16);
  const [event] = sent;
  assert.ok(event?.event === 'output');
  assert.ok(event.data.length < 66_000, `${event.data.length} characters in one frame`);
  assert.match(event.data, /the end$/);
  const left = Number(/(\d+) characters are not shown/.exec(event.data)?.[1]);
  assert.equal(left + 64 * 1024, 10_000_007);
});

test('two terminals do not wait for each other, and nothing is sent after the end', () => {
  const sent: TerminalEvent[] = [];
  const { clock, advance } = handClock();
  const view = createTerminalView(collect(sent), clock);
  view.output('a', '1');
  advance(10);
  view.output('b', '2');
  advance(6);
  assert.deepEqual(
    sent.map(({ terminalId }) => terminalId),
    ['a'],
  );
  view.dispose();
  advance(100);
  assert.equal(sent.length, 1);
});

test('a command is shown in a pane of the editor, embedded in its call', async (t) => {
  const seen: TerminalEvent[] = [];
  const host = await connect(t, {
    script: [
      { calls: [{ tool: 'bash', input: { command: 'echo out; echo err >&2' } }] },
      { text: 'Ok.' },
    ],
    client: {
      capabilities: PANES,
      permission: () => ALLOW,
      other: (method, params) => {
        if (method === '_gatehouse/terminal') seen.push(params as TerminalEvent);
        return undefined;
      },
    },
  });
  await prompt(host, await newSession(host));
  const [opened] = seen;
  assert.ok(opened?.event === 'opened');
  assert.equal(opened.cwd, host.workspace);
  const text = seen.map((event) => (event.event === 'output' ? event.data : '')).join('');
  assert.match(text, /out[\s\S]*err/);
  const last = seen.at(-1);
  assert.deepEqual(last, { terminalId: opened.terminalId, event: 'closed', exitCode: 0 });
  const embedded = calls(host).filter(({ content }) =>
    content?.some((part) => part.type === 'terminal' && part.terminalId === opened.terminalId),
  );
  assert.ok(embedded.length > 0);
  assert.deepEqual(requests(host, 'terminal/create'), []);
});

test('a client without panes gets the output as text and no extension messages', async (t) => {
  const host = await connect(t, {
    script: [{ calls: [{ tool: 'bash', input: { command: 'echo out' } }] }, { text: 'Ok.' }],
    client: { permission: () => ALLOW },
  });
  await prompt(host, await newSession(host));
  assert.deepEqual(requests(host, '_gatehouse/terminal'), []);
  const done = calls(host).find(({ status }) => status === 'completed');
  assert.match(JSON.stringify(done?.content), /out\\n/);
  assert.doesNotMatch(JSON.stringify(calls(host)), /"terminal"/);
});

test('user input in the pane reaches the command', async (t) => {
  let opened: TerminalEvent | undefined;
  const host = await connect(t, {
    script: [{ calls: [{ tool: 'bash', input: { command: 'sleep 300' } }] }, { text: 'Ok.' }],
    client: {
      capabilities: PANES,
      permission: () => ALLOW,
      other: (method, params) => {
        const event = params as TerminalEvent;
        if (method === '_gatehouse/terminal' && event.event === 'opened') opened = event;
        return undefined;
      },
    },
  });
  const sessionId = await newSession(host);
  const turn = prompt(host, sessionId);
  await until(() => opened !== undefined, 'the pane opened');
  const input = (params: object) => host.agent.request('_gatehouse/terminal_input', params);
  await assert.rejects(input({ terminalId: 'another', signal: 'SIGINT' }));
  await assert.rejects(input({ signal: 'SIGINT' }));
  assert.deepEqual(await input({ terminalId: opened?.terminalId, signal: 'SIGINT' }), {});
  assert.deepEqual(await turn, { stopReason: 'end_turn' });
});
