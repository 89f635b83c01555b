import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseJson } from '../../../../src/base/json.ts';
import { MB } from '../../../../src/base/units.ts';
import type { DecisionEvent } from '../../../../src/gate/decisionEvent.ts';
import { openDecisionLog } from '../../../../src/host/decisions/decisionLog.ts';
import { openRuleHits } from '../../../../src/host/decisions/ruleHits.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import { withFileLock } from '../../../../src/recorder/file/fileLock.ts';
import { connect, newSession, prompt, temporary } from '../harness.ts';

const WRITER = path.join(import.meta.dirname, 'decisionWriter.ts');
const RULE: Rule = { permission: 'bash', pattern: 'npm *', action: 'allow', source: 'project' };
const EVENT: DecisionEvent = {
  ...{ sessionId: 'ses_1', toolCallId: 'call-1', tool: 'bash', about: 'call', decision: 'allow' },
  ...{ by: 'rule', layer: 'rules', reason: 'A rule allows it.', paths: [], durationMs: 3 },
  ...{ subjects: [], rules: [RULE] },
};
const plain = (text: string) => text;
const ids = (lines: readonly Readonly<Record<string, unknown>>[]) =>
  lines.map((line) => String(line['toolCallId']));

test('a full disk loses no decision and no hit: each is written once when there is room', async (t) => {
  const folder = await temporary(t);
  // A file that may not grow fails as one on a full disk: in the middle of a line.
  const command = 'ulimit -f 4 && exec "$0" "$1" "$2"';
  const { stdout, stderr, status } = spawnSync(
    'sh',
    ['-c', command, process.execPath, WRITER, folder],
    { encoding: 'utf8', timeout: 60_000 },
  );
  assert.deepEqual([status, stderr], [0, '']);
  const { found, uses, told } = JSON.parse(stdout);
  assert.deepEqual([found, uses], [120, 1], 'what is not written is read from memory');
  assert.equal(told.length, 2);
  assert.match(told[0], /^Decisions are not logged: EFBIG.* kept in memory and tried again\.$/);
  assert.match(told[1], /^The hits of rules are not kept: EFBIG/);
  const texts = readdirSync(folder)
    .filter((name) => name.startsWith('moved'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));
  assert.ok(texts.length > 2, `${texts.length} files were filled`);
  const written = texts.flatMap((text) => text.split('\n').map((line) => parseJson(line)));
  assert.deepEqual(
    written.flatMap((line) => Object(line)['toolCallId'] ?? []).sort(),
    Array.from({ length: 120 }, (_, at) => `call-${at}`).sort(),
  );
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.new')),
    [],
  );
});

test('a host killed while it writes loses nothing that it had written, and the next goes on', async (t) => {
  const folder = await temporary(t);
  const file = path.join(folder, 'rule-hits.json');
  const written: string[] = [];
  for (const enough of [3, 7, 12]) written.push(...(await runAndKill(folder, enough)));
  const log = openDecisionLog({
    ...{ folder: path.join(folder, 'decisions'), redact: plain, warn: assert.fail },
  });
  log.write({ ...EVENT, toolCallId: 'next' });
  const { lines } = await log.read('ses_1');
  const found = new Set(ids(lines));
  assert.deepEqual(
    [...written, 'next'].filter((id) => !found.has(id)),
    [],
  );
  assert.equal(log.rules(lines[0]?.['rules']).length, 1);
  const uses: readonly [number, number][] = Object.values(JSON.parse(readFileSync(file, 'utf8')));
  assert.ok(uses.reduce((sum, [hits]) => sum + hits, 0) >= written.length);
});

test('two hosts that find a log full do not drop each other’s', async (t) => {
  const folder = path.join(await temporary(t), 'log');
  const options = { folder, redact: plain, warn: assert.fail, fullAt: 2000 };
  const hosts = [openDecisionLog(options), openDecisionLog(options)];
  for (let round = 0; round < 20; round += 1) {
    for (const [at, host] of hosts.entries()) {
      host.write({ ...EVENT, toolCallId: `call-${at}-${round}` });
    }
    const read = await Promise.all(hosts.map((host) => host.read('ses_1')));
    assert.deepEqual(
      read.map(({ damaged }) => damaged),
      [0, 0],
    );
    const { size } = statSync(path.join(folder, 'ses_1.jsonl.1'), { throwIfNoEntry: false }) ?? {};
    assert.ok(size === undefined || size >= 2000, `the log before has ${size} bytes`);
  }
});

test('decisions wait for a place that comes back, and a second failure is told again', async (t) => {
  const folder = path.join(await temporary(t), 'log');
  const warnings: string[] = [];
  const log = openDecisionLog({ folder, redact: plain, warn: (text) => warnings.push(text) });
  for (const [round, id] of ['one', 'two'].entries()) {
    writeFileSync(folder, '');
    log.write({ ...EVENT, toolCallId: id });
    await log.read('ses_1');
    assert.equal(warnings.length, round + 1);
    rmSync(folder);
    assert.deepEqual(ids((await log.read('ses_1')).lines).at(-1), id);
    assert.match(readFileSync(path.join(folder, 'ses_1.jsonl'), 'utf8'), new RegExp(id));
    if (round === 0) rmSync(folder, { recursive: true });
  }
  await log.close();
});

