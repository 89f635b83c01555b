import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { calls, connect, newSession, prompt, requests } from './harness.ts';

const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;
const OURS = {
  fs: { readTextFile: true, writeTextFile: true },
  _meta: { gatehouse: { v: 1, documents: true } },
};
const EDIT = {
  tool: 'edit',
  input: { path: 'a.txt', old_string: 'unsaved', new_string: 'edited' },
};

/** The last result the model was told. */
function telling(call: object) {
  const told: { ok: boolean; data: unknown; errorText: string }[] = [];
  return {
    told,
    script: ({ conversation }: { conversation: { results: readonly (typeof told)[number][] } }) => {
      const [result] = conversation.results;
      if (result === undefined) return { calls: [{ tool: '', input: {}, ...call }] };
      told.push(result);
      return { text: 'Ok.' };
    },
  };
}

test('a dirty document is read and written through the editor, with its version', async (t) => {
  const writes: unknown[] = [];
  const { told, script } = telling(EDIT);
  const host = await connect(t, {
    script,
    client: {
      capabilities: OURS,
      permission: () => ALLOW,
      other: (method, params) => {
        const file = path.join(host.workspace, 'a.txt');
        const row = {
          path: file,
          uri: `file://${file}`,
          dirty: true,
          version: 7,
          encoding: 'utf8',
          eol: '\n',
        };
        if (method === '_gatehouse/documents') return { documents: [row] };
        if (method === 'fs/read_text_file') return { content: 'unsaved words\n' };
        if (method !== 'fs/write_text_file') return undefined;
        writes.push(params);
        return {};
      },
    },
  });
  const file = path.join(host.workspace, 'a.txt');
  await writeFile(file, 'saved words\n');
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  assert.equal(told[0]?.ok, true, told[0]?.errorText);
  assert.deepEqual(writes, [
    {
      sessionId,
      path: file,
      content: 'edited words\n',
      _meta: { gatehouse: { baseVersion: 7 } },
    },
  ]);
  assert.equal(await readFile(file, 'utf8'), 'saved words\n', 'the disk is the editor’s affair');
});

test('a clean document is written by the host, byte for byte', async (t) => {
  const host = await connect(t, {
    script: [
      { calls: [{ ...EDIT, input: { ...EDIT.input, old_string: 'saved' } }] },
      { text: 'Ok.' },
    ],
    client: {
      capabilities: OURS,
      permission: () => ALLOW,
      other: (method) => (method === '_gatehouse/documents' ? { documents: [] } : undefined),
    },
  });
  const file = path.join(host.workspace, 'a.txt');
  await writeFile(file, 'saved\r\nwords\n');
  await prompt(host, await newSession(host));
  assert.equal(await readFile(file, 'utf8'), 'edited\r\nwords\n');
  assert.deepEqual(requests(host, 'fs/write_text_file'), []);
});

test('VC-86: without fs.writeTextFile the file is written locally, and nothing is asked of the client', async (t) => {
  const host = await connect(t, {
    script: [
      { calls: [{ tool: 'write', input: { path: 'b.txt', content: 'b' } }] },
      { text: 'Ok.' },
    ],
    client: { permission: () => ALLOW },
  });
  await prompt(host, await newSession(host));
  assert.equal(await readFile(path.join(host.workspace, 'b.txt'), 'utf8'), 'b');
  const asked = host.lines.filter(
    ({ from, message }) => from === 'agent' && message.method?.startsWith('fs/'),
  );
  assert.deepEqual(asked, []);
});

test('another client’s files go through its fs: its text is read, and written', async (t) => {
  const written: Record<string, string> = {};
  const { told, script } = telling(EDIT);
  const host = await connect(t, {
    script,
    client: {
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      permission: () => ALLOW,
      other: (method, params) => {
        if (method === 'fs/read_text_file') return { content: 'unsaved words\n' };
        if (method !== 'fs/write_text_file') return undefined;
        written[Object(params).path] = Object(params).content;
        return {};
      },
    },
  });
  const file = path.join(host.workspace, 'a.txt');
  await writeFile(file, 'saved words\n');
  await prompt(host, await newSession(host));
  assert.equal(told[0]?.ok, true, told[0]?.errorText);
  assert.deepEqual(written, { [file]: 'edited words\n' });
});

