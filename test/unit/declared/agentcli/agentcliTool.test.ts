import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { openAuditLog } from '../../../../src/declared/run/auditLog.ts';
import { createRedaction } from '../../../../src/declared/run/redact.ts';
import { bench, place, ROOT } from '../running.ts';

after(() => rmSync(ROOT, { recursive: true, force: true, maxRetries: 5 }));

const manifest = (more: object = {}, args: readonly string[] = []) =>
  JSON.stringify({ tools: [{ name: 'x', command: ['./tools/bin/x', ...args], ...more }] });
const program = (script: string, more: object = {}, args: readonly string[] = []) => ({
  'tools.json': manifest(more, args),
  'tools/bin/x': `#!/bin/sh\n${script}\n`,
});

result('one JSON value is that value', `echo '{"a": "two  spaces"}'`, {
  data: { a: 'two  spaces' },
});
result('VA-18, MA-058 (decision 43) two lines stay two lines', `printf '{"a":1}\\n{"b":2}\\n'`, {
  data: '{"a":1}\n{"b":2}',
});
result('VA-19 nothing is an empty object', 'true', { data: {} });
result('MA-060 other text is passed unchanged', `printf '  plain   text '`, {
  data: '  plain   text ',
});
result('a number too long for a double keeps its digits', `echo '{"n":12345678901234567890}'`, {
  data: '{"n":12345678901234567890}',
});
result(
  'VA-20, MA-059 (decision 44) the error of a JSON object is the text',
  `echo '{"error":"boom"}' >&2; exit 1`,
  {
    error: 'boom',
  },
);
result('other text on standard error is the text', `echo broken >&2; exit 1`, { error: 'broken' });
result('VA-21 an empty standard error is named by the exit', 'exit 3', { error: 'exit status 3' });
result('a signal is named', 'kill -9 $$', { error: 'signal: killed' });

function result(name: string, script: string, expected: unknown) {
  test(name, async () =>
    assert.deepEqual(await (await bench(program(script))).run('workspace_x'), expected),
  );
}

test('A-22 (decision 44) the model is told of a failure as {"error": text}', async () => {
  assert.equal((await bench(program('exit 3'))).tool('workspace_x').failureContent, 'error');
});

test('VA-26 the text of a failure is cut at 1000 bytes', async () => {
  const { run } = await bench(program(`head -c 5000 /dev/zero | tr '\\0' e >&2; exit 1`));
  assert.deepEqual(await run('workspace_x'), { error: 'e'.repeat(1000) });
});

test('VA-22 a tool that hangs is ended with everything it started', async () => {
  // A machine may be too busy to start it within the first of these times.
  for (const timeoutSec of [1, 10, 60]) {
    const { run, folder } = await bench(
      program('sleep 777 & echo $! > pid; sleep 777', { timeoutSec }),
    );
    assert.deepEqual(await run('workspace_x'), { error: 'tool timed out' });
    const pid = path.join(folder, 'pid');
    if (!existsSync(pid) && timeoutSec < 60) continue;
    assert.equal(isAlive(Number(readFileSync(pid, 'utf8'))), false);
    return;
  }
});

test('MA-062 a grandchild that holds the pipe does not hold the call, and does not survive it', async () => {
  const script = '(trap "" TERM; sleep 777) & echo $! > pid; echo {}';
  const { run, folder } = await bench(program(script, { timeoutSec: 300 }));
  assert.deepEqual(await run('workspace_x'), { data: {} });
  assert.equal(isAlive(Number(readFileSync(path.join(folder, 'pid'), 'utf8'))), false);
});

test('MA-061 a flood is ended, with its beginning', async () => {
  const { run } = await bench(program('yes 0123456789abcdef', { timeoutSec: 300 }));
  const outcome = await run('workspace_x');
  assert.ok(typeof outcome === 'object' && outcome !== null && 'error' in outcome);
  const { error } = outcome;
  assert.match(
    String(error),
    /^tool output exceeds maximum size limit of 10485760 bytes\n0123456789abcdef/,
  );
  assert.ok(String(error).length < 1200);
});

test('VA-23, MA-054, MA-055 the environment is PATH, HOME and what is passed; the log has names only', async () => {
  const env = { SECRET: 'hunter2hunter2', TZ: 'Etc/UTC-planted', AWS_ACCESS_KEY_ID: 'k' };
  const { run, rows } = await bench(
    program('env | cut -d= -f1 | sort | tr "\\n" " "', { envPassthrough: ['tz', 'GONE'] }),
    { env },
  );
  const outcome = await run('workspace_x');
  // The shell itself adds PWD, SHLVL, OLDPWD and _.
  const names = String((outcome as { data: string }).data)
    .split(' ')
    .filter((name) => !/^(PWD|OLDPWD|SHLVL|_|)$/.test(name));
  assert.deepEqual(names, ['HOME', 'PATH', 'TZ']);
  assert.deepEqual(
    rows.map((row) => row.event === 'tool' && row.envKeys),
    [['TZ']],
  );
  assert.doesNotMatch(JSON.stringify(rows), /hunter2|planted/);
});

