import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { connect, newSession, temporary } from '../harness.ts';

function git(cwd: string, ...args: readonly string[]): void {
  const settings = ['-c', 'user.name=A', '-c', 'user.email=a@a.example', '-c', 'core.fsmonitor='];
  execFileSync('git', [...settings, ...args], { cwd, stdio: 'ignore' });
}

type Connected = Awaited<ReturnType<typeof connect>>;

async function open(t: Parameters<typeof connect>[0], text: string) {
  const words: string[] = [];
  const host: Connected = await connect(t, {
    script: (request) => {
      words.push(JSON.stringify(request.body));
      return { text };
    },
  });
  git(host.workspace, 'init', '-q');
  const sessionId = await newSession(host);
  const ask = (more: object = {}): Promise<{ message?: string }> =>
    host.agent.request('_gatehouse/commit_message', {
      ...{ sessionId, root: host.workspace },
      ...more,
    });
  const write = (name: string, content: string) =>
    writeFileSync(path.join(host.workspace, name), content);
  return { host, ask, write, words };
}

test('the model writes about what is staged, in the style of the last commits', async (t) => {
  const { host, ask, write, words } = await open(t, '```\nAdd the heron\n\nIt was missing.\n```');
  write('a.txt', 'one\n');
  git(host.workspace, 'add', '.');
  git(host.workspace, 'commit', '-qm', 'feat: begin');
  write('a.txt', 'one\nheron\n');
  write('b.txt', 'unstaged\n');
  git(host.workspace, 'add', 'a.txt');
  const { message } = await ask({ draft: 'Add the h' });
  assert.equal(message, 'Add the heron\n\nIt was missing.');
  assert.equal(words.length, 1);
  assert.match(words[0] ?? '', /feat: begin.*Add the h.*\+heron/s);
  assert.doesNotMatch(words[0] ?? '', /unstaged/);
});

test('nothing that a repository configures is run, and a denied file is only named', async (t) => {
  const { host, ask, write, words } = await open(t, 'Add files');
  const marker = path.join(await temporary(t), 'ran');
  const run = `touch ${marker}; cat`;
  for (const [name, value] of [
    ['core.fsmonitor', run],
    ['diff.external', run],
    ['diff.odd.command', run],
    ['diff.odd.textconv', run],
    ['filter.odd.clean', run],
    ['core.pager', run],
    ['pager.diff', run],
    ['pager.log', run],
    ['gpg.program', run],
    ['log.showSignature', 'true'],
  ] as const) {
    git(host.workspace, 'config', name, value);
  }
  write('.env', 'KEY=heron-secret\n');
  write('a.odd', 'text\n');
  git(host.workspace, 'add', '.env', 'a.odd');
  // Only now, since adding runs the filter.
  write('.gitattributes', '*.odd diff=odd filter=odd\n');
  assert.equal((await ask()).message, 'Add files');
  assert.equal(existsSync(marker), false);
  assert.match(words[0] ?? '', /not shown here:\\n\.env.*\+text/s);
  assert.doesNotMatch(words[0] ?? '', /heron-secret/);
});

test('without staged changes, and for a repository elsewhere, a sentence says what to do', async (t) => {
  const { ask, words } = await open(t, 'Add');
  await assert.rejects(ask(), /Nothing is staged\. Stage the changes/);
  await assert.rejects(
    ask({ root: await temporary(t) }),
    /is not a repository of the open folders/,
  );
  assert.deepEqual(words, []);
});

test('a commit message that the user cancels ends the request to the model', async (t) => {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const server = createServer(({ method }, response) => {
    if (method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    begun.resolve();
    // Nothing is answered, so only the host can end it.
    response.once('close', () => ended.resolve());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const env = { GATEHOUSE_MODEL_BASE_URL: `http://127.0.0.1:${port}/v1` };
  const host = await connect(t, { env });
  const { agent, workspace } = host;
  git(workspace, 'init', '-q');
  writeFileSync(path.join(workspace, 'a.txt'), 'one\n');
  git(workspace, 'add', '.');
  const cancel = new AbortController();
  const asked = agent.request(
    '_gatehouse/commit_message',
    { sessionId: await newSession(host), root: workspace },
    { cancellationSignal: cancel.signal },
  );
  await begun.promise;
  cancel.abort();
  await assert.rejects(asked, { code: -32800 });
  await ended.promise;
});
