import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { DEAD } from '../../../base/disk/deadMark.ts';
import { sleepersIn } from '../../../runtime/commands/processShapes.ts';
import { calls, connect, lastStatus, newSession, prompt, requests } from '../../harness.ts';

/** Above what a kernel gives out. */
const GONE = 2 ** 30;
/** A busy machine may take seconds to start a program. */
const PATIENT = { 'gatehouse.limits.watchdogMs': 60_000 };
const ECHO = { tool: 'bash', input: { command: 'echo hi' }, id: 'c1' } as const;
const REJECT = { outcome: { outcome: 'selected', optionId: 'reject' } } as const;

test('a secret that the host holds is allowed in no argument, whatever the rules allow', async (t) => {
  const key = 'sk-a-long-secret-key';
  const host = await connect(t, {
    env: { GATEHOUSE_MODEL_API_KEY: key },
    script: [
      { calls: [{ tool: 'bash', input: { command: `echo ${key}` }, id: 'c1' }] },
      { text: 'Ok.' },
    ],
  });
  await prompt(host, await newSession(host));
  assert.deepEqual(requests(host, 'session/request_permission'), []);
  assert.deepEqual(Object.values(lastStatus(host)), ['failed']);
  assert.match(
    JSON.stringify(calls(host).at(-1)?.content),
    /contain a secret that Gatehouse stores/,
  );
});

test('the same call a third time in a row asks, though a rule allows it', async (t) => {
  let made = 0;
  const host = await connect(t, {
    script: () => {
      made += 1;
      if (made > 3) return { text: 'Ok.' };
      return { calls: [{ tool: 'bash', input: { command: 'echo again' }, id: `c${made}` }] };
    },
    client: { permission: () => REJECT },
  });
  await prompt(host, await newSession(host));
  assert.equal(requests(host, 'session/request_permission').length, 1);
  const [ask] = requests(host, 'session/request_permission');
  const why = Object(Object(ask?.params)._meta.gatehouse).why;
  assert.equal(why.layer, 'watchdog');
  assert.match(why.reason, /3 times in a row/);
});

test("the user's own watchdog program is asked before a call, and its deny reaches the model", async (t) => {
  const data = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-watchdog-'));
  t.after(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
  const answer = JSON.stringify({ verdict: 'deny', reason: 'not on a Saturday' });
  const command = ['sh', '-c', `echo '${answer}'`];
  writeFileSync(
    path.join(data, 'settings.json'),
    JSON.stringify({ 'gatehouse.watchdog.command': command, ...PATIENT }),
  );
  const host = await connect(t, { data, script: [{ calls: [ECHO] }, { text: 'Ok.' }] });
  await prompt(host, await newSession(host));
  assert.deepEqual(requests(host, 'session/request_permission'), []);
  assert.match(JSON.stringify(calls(host).at(-1)?.content), /not on a Saturday/);
});

test("what the user's watchdog program leaves running ends with its answer", async (t) => {
  const data = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-watchdog-'));
  t.after(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
  const sleeps = "bash -c 'touch up; exec sleep 8675'";
  const away = `( ( setsid ${sleeps} >/dev/null 2>&1 </dev/null & ) & )`;
  // It answers once the other one runs.
  const seen = 'until [ -e up ]; do :; done';
  const command = ['bash', '-c', `${away}; ${seen}; echo '{"verdict":"allow"}'`];
  writeFileSync(
    path.join(data, 'settings.json'),
    JSON.stringify({ 'gatehouse.watchdog.command': command, ...PATIENT }),
  );
  const host = await connect(t, { data, script: [{ calls: [ECHO] }, { text: 'Ok.' }] });
  t.after(() => sleepersIn(host.workspace).forEach((pid) => void process.kill(Number(pid), 9)));
  await prompt(host, await newSession(host));
  assert.deepEqual(Object.values(lastStatus(host)), ['completed']);
  assert.deepEqual(sleepersIn(host.workspace), []);
});

test("C-58: the user's watchdog is given the agent's definition", async (t) => {
  const data = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-watchdog-'));
  t.after(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
  const given = path.join(data, 'given.json');
  const command = ['sh', '-c', `cat > ${given}; echo '{"verdict":"allow"}'`];
  writeFileSync(
    path.join(data, 'settings.json'),
    JSON.stringify({ 'gatehouse.watchdog.command': command, ...PATIENT }),
  );
  const host = await connect(t, { data, script: [{ calls: [ECHO] }, { text: 'Ok.' }] });
  await prompt(host, await newSession(host));
  const { manifest } = JSON.parse(readFileSync(given, 'utf8'));
  assert.equal(manifest.name, 'gatehouse');
});

test('a watchdog program that takes longer than limits.watchdogMs denies, and is ended', async (t) => {
  const data = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-watchdog-'));
  t.after(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
  const settings = {
    // In the five seconds of the default, it would allow the call.
    'gatehouse.watchdog.command': ['sh', '-c', `sleep 3.8677; echo '{"verdict":"allow"}'`],
    'gatehouse.limits.watchdogMs': 200,
  };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
  const host = await connect(t, { data, script: [{ calls: [ECHO] }, { text: 'Ok.' }] });
  await prompt(host, await newSession(host));
  assert.deepEqual(Object.values(lastStatus(host)), ['failed']);
  assert.match(JSON.stringify(calls(host).at(-1)?.content), /watchdog gave no valid answer/);
  assert.deepEqual(sleepersIn(host.workspace, '8677'), []);
});

test('an invalid watchdog command denies, and one set by the workspace is not started', async (t) => {
  const data = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-watchdog-'));
  t.after(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(path.join(data, 'settings.json'), '{"gatehouse.watchdog.command": "allow.sh"}');
  const host = await connect(t, { data, script: [{ calls: [ECHO] }, { text: 'Ok.' }] });
  const started = path.join(host.workspace, 'started');
  mkdirSync(path.join(host.workspace, '.vscode'));
  writeFileSync(
    path.join(host.workspace, '.vscode', 'settings.json'),
    JSON.stringify({ 'gatehouse.watchdog.command': ['touch', started] }),
  );
  await prompt(host, await newSession(host));
  assert.deepEqual(Object.values(lastStatus(host)), ['failed']);
  assert.match(JSON.stringify(calls(host).at(-1)?.content), /watchdog gave no valid answer/);
  assert.equal(existsSync(started), false);
});

test('the next host cleans up the half-written files of a killed one, and reports it', async (t) => {
  const data = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-watchdog-'));
  t.after(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
  const journal = path.join(data, 'state', 'journal');
  mkdirSync(journal, { recursive: true });
  const left = path.join(data, 'left.tmp');
  writeFileSync(left, 'half');
  const entry = { kind: 'temporary', file: left, mark: DEAD, at: 0 };
  writeFileSync(path.join(journal, `${GONE}-a.json`), JSON.stringify(entry));
  const host = await connect(t, { data });
  await prompt(host, await newSession(host));
  assert.equal(existsSync(left), false);
  assert.match(host.warnings.join('\n'), /left\.tmp was interrupted/);
});

test('a session starts in the approval mode its client names', async (t) => {
  const host = await connect(t);
  const { configOptions } = await host.agent.request('session/new', {
    cwd: host.workspace,
    mcpServers: [],
    _meta: { gatehouse: { approval: 'readOnly' } },
  });
  const approval = configOptions?.find(({ id }) => id === 'approval');
  assert.equal(approval?.type === 'select' && approval.currentValue, 'readOnly');
});