test("the product's and the editor's own variables are not passed, whatever a manifest names", async () => {
  const names = ['GATEHOUSE_MODEL_API_KEY', 'VSCODE_GIT_IPC_AUTH_TOKEN', 'ELECTRON_RUN_AS_NODE'];
  const env = Object.fromEntries(names.map((name) => [name, 'planted-value']));
  const { run, rows } = await bench(program('env', { envPassthrough: names }), { env });
  const outcome = JSON.stringify(await run('workspace_x'));
  assert.match(outcome, /PATH=/);
  for (const name of names) assert.doesNotMatch(outcome + JSON.stringify(rows), new RegExp(name));
});

test('VA-24 arguments reach standard input only, and no shell', async () => {
  const text = '$(touch pwned); echo hi';
  const { run, folder } = await bench(program('cat'));
  assert.deepEqual(await run('workspace_x', { text }), { data: { text } });
  assert.deepEqual(readdirSync(folder).sort(), ['tools', 'tools.json']);
});

test('fixed arguments are words, not a line', async () => {
  const { run } = await bench(program(`printf '%s|' "$@"`, {}, ['a b', '$HOME', "'q'"]));
  assert.deepEqual(await run('workspace_x'), { data: "a b|$HOME|'q'|" });
});

test('a program that reads nothing, and one that ends early, both answer', async () => {
  const { run } = await bench(program('exec 0<&-; echo 1'));
  assert.deepEqual(await run('workspace_x', { big: 'x'.repeat(3_000_000) }), { data: 1 });
});

test('an abort ends the program', async () => {
  const controller = new AbortController();
  const { run, folder } = await bench(program('echo $$ > pid; sleep 777'));
  const outcome = run('workspace_x', {}, { signal: controller.signal });
  while (!existsSync(path.join(folder, 'pid')))
    await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  assert.deepEqual(await outcome, { error: 'The call was aborted.' });
});

test('MA-038 a schema whose pattern backtracks without end costs a moment, not the host', async () => {
  const schema = { type: 'object', properties: { p: { type: 'string', pattern: '^(a|a)*$' } } };
  const { run } = await bench(program('echo {}', { schema }), { schemaMs: 200 });
  assert.deepEqual(await run('workspace_x', { p: `${'a'.repeat(40)}!` }), {
    refused:
      'validating the arguments of workspace_x against the schema takes longer than 200 ms (gatehouse.limits.schemaMs). The schema or the value is too complex.',
  });
  assert.deepEqual(await run('workspace_x', { p: 'aaa' }), { data: {} });
});

test('a name that every object inherits is there only if the call has it', async () => {
  const properties = { constructor: { type: 'string' }, toString: { type: 'string' } };
  const schema = { type: 'object', properties, required: ['constructor'] };
  const { run } = await bench(program('echo {}', { schema }));
  assert.deepEqual(await run('workspace_x', {}), {
    refused: "must have required property 'constructor'",
  });
  assert.deepEqual(await run('workspace_x', { constructor: 'a' }), { data: {} });
});

test('MA-039 a call with __proto__ pollutes nothing', async () => {
  const schema = { type: 'object', properties: JSON.parse('{"__proto__":{"type":"object"}}') };
  const { run } = await bench(program('cat', { schema }));
  await run('workspace_x', JSON.parse('{"__proto__":{"polluted":1}}'));
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
});

test('a log that cannot be written does not fail the call (A-51)', async () => {
  const folder = place({ file: '' });
  const audit = openAuditLog(
    path.join(folder, 'file', 'audit'),
    (text) => text,
    () => new Date(),
  );
  assert.deepEqual(await (await bench(program('echo {}'), { audit })).run('workspace_x'), {
    data: {},
  });
});

