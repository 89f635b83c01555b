import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { temporary } from '../host/harness.ts';
import {
  marked,
  nameOf,
  poll,
  promptOf,
  start,
  untilGone,
  untilRunning,
} from '../host/stdioHost.ts';
import { acceptAll } from './accepting.ts';

const NAME = 'declared';

test('the next host ends what the declared tool of a killed host left running', async (t) => {
  const data = await temporary(t);
  t.after(() => marked(NAME).forEach((pid) => void process.kill(Number(pid), 'SIGKILL')));
  mkdirSync(path.join(data, 'tools/bin'), { recursive: true });
  const tools = [{ name: 'serve', command: ['./tools/bin/serve'] }];
  writeFileSync(path.join(data, 'tools.json'), JSON.stringify({ tools }));
  // The second one has left the group, the session and its parent, and holds no pipe.
  const sleep = `sleep ${nameOf(NAME)}`;
  const lines = `( ( setsid ${sleep} >/dev/null 2>&1 </dev/null & ) & )\nenv > seen\n${sleep}\n`;
  writeFileSync(path.join(data, 'tools/bin/serve'), `#!/bin/bash\n${lines}`, { mode: 0o755 });
  const [, tool = ''] = /^ {2}(\S+): /m.exec(await acceptAll(data, data)) ?? [];
  const host = await start(t, { data, script: [{ calls: [{ tool, input: {} }] }] });
  await untilRunning(host, NAME);
  await poll(() => marked(NAME).length === 2, 'both run');
  host.child.kill('SIGKILL');
  await host.exit;
  assert.equal(marked(NAME).length, 2);

  const next = await start(t, { data });
  await next.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await next.newSession();
  await next.request('session/prompt', promptOf(sessionId));
  await untilGone(NAME);
  // The mark is no variable, and PATH still finds what it found (spec A-24, VA-23).
  const seen = new Map(
    readFileSync(path.join(data, 'seen'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const own = ['PWD', 'SHLVL', '_', 'OLDPWD'];
  assert.deepEqual([...seen.keys()].filter((each) => !own.includes(each)).sort(), ['HOME', 'PATH']);
  assert.ok(seen.get('PATH')?.startsWith(`${process.env['PATH']}:/dev/null/`));
});
