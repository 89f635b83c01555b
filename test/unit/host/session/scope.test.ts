import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporary } from '../harness.ts';
import { type Host, promptOf, ROOT, start } from '../stdioHost.ts';

type Input = Readonly<Record<string, unknown>>;

interface Bed {
  readonly data: string;
  readonly workspace: string;
  /** A folder that is not open. */
  readonly outside: string;
}

const EVERYTHING = [{ permission: '*', pattern: '**', action: 'allow' }];

/** A user whose rules allow everything. */
async function makeBed(t: TestContext, more: readonly object[] = []): Promise<Bed> {
  const root = await temporary(t);
  const bed = {
    data: path.join(root, 'data'),
    workspace: path.join(root, 'w'),
    outside: path.join(root, 'outside'),
  };
  for (const folder of Object.values(bed)) await mkdir(folder);
  await writeFile(path.join(bed.outside, 'secret'), 'the secret\n');
  const settings = { 'gatehouse.permissions': [...EVERYTHING, ...more] };
  await writeFile(path.join(bed.data, 'settings.json'), JSON.stringify(settings));
  return bed;
}

const MAIN = path.join(ROOT, 'dist/host/main.mjs');

function open(t: TestContext, { data }: Bed, calls: readonly { tool: string; input: Input }[]) {
  const steps = calls.map((call, index) => ({ calls: [{ ...call, id: `c${index}` }] }));
  return start(t, { data, program: MAIN, script: [...steps, { text: 'Done.' }] });
}

interface Started {
  readonly host: Host;
  readonly sessionId: string;
}

/** Runs a turn with these calls; each ask is approved once. Returns what the client saw. */
async function run({
  host,
  sessionId,
}: Started): Promise<{ readonly asks: number; readonly seen: string }> {
  const turn = host.request('session/prompt', promptOf(sessionId));
  let over = false;
  void turn.finally(() => {
    over = true;
  });
  const answered = new Set<unknown>();
  while (!over) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    for (const { from, message } of host.lines) {
      if (from !== 'agent' || message.method !== 'session/request_permission') continue;
      if (answered.has(message.id)) continue;
      answered.add(message.id);
      host.send({
        id: message.id,
        result: { outcome: { outcome: 'selected', optionId: 'allow' } },
      });
    }
  }
  assert.deepEqual((await turn).result, { stopReason: 'end_turn' });
  const seen = JSON.stringify(host.lines.filter(({ from }) => from === 'agent'));
  return { asks: answered.size, seen };
}

async function newSession(host: Host, cwd: string, gatehouse: object = {}): Promise<string> {
  const reply = await host.request('session/new', { cwd, mcpServers: [], _meta: { gatehouse } });
  assert.equal(reply.error, undefined);
  return Object(reply.result).sessionId;
}

async function runIn(
  t: TestContext,
  bed: Bed,
  calls: readonly { tool: string; input: Input }[],
  meta: object = {},
) {
  const host = await open(t, bed, calls);
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  return run({ host, sessionId: await newSession(host, bed.workspace, meta) });
}