test('the log is one JSON row a call in a file a day, redacted', async () => {
  const folder = place({});
  const redact = createRedaction({
    GATEHOUSE_REDACT: 'tok-*;planted',
    OPENAI_API_KEY: 'sk-12345678',
  });
  const audit = openAuditLog(folder, redact, () => new Date('2026-03-04T23:59:59Z'));
  const { run } = await bench(program('echo {}', {}, ['tok-abcdef', 'planted', 'sk-12345678']), {
    audit,
  });
  await run('workspace_x');
  const text = readFileSync(path.join(folder, '20260304.log'), 'utf8');
  const row = JSON.parse(text);
  assert.deepEqual(row.argv.slice(1), ['***REDACTED***', '***REDACTED***', '***REDACTED***']);
  assert.deepEqual(Object.keys(row), [
    'ts',
    'event',
    'tool',
    'argv',
    'cwd',
    'exit',
    'ms',
    'stdoutBytes',
    'stderrBytes',
    'truncated',
  ]);
});

test('MA-053 a manifest that was not accepted, or was edited since, offers nothing', async () => {
  const files = program('echo {}');
  const hashes = new Set<string>();
  const accepted = { has: (_: string, hash: string) => hashes.has(hash) };
  const first = await bench(files, { accepted });
  assert.deepEqual(first.loaded.tools, []);
  assert.equal(
    first.loaded.notOffered[0]?.why,
    'You have not accepted the current version of this manifest.',
  );
  const [waiting] = first.loaded.pending;
  assert.ok(waiting);
  hashes.add(waiting.hash);
  assert.equal((await bench(files, { accepted })).loaded.tools.length, 1);
  const edited = { ...files, 'tools.json': files['tools.json'].replace('"x"', '"x" ') };
  assert.equal((await bench(edited, { accepted })).loaded.tools.length, 0);
  const exchanged = { ...files, 'tools/bin/x': '#!/bin/sh\necho evil\n' };
  assert.equal((await bench(exchanged, { accepted })).loaded.tools.length, 0);
});

test('a program replaced after acceptance does not run', async () => {
  const { run, folder } = await bench(program('echo {}'));
  writeFileSync(path.join(folder, 'tools/bin/x'), '#!/bin/sh\ntouch pwned\n');
  const outcome = await run('workspace_x');
  assert.match(JSON.stringify(outcome), /changed since you accepted it/);
  assert.deepEqual(readdirSync(folder).sort(), ['tools', 'tools.json']);
});

test('a cancelled call does not hash a program that changed', async () => {
  const { folder, run } = await bench(program('echo {}'));
  const now = new Date();
  utimesSync(path.join(folder, 'tools/bin/x'), now, now);
  const signal = AbortSignal.abort(new Error('cancelled'));
  await assert.rejects(run('workspace_x', {}, { signal }), /cancelled/);
});

test('without trust nothing is read', async () => {
  const { loaded } = await bench(program('echo {}'), { trusted: false });
  assert.deepEqual(loaded, { tools: [], diagnostics: [], notOffered: [], pending: [] });
});

test('a manifest with one bad entry offers none, and says why of each', async () => {
  const tools = [
    { name: 'x', command: ['./tools/bin/x'] },
    { name: 'y', command: ['y'] },
  ];
  const { loaded } = await bench({ 'tools.json': JSON.stringify({ tools }), 'tools/bin/x': '' });
  assert.deepEqual(loaded.tools, []);
  assert.deepEqual(
    loaded.notOffered.map(({ id }) => id),
    ['x', 'y'],
  );
});

test('a tool whose program is missing is not offered, the others are', async () => {
  const tools = [
    { name: 'x', command: ['./tools/bin/x'] },
    { name: 'y', command: ['./tools/bin/y'] },
  ];
  const { loaded } = await bench({ 'tools.json': JSON.stringify({ tools }), 'tools/bin/x': '' });
  assert.deepEqual(
    loaded.tools.map(({ tool }) => tool.id),
    ['workspace_x'],
  );
  assert.match(loaded.notOffered[0]?.why ?? '', /program ".\/tools\/bin\/y" is missing/);
});

test('a declared tool asks by its own id and needs shell.run', async () => {
  const tool = (await bench(program('echo {}'))).tool('workspace_x');
  const [shell] = tool.requires.shell ?? [];
  const argv = [shell?.cmd, ...(shell?.args ?? [])];
  assert.deepEqual(tool.subjects({ a: 1 }), [
    { permission: 'workspace_x', capability: 'shell.run', target: '{"a":1}', match: 'text', argv },
  ]);
});

test('A-19 standard input is what the model wrote, to the letter', async () => {
  const inputText = '{ "n": 12345678901234567890, "e":1e400, "b":1,"a":2 }';
  const { run } = await bench(program('cat > seen; cat seen >&2; exit 1'));
  const outcome = await run('workspace_x', JSON.parse(inputText), { inputText });
  assert.deepEqual(outcome, { error: inputText });
});

function isAlive(pid: number): boolean {
  try {
    // A zombie waits for its parent only; it does not run.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z';
  } catch {
    return false;
  }
}
