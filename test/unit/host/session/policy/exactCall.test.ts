import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type Connected,
  connect,
  lastStatus,
  newSession,
  prompt,
  requests,
  temporary,
} from '../../harness.ts';

type Kind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';

interface Call {
  readonly tool: string;
  readonly input: object;
}

const ECHO: Call = { tool: 'bash', input: { command: 'echo hi', description: 'Says hi.' } };
const SAME: Call = { tool: 'bash', input: { description: 'Says hi.', command: 'echo hi' } };
const OTHER: Call = { tool: 'bash', input: { command: 'echo ho', description: 'Says hi.' } };

/** A host whose watchdog asks about every call, and whose user picks the first option of this kind. */
async function open(t: TestContext, calls: readonly Call[], kind: Kind, data?: string) {
  const folder = data ?? (await temporary(t));
  const program = ['sh', '-c', `echo '{"verdict": "ask", "reason": "odd"}'`];
  const settings = JSON.stringify({
    'gatehouse.watchdog.command': program,
    // A busy machine may take seconds to start a program.
    'gatehouse.limits.watchdogMs': 60_000,
  });
  writeFileSync(path.join(folder, 'settings.json'), settings);
  const steps = calls.map((call, at) => ({ calls: [{ ...call, id: `c${at}` }] }));
  return connect(t, {
    data: folder,
    script: [...steps, { text: 'Ok.' }],
    client: {
      permission: ({ options }) => {
        const optionId = options.find((each) => each.kind === kind)?.optionId ?? 'reject';
        return { outcome: { outcome: 'selected', optionId } };
      },
    },
  });
}

function asks(
  host: Connected,
): readonly { readonly call: string; readonly kinds: readonly Kind[] }[] {
  return requests(host, 'session/request_permission').map(({ params }) => {
    const { toolCall, options } = Object(params);
    return {
      call: toolCall.toolCallId,
      kinds: options.map((each: { kind: Kind }) => each.kind),
    };
  });
}

test('VC-82: what the watchdog asks about is one request with the four kinds of option', async (t) => {
  const host = await open(t, [ECHO], 'reject_once');
  await prompt(host, await newSession(host));
  const kinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];
  assert.deepEqual(asks(host), [{ call: 'c0', kinds }]);
  const [request] = requests(host, 'session/request_permission');
  const names = Object(request?.params).options.map(({ name }: { readonly name: string }) => name);
  const exact = (verb: string) => `Always ${verb} exactly this call in this session`;
  assert.deepEqual(names, ['Allow once', exact('allow'), 'Reject', exact('reject')]);
});

test('C-61: "always" holds for this session, this tool and these arguments', async (t) => {
  const host = await open(t, [ECHO, SAME, OTHER, ECHO], 'allow_always');
  const session = await newSession(host);
  await prompt(host, session);
  assert.deepEqual(
    asks(host).map(({ call }) => call),
    ['c0', 'c2'],
  );
  const done = { c0: 'completed', c1: 'completed', c2: 'completed', c3: 'completed' };
  assert.deepEqual(lastStatus(host), done);
  await host.stop();

  // It is stored with the session, and another session asks again.
  const next = await open(t, [ECHO, ECHO], 'allow_once', host.data);
  const load = { sessionId: session, cwd: host.workspace, mcpServers: [] };
  await next.agent.request('session/load', load);
  await prompt(next, session);
  assert.deepEqual(asks(next), []);
  await next.stop();
  const fresh = await open(t, [ECHO], 'allow_once', host.data);
  await prompt(fresh, await newSession(fresh));
  assert.equal(asks(fresh).length, 1);
});

test('an ask names the answer for a call that differs in one argument', async (t) => {
  const far: Call = { tool: 'bash', input: { command: 'pwd', description: 'Says where.' } };
  const host = await open(t, [ECHO, OTHER, far], 'allow_always');
  await prompt(host, await newSession(host));
  const near = requests(host, 'session/request_permission').map(
    ({ params }) => Object(params)._meta?.gatehouse?.why?.near?.reason,
  );
  assert.deepEqual(near, [
    undefined,
    'You allowed this for the session with `command` `echo hi`, and here it is `echo ho`.',
    undefined,
  ]);
});

test('VC-83: "never" denies the same call from then on, without a request', async (t) => {
  const host = await open(t, [ECHO, SAME, OTHER], 'reject_always');
  await prompt(host, await newSession(host));
  assert.deepEqual(
    asks(host).map(({ call }) => call),
    ['c0', 'c2'],
  );
  assert.deepEqual(lastStatus(host), { c0: 'failed', c1: 'failed', c2: 'failed' });
  const texts = JSON.stringify(host.updates);
  assert.match(texts, /You rejected exactly this call for the rest of the session\./);
});

test('"always" also answers what the rules ask about this call, and what it touches', async (t) => {
  const write: Call = { tool: 'write', input: { path: 'a.txt', content: 'x'.repeat(300) } };
  const host = await open(t, [write, write], 'allow_always');
  await prompt(host, await newSession(host));
  assert.equal(asks(host).length, 1);
  assert.deepEqual(lastStatus(host), { c0: 'completed', c1: 'completed' });
  assert.equal(readFileSync(path.join(host.workspace, 'a.txt'), 'utf8').length, 300);
});

test('what no rule may allow is asked about each time, with no "always"', async (t) => {
  const write: Call = { tool: 'write', input: { path: '.vscode/a.json', content: '{}' } };
  const host = await open(t, [write, write], 'allow_always');
  await prompt(host, await newSession(host));
  const kinds = ['allow_once', 'reject_once', 'reject_always'];
  assert.deepEqual(
    asks(host).map((each) => each.kinds),
    [kinds, kinds],
  );
  assert.equal(existsSync(path.join(host.workspace, '.vscode')), false);
});