test('decisions that are dropped because too many wait are told once, after the failure itself', async (t) => {
  const folder = path.join(await temporary(t), 'log');
  writeFileSync(folder, '');
  const warnings: string[] = [];
  const log = openDecisionLog({ folder, redact: plain, warn: (text) => warnings.push(text) });
  log.write(EVENT);
  await log.read('ses_1');
  for (let count = 1; count < 10_000; count += 1) log.write(EVENT);
  assert.equal(warnings.length, 1);
  log.write(EVENT);
  log.write(EVENT);
  assert.equal(warnings.length, 2);
  assert.match(warnings[1] ?? '', /^Decisions are not logged: 10000 of them wait .* dropped\.$/);
  rmSync(folder);
  assert.equal((await log.read('ses_1')).lines.length, 10_000);
  log.write(EVENT);
  await log.close();
  assert.equal(warnings.length, 2);
});

test('a session whose log cannot be written keeps no other from being logged', async (t) => {
  const folder = path.join(await temporary(t), 'log');
  mkdirSync(path.join(folder, 'ses_1.jsonl'), { recursive: true });
  const warnings: string[] = [];
  const log = openDecisionLog({ folder, redact: plain, warn: (text) => warnings.push(text) });
  log.write(EVENT);
  log.write({ ...EVENT, sessionId: 'ses_2' });
  await log.close();
  assert.equal(warnings.length, 1);
  assert.match(readFileSync(path.join(folder, 'ses_2.jsonl'), 'utf8'), /call-1/);
  assert.deepEqual(ids((await log.read('ses_1')).lines), ['call-1']);
});

test('bytes that are no text spoil their line only', async (t) => {
  const folder = path.join(await temporary(t), 'log');
  const log = openDecisionLog({ folder, redact: plain, warn: assert.fail });
  log.write(EVENT);
  await log.read('ses_1');
  appendFileSync(path.join(folder, 'ses_1.jsonl'), Buffer.from([0xff, 0xfe, 0x00, 0x80, 10]));
  log.write({ ...EVENT, toolCallId: 'call-2' });
  const { lines, damaged } = await log.read('ses_1');
  assert.deepEqual([ids(lines), damaged], [['call-1', 'call-2'], 1]);
});

test('a log that is far too large counts as damaged and is put aside', async (t) => {
  const folder = path.join(await temporary(t), 'log');
  mkdirSync(folder);
  const file = path.join(folder, 'ses_1.jsonl');
  writeFileSync(file, '');
  truncateSync(file, 100 * MB);
  const log = openDecisionLog({ folder, redact: plain, warn: assert.fail });
  log.write(EVENT);
  const { lines, damaged } = await log.read('ses_1');
  assert.deepEqual([ids(lines), damaged], [['call-1'], 1]);
  assert.equal(statSync(`${file}.1`).size, 100 * MB);
});

test('a list of rules of which a killed host wrote a part is written again', async (t) => {
  const folder = path.join(await temporary(t), 'log');
  const first = openDecisionLog({ folder, redact: plain, warn: assert.fail });
  first.write(EVENT);
  await first.close();
  const [list = ''] = readdirSync(path.join(folder, 'rules'));
  truncateSync(path.join(folder, 'rules', list), 9);
  const next = openDecisionLog({ folder, redact: plain, warn: assert.fail });
  const refs = (await next.read('ses_1')).lines[0]?.['rules'];
  assert.deepEqual(next.rules(refs), []);
  next.write(EVENT);
  await next.close();
  assert.deepEqual(next.rules(refs), [RULE]);
});

test('hits are kept while another host has their file', async (t) => {
  const file = path.join(await temporary(t), 'hits.json');
  const warnings: string[] = [];
  const hits = openRuleHits(file, { warn: (message) => warnings.push(message) });
  hits.note({ sessionId: 's', rule: RULE, subjects: [] });
  withFileLock(`${file}.lock`, () => hits.flush());
  assert.match(warnings[0] ?? '', /^The hits of rules are not kept: /);
  hits.flush();
  assert.equal(openRuleHits(file, { warn: assert.fail }).find(RULE, 's')?.hits, 1);
});

test('without a place for its records the host decides as before, and still explains it', async (t) => {
  const data = await temporary(t);
  const deny = { permission: 'bash', pattern: 'rm *', action: 'deny' };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ permissions: [deny] }));
  mkdirSync(path.join(data, 'state/rule-hits.json.lock'), { recursive: true });
  writeFileSync(path.join(data, 'state/decisions'), '');
  const calls = [{ tool: 'bash', input: { command: 'rm a' }, id: 'c1' }];
  const host = await connect(t, { data, script: [{ calls }, { text: 'Done.' }] });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  const { decisions } = await host.agent.request<{ decisions: readonly unknown[] }>(
    '_gatehouse/decisions',
    { sessionId },
  );
  const [{ toolCallId, decision, by }] = [Object(decisions[0])];
  assert.deepEqual([toolCallId, decision, by], ['c1', 'deny', 'rule']);
  assert.ok(host.warnings.some((warning) => /^Decisions are not logged: /.test(warning)));
});

/** What the writer had written when it was killed, after `enough` decisions. */
function runAndKill(folder: string, enough: number): Promise<readonly string[]> {
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, [WRITER, folder, 'for ever'], { stdio, timeout: 60_000 });
  let received = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    received += text;
    if (received.split('\n').length > enough) child.kill('SIGKILL');
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // The last line may be incomplete.
    child.on('close', () => resolve(received.split('\n').slice(0, -1)));
  });
}
