import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { type ModelRequest, startModelServer } from '../../../tour/server.ts';
import { ROOT } from '../../../workbench/paths.ts';
import { until } from '../../../workbench/processes.ts';
import { COMPILE_CACHE } from '../../compileCache.ts';
import { createExtensionSide } from '../extensionSide.ts';

/** When a host is killed, seen from the request to remove a message of the queue. */
const MOMENTS = ['before it reads it', 'before its answer arrives', 'after its answer'] as const;
type Moment = (typeof MOMENTS)[number];

/** Whose the message is. Of its own, a window may hear that it ended, and not that it was removed. */
const CASES = [
  ...MOMENTS.map((moment) => ['another client', moment] as const),
  ['this window', 'before its answer arrives'] as const,
];

for (const [whose, moment] of CASES) {
  test(`a message of ${whose} that is removed while the host is killed ${moment} is kept once, and sent only by the user`, async (t) => {
    const window = await openWindow(t);
    const { chats, session, sent, link } = window;
    void chats.send(session, 'first');
    await until('the first turn', () => sent('first') || undefined);
    if (whose === 'this window') void chats.send(session, 'second');
    else {
      const connection = await link.connection();
      const prompt = [{ type: 'text' as const, text: 'second' }];
      const _meta = { gatehouse: { queueId: 'foreign' } };
      connection.prompt({ sessionId: session.id ?? '', prompt, _meta }).catch(() => undefined);
    }
    const [entry] = await until('the queued message', () =>
      session.state.queue.length > 0 && window.told('second') ? session.state.queue : undefined,
    );
    await window.removeAndKill(entry?.id ?? '', moment);

    assert.equal(sent('second'), 0);
    // The user takes it back, and finds it in the input, once.
    const kept = session.state.removed?.text;
    chats.removed.restore(session);
    const texts = session.takeReturned().map(({ text }) => text);
    assert.deepEqual([kept ?? 'second', texts], ['second', ['second']]);
    await window.restart();
    assert.deepEqual([session.state.queue, sent('second')], [[], 0]);
    await chats.send(session, 'second');
    assert.equal(sent('second'), 1);
  });
}

/** A window with a host of its own process, whose first turn never ends. */
async function openWindow(t: TestContext) {
  const data = mkdtempSync(path.join(tmpdir(), 'gatehouse-killed-'));
  const folder = path.join(data, 'work');
  mkdirSync(folder);
  const prompts: string[] = [];
  const script = ({ conversation }: ModelRequest) => {
    prompts.push(conversation.prompt);
    const never = new Promise<void>(() => undefined);
    return conversation.prompt === 'first'
      ? { text: 'Yes. ', delayMs: 500, until: never }
      : { text: 'Yes.' };
  };
  const model = await startModelServer({ script });
  const env = { GATEHOUSE_MODEL_BASE_URL: model.url, GATEHOUSE_MODEL_ID: 'scripted' };
  const host = startHosts(data, env);
  const side = createExtensionSide({ folder, launch: host.launch });
  t.after(async () => {
    host.kill();
    await model.stop();
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  });
  const { chats, link, running } = side;
  const session = chats.blank();
  session.watch();
  return {
    ...{ chats, link, session },
    told: host.told,
    /** How often the model got a prompt. */
    sent: (text: string) => prompts.filter((prompt) => prompt === text).length,
    async removeAndKill(id: string, moment: Moment) {
      if (moment === 'before it reads it') host.stop();
      if (moment === 'before its answer arrives') host.dropFrom('"changed":true');
      const removed = chats.removed.remove(session, id);
      if (moment === 'after its answer') await removed;
      if (moment === 'before its answer arrives') await host.dropped();
      await host.kill();
      running.host = false;
      link.hostExited({ code: null, signal: 'SIGKILL', stderrTail: '', restartIn: 250 });
      await removed;
      await until('the exit', () => session.state.activity === 'restarting');
    },
    async restart() {
      side.start();
      await link.connection();
      await until('the new host', () => !session.busy);
    },
  };
}

/** Starts hosts one after the other, and passes their lines on until one is to be dropped. */
function startHosts(data: string, env: NodeJS.ProcessEnv) {
  const lines: string[] = [];
  let child: ReturnType<typeof spawnHost> | undefined;
  let last: string | undefined;
  let dropped = Promise.withResolvers<void>();
  return {
    launch() {
      const started = spawnHost(data, env);
      child = started;
      last = undefined;
      const stdout = new PassThrough();
      let drops = false;
      const read = createInterface({ input: started.stdout });
      read.on('line', (line) => {
        drops ||= last !== undefined && line.includes(last);
        if (drops) return dropped.resolve();
        lines.push(line);
        stdout.write(`${line}\n`);
      });
      started.once('exit', () => stdout.end());
      return { stdin: started.stdin, stdout, pid: started.pid ?? 0 };
    },
    told: (text: string) => lines.some((line) => line.includes(text)),
    stop: () => child?.kill('SIGSTOP'),
    dropFrom(text: string) {
      last = text;
      dropped = Promise.withResolvers();
    },
    dropped: () => dropped.promise,
    async kill() {
      const ended = new Promise((resolve) => child?.once('close', resolve));
      if (child?.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function spawnHost(data: string, env: NodeJS.ProcessEnv) {
  return spawn(process.execPath, [path.join(ROOT, 'src/host/cli/main.ts'), 'acp'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...COMPILE_CACHE, PATH: process.env['PATH'], HOME: data, GATEHOUSE_DATA: data, ...env },
  });
}
