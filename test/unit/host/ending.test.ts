import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Script } from '../../tour/server.ts';
import { temporary } from './harness.ts';
import {
  type Host,
  nameOf,
  poll,
  promptOf,
  ROOT,
  start,
  untilGone,
  untilRunning,
} from './stdioHost.ts';

/** Brings a host into a state in which the end may meet it. */
interface State {
  readonly script?: Script;
  enter(host: Host): Promise<unknown>;
}

const LONG = Array.from({ length: 4000 }, (_, at) => `word${at}`).join(' ');
const NAME = 'ending';

const ENDS = {
  'standard input closes': ({ child }: Host) => void child.stdin?.end(),
  'it is told to end': ({ child }: Host) => void child.kill('SIGTERM'),
  // As an editor does that closes the stream, ends its process group, and then does so again.
  'it is told to end by all ways, twice': ({ child }: Host) => {
    child.stdin?.end();
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGTERM'), 30);
    setTimeout(() => child.kill('SIGTERM'), 120);
  },
} as const;

check('idle', { enter: openSession }, ['it is told to end']);
check('while an answer streams', { script: [{ text: LONG, delayMs: 5 }], enter: untilSaid });
check('while the model is silent', {
  script: [{ fault: { at: 'before-first', how: 'stall' } }],
  enter: async (host) => {
    await beginTurn(host);
    await poll(() => host.model.requests.length > 0, 'the model is asked');
  },
});
check('while the model is silent in its answer', {
  script: [{ text: 'Half of it', fault: { at: 'mid-stream', how: 'stall' } }],
  enter: untilSaid,
});
check('while the user is asked', {
  script: [{ calls: [bash('touch x')] }],
  enter: async (host) => {
    await beginTurn(host);
    await host.asked('session/request_permission');
  },
});
check(
  'while a command ignores SIGTERM, and so do its children',
  command(`trap '' TERM; (sleep NAME; true) & sleep NAME; sleep NAME`),
  ['standard input closes', 'it is told to end', 'it is told to end by all ways, twice'],
);
check(
  'while a command has left its session',
  command(`setsid sh -c "trap '' TERM HUP; sleep NAME; true" & sleep NAME`),
  ['it is told to end by all ways, twice'],
);
check('while a command floods its output', command('yes & sleep NAME'));
check(
  'while nobody reads what it says and a command was left running',
  {
    script: [{ calls: [bash('sleep NAME &')] }, { text: 'x'.repeat(4 << 20), chunkSize: 1 << 16 }],
    enter: async (host) => {
      await untilRunning(host, NAME);
      host.child.stdout?.pause();
      await poll(() => host.model.requests[1]?.endedAt !== undefined, 'the model has answered');
    },
  },
  ['standard input closes', 'it is told to end'],
);

function check(
  state: string,
  { script, enter }: State,
  causes: readonly (keyof typeof ENDS)[] = ['standard input closes'],
): void {
  for (const cause of causes) {
    test(`${state}, ${cause}: the host ends with all it started`, async (t) => {
      const host = await start(t, { ...(script && { script }) });
      await enter(host);
      ENDS[cause](host);
      await host.exit;
      // What was killed last may still be on its way out of the system's table.
      await untilGone(NAME);
    });
  }
}

test('before the handshake, standard input closes: the host ends', async (t) => {
  const host = await start(t);
  host.child.stdin?.end();
  assert.equal(await host.exit, 0);
});

test('the program that started it is killed: the host ends with all it started', async (t) => {
  const parent = path.join(await temporary(t), 'parent.mjs');
  writeFileSync(parent, PARENT);
  // The words are on the host's own command line, so it is found by them too.
  const args = [path.join(ROOT, 'src/host/cli/main.ts'), '--model-id', nameOf(NAME)];
  const host = await start(t, { program: parent, args, ...command('sleep NAME') });
  await untilRunning(host, NAME);
  host.child.kill('SIGKILL');
  await untilGone(NAME);
});

/** Starts the host named behind its first word, and is nothing but its pipes. */
const PARENT = `
import { spawn } from 'node:child_process';
const [, , , main, ...words] = process.argv;
const host = spawn(process.execPath, [main, 'acp', ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(host.stdin);
host.stdout.pipe(process.stdout);
`;

function bash(written: string) {
  const command = written.replaceAll('NAME', nameOf(NAME));
  return { tool: 'bash', input: { command: `touch asked; ${command}` }, id: 'call' };
}

function command(written: string): State {
  return { script: [{ calls: [bash(written)] }], enter: (host) => untilRunning(host, NAME) };
}

async function openSession(host: Host): Promise<string> {
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  return (await host.newSession()).sessionId;
}

async function beginTurn(host: Host): Promise<void> {
  host.send({
    id: 'turn',
    method: 'session/prompt',
    params: promptOf(await openSession(host)),
  });
}

async function untilSaid(host: Host): Promise<void> {
  await beginTurn(host);
  const said = () => JSON.stringify(host.lines).includes('agent_message_chunk');
  await poll(said, 'the answer begins');
}