for (const approval of ['ask', 'acceptEdits', 'readOnly']) {
  test(`VC-11, VC-40: ${approval}: file tools are refused outside, whatever is allowed`, async (t) => {
    const bed = await makeBed(t);
    const secret = path.join(bed.outside, 'secret');
    const made = path.join(bed.outside, 'made');
    await symlink(secret, path.join(bed.workspace, 'link'));
    const { asks, seen } = await runIn(
      t,
      bed,
      [
        { tool: 'read', input: { path: secret } },
        { tool: 'read', input: { path: 'link' } },
        { tool: 'grep', input: { pattern: 'the', path: bed.outside } },
        { tool: 'glob', input: { pattern: '*', path: bed.outside } },
        { tool: 'write', input: { path: made, content: 'x' } },
        { tool: 'edit', input: { path: secret, old: 'the', new: 'a' } },
      ],
      { approval },
    );
    assert.equal(asks, 0);
    assert.doesNotMatch(seen, /the secret/);
    assert.ok(!existsSync(made));
    assert.equal(await readFile(secret, 'utf8'), 'the secret\n');
    assert.match(seen, /capabilities don't allow this call: fs\.read of/);
    assert.ok(seen.includes(`It may read \`${bed.workspace}/**\``), 'the error names the scope');
    assert.match(seen, /need their folder opened/);
  });
}

test('an operand of bash outside asks, and no wildcard allows it', async (t) => {
  const bed = await makeBed(t);
  const secret = path.join(bed.outside, 'secret');
  const lines = [
    `cat ${secret}`,
    `ls ${bed.outside}`,
    `cd ${bed.outside} && cat secret`,
    `echo x > ${bed.outside}/made`,
    `cp ${secret} here`,
  ];
  for (const command of lines) {
    const { asks } = await runIn(t, bed, [{ tool: 'bash', input: { command } }]);
    assert.equal(asks, 1, command);
  }
  // The user said yes.
  assert.equal(await readFile(path.join(bed.workspace, 'here'), 'utf8'), 'the secret\n');
  assert.ok(existsSync(path.join(bed.outside, 'made')));
});

test('a rule that names exactly the operand allows it', async (t) => {
  const root = await makeBed(t);
  const secret = path.join(root.outside, 'secret');
  const rule = (pattern: string) => ({ permission: 'fs.read', pattern, action: 'allow' });
  const settings = { 'gatehouse.permissions': [...EVERYTHING, rule(secret)] };
  await writeFile(path.join(root.data, 'settings.json'), JSON.stringify(settings));
  const command = `cat ${secret}`;
  const { asks, seen } = await runIn(t, root, [{ tool: 'bash', input: { command } }]);
  assert.equal(asks, 0);
  assert.match(seen, /the secret/);
});

test('VC-8: a definition limited to docs reads nothing else, by no tool', async (t) => {
  const bed = await makeBed(t);
  await mkdir(path.join(bed.data, 'agents'));
  const front = ['description: Docs.', 'requires: {fs: {read: ["{workspace}/docs/**"]}}'];
  await writeFile(path.join(bed.data, 'agents/docs.md'), `---\n${front.join('\n')}\n---\nRead.`);
  await mkdir(path.join(bed.workspace, 'docs'));
  await writeFile(path.join(bed.workspace, 'docs/a'), 'the page\n');
  await writeFile(path.join(bed.workspace, 'x'), 'the rest\n');
  const { asks, seen } = await runIn(
    t,
    bed,
    [
      { tool: 'read', input: { path: 'docs/a' } },
      { tool: 'read', input: { path: 'x' } },
      { tool: 'bash', input: { command: 'cat x' } },
      { tool: 'write', input: { path: 'docs/b', content: 'x' } },
    ],
    { agent: 'docs' },
  );
  assert.equal(asks, 0);
  assert.match(seen, /the page/);
  assert.doesNotMatch(seen, /the rest/);
  assert.ok(!existsSync(path.join(bed.workspace, 'docs/b')));
});

test('CS-103: without a folder each session has a scratch folder of its own', async (t) => {
  const bed = await makeBed(t);
  await writeFile(path.join(bed.data, 'settings.json'), '{}');
  const scratch = path.join(bed.data, 'user/scratch');
  const made = path.join(bed.outside, 'made');
  const host = await open(t, bed, [
    { tool: 'write', input: { path: 'note', content: 'one' } },
    { tool: 'write', input: { path: made, content: 'x' } },
    { tool: 'bash', input: { command: 'cat note' } },
  ]);
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const sessionId = await newSession(host, scratch);
  const other = await newSession(host, scratch);
  const { asks, seen } = await run({ host, sessionId });
  assert.equal(asks, 0);
  assert.ok(!existsSync(made));
  assert.match(seen, /one/);
  assert.equal(await readFile(path.join(scratch, sessionId, 'note'), 'utf8'), 'one');
  assert.deepEqual(await readdir(path.join(scratch, other)), []);
  await host.request('session/close', { sessionId });
  assert.deepEqual(await readdir(scratch), [other]);
});
