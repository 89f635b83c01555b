import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { run as accept } from '../../../src/host/cli/acceptTools.ts';
import { run as check } from '../../../src/host/cli/check.ts';
import { connect, newSession, temporary } from '../host/harness.ts';
import { bench } from './running.ts';

const RUNLOOP = '{"version":1,"tools":[]}';
const CAPS = '[capabilities]\n';
const WRONG = `[artifacts.tools]\npath = "tools.json"\nblake3 = "${'0'.repeat(64)}"\n`;

async function runIn(
  folder: string,
  run: typeof check,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const io = { args, stdin: new PassThrough(), stdout, stderr, env, cwd: folder };
  const code = await run(io);
  return { code, out: `${stdout.read() ?? ''}${stderr.read() ?? ''}` };
}

function write(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content, { mode: 0o755 });
  }
}

/** What a manifest can be instead of text, by what is made at its path. */
const UNREADABLE: Readonly<
  Record<string, (t: TestContext, file: string, text: string) => Promise<void> | void>
> = {
  'UTF-16': (_, file, text) => writeFileSync(file, Buffer.from(`\uFEFF${text}`, 'utf16le')),
  'not UTF-8': (_, file, text) =>
    writeFileSync(file, Buffer.concat([Buffer.from(`${text}# `), Buffer.from([0xff, 0xfe])])),
  'over the limit': (_, file, text) => writeFileSync(file, text + '#'.repeat(5_000_000)),
  'a folder': (_, file) => void mkdirSync(file),
  'a pipe': (_, file) => void execFileSync('mkfifo', [file]),
  'a device': (_, file) => symlinkSync('/dev/zero', file),
  'a socket': async (t, file) => {
    const server = createServer();
    t.after(() => server.close());
    await new Promise<void>((resolve) => server.listen(file, resolve));
  },
};

for (const [what, place] of Object.entries(UNREADABLE)) {
  test(`VD-12, VD-13 a manifest.toml that is ${what} fails the bundle`, async (t) => {
    const folder = await temporary(t);
    write(folder, { 'tools.json': RUNLOOP, 'policy.caps': CAPS });
    await place(t, path.join(folder, 'manifest.toml'), WRONG);
    const { code, out } = await runIn(folder, check, ['.']);
    assert.match(out, /error: cannot read manifest\.toml: /);
    assert.equal(code, 1);
  });

  test(`VD-14 a policy.caps that is ${what} fails the bundle`, async (t) => {
    const folder = await temporary(t);
    write(folder, { 'tools.json': RUNLOOP });
    await place(t, path.join(folder, 'policy.caps'), CAPS);
    const { code, out } = await runIn(folder, check, ['.']);
    assert.match(out, /error: cannot read policy\.caps: /);
    assert.equal(code, 1);
  });

  test(`a tools.json that is ${what} is a diagnostic, and the session goes on`, async (t) => {
    const host = await connect(t);
    await place(t, path.join(host.workspace, 'tools.json'), '{"tools":[]}');
    const sessionId = await newSession(host);
    await host.agent.request('_gatehouse/tools', { sessionId });
    const { code, out } = await runIn(host.workspace, check, ['tools.json']);
    assert.ok([1, 2].includes(code), out);
  });

  test(`a compozy.yaml that is ${what} refuses the project's tools`, async (t) => {
    const folder = await temporary(t);
    write(folder, { 'fmt.yaml': 'resource: tool\nid: fmt\n', 'tools.ts': '' });
    await place(t, path.join(folder, 'compozy.yaml'), 'autoload: {enabled: false}\n');
    const { code, out } = await runIn(folder, check, ['fmt.yaml']);
    assert.match(out, /error: cannot read compozy\.yaml: /);
    assert.equal(code, 1);
  });

  test(`user settings that are ${what} take away no deny`, async (t) => {
    const data = await temporary(t);
    await place(t, path.join(data, 'settings.json'), '{"gatehouse.permissions":[]}');
    const host = await connect(t, { data });
    const result = await host.agent.request<{ decision: string }>('_gatehouse/explain', {
      tool: 'bash',
      input: { command: 'ls' },
    });
    assert.notEqual(result.decision, 'allow', JSON.stringify(result));
  });
}

test('a compozy.yaml with a syntax error refuses the project', async (t) => {
  const folder = await temporary(t);
  write(folder, {
    'fmt.yaml': 'resource: tool\nid: fmt\n',
    'tools.ts': '',
    'compozy.yaml': 'runtime: [\n',
  });
  const { code, out } = await runIn(folder, check, ['fmt.yaml']);
  assert.match(out, /error: PARSE_ERROR: compozy\.yaml: /);
  assert.equal(code, 1);
});

test('a program that is a pipe is not hashed, and its tool is not offered', async (t) => {
  const folder = await temporary(t);
  const tools = [{ name: 'x', command: ['./tools/bin/x'] }];
  write(folder, { 'tools.json': JSON.stringify({ tools }), 'tools/bin/other': '' });
  execFileSync('mkfifo', [path.join(folder, 'tools/bin/x')]);
  const { code, out } = await runIn(folder, accept, ['.'], { GATEHOUSE_DATA: folder });
  assert.match(out, /tools\/bin\/x cannot be read: it is a pipe, a socket or a device/);
  assert.equal(code, 1);
});

test('a program that becomes unreadable after the load does not run', async () => {
  const tools = [{ name: 'x', command: ['./tools/bin/x'] }];
  const { run, folder } = await bench({
    'tools.json': JSON.stringify({ tools }),
    'tools/bin/x': '#!/bin/sh\necho {}\n',
  });
  execFileSync('rm', [path.join(folder, 'tools/bin/x')]);
  execFileSync('mkfifo', [path.join(folder, 'tools/bin/x')]);
  assert.match(JSON.stringify(await run('workspace_x')), /cannot be read: it is a pipe/);
});