test('VC-87: a path outside the scope is refused before any request', async (t) => {
  const { told, script } = telling({ tool: 'write', input: { path: '/etc/x', content: '' } });
  const host = await connect(t, {
    script,
    client: { capabilities: { fs: { readTextFile: true, writeTextFile: true } } },
  });
  const sessionId = await newSession(host);
  const set = { sessionId, configId: 'approval', value: 'readOnly' };
  await host.agent.request('session/set_config_option', set);
  await prompt(host, sessionId);
  assert.equal(told[0]?.ok, false);
  const methods = host.lines.flatMap(({ from, message }) =>
    from === 'agent' && message.method !== 'session/update' ? (message.method ?? []) : [],
  );
  assert.deepEqual(methods, []);
});

test('another client’s terminal runs the command, is embedded before it is released, and its lost head is said', async (t) => {
  const order: string[] = [];
  const created: unknown[] = [];
  const { told, script } = telling({ tool: 'bash', input: { command: 'seq 100000' } });
  const host = await connect(t, {
    script,
    client: {
      capabilities: { terminal: true },
      permission: () => ALLOW,
      other: (method, params) => {
        order.push(method);
        switch (method) {
          case 'terminal/create':
            created.push(params);
            return { terminalId: 'term-1' };
          case 'terminal/wait_for_exit':
            return { exitCode: 0 };
          case 'terminal/output':
            return { output: 'the tail\n', truncated: true, exitStatus: { exitCode: 0 } };
          case 'terminal/release':
            return {};
          default:
            return undefined;
        }
      },
    },
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  const { command, args, cwd, outputByteLimit, env } = Object(created[0]);
  assert.deepEqual([command, args.at(-1), cwd], ['bash', 'seq 100000', host.workspace]);
  assert.equal(outputByteLimit, 200 * 1024);
  assert.ok(!JSON.stringify(env).includes('GATEHOUSE_'), 'our own settings stay with us');
  assert.deepEqual(order, [
    'terminal/create',
    'terminal/wait_for_exit',
    'terminal/output',
    'terminal/release',
  ]);
  assert.match(JSON.stringify(told[0]?.data), /discarded the beginning/);
  assert.ok(
    calls(host).some(({ content }) => content?.some((part) => part.type === 'terminal')),
    'the terminal is shown in the call',
  );
  assert.ok(!existsSync(path.join(host.workspace, 'term-1')));
});

test('cancel kills the client’s terminal, and it is released all the same', async (t) => {
  const order: string[] = [];
  let exit: (() => void) | undefined;
  const host = await connect(t, {
    script: [{ calls: [{ tool: 'bash', input: { command: 'sleep 300' } }] }],
    client: {
      capabilities: { terminal: true },
      permission: () => ALLOW,
      other: (method) => {
        order.push(method);
        if (method === 'terminal/create') return { terminalId: 'term-1' };
        if (method === 'terminal/output') return { output: '', truncated: false };
        if (method === 'terminal/kill') exit?.();
        if (method !== 'terminal/wait_for_exit') return {};
        return new Promise((resolve) => {
          exit = () => resolve({ exitCode: null, signal: 'SIGTERM' });
        });
      },
    },
  });
  const sessionId = await newSession(host);
  const turn = prompt(host, sessionId);
  const { until } = await import('./harness.ts');
  await until(() => exit !== undefined, 'the command runs');
  await host.agent.notify('session/cancel', { sessionId });
  assert.deepEqual(await turn, { stopReason: 'cancelled' });
  await until(() => order.includes('terminal/release'), 'the terminal is released');
  assert.ok(order.indexOf('terminal/kill') > 0);
});
