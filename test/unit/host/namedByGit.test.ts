import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { connect, prompt, requests, temporary } from './harness.ts';

test('what git takes hooks and settings from is not written by a tool or a command, whatever rules allow', async (t) => {
  const [workspace, data] = [await temporary(t), await temporary(t)];
  const at = (name: string) => path.join(workspace, name);
  for (const name of ['run', 'conf', 'src']) mkdirSync(at(name));
  execFileSync('git', ['init', '-q', workspace]);
  const settings = '[core]\n  hooksPath = run\n[include]\n  path = ../conf/own\n';
  writeFileSync(at('.git/config'), settings);
  writeFileSync(at('conf/own'), '');
  const allow = ['fs.write', 'write', 'bash'].map((permission) => {
    return { permission, pattern: permission === 'bash' ? '*' : '**', action: 'allow' };
  });
  const gatehouse = { 'gatehouse.permissions': allow };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(gatehouse));
  const write = (name: string) => ({ tool: 'write', input: { path: at(name), content: 'x' } });
  const bash = (command: string) => ({ tool: 'bash', input: { command, description: 'd' } });
  const asked = [
    write('run/pre-commit'),
    write('conf/own'),
    bash('echo x > run/pre-push'),
    bash('cp src/a run/b'),
    bash('mv run src/gone'),
  ];
  const open = [write('src/a'), bash('echo x > src/b'), bash('cp src/a src/c'), write('top')];
  const host = await connect(t, {
    ...{ workspace, data, env: { HOME: await temporary(t) } },
    client: { permission: () => ({ outcome: { outcome: 'selected', optionId: 'reject' } }) },
    script: [...open, ...asked].flatMap((call) => [{ calls: [call] }, { text: 'Done.' }]),
  });
  const { sessionId } = await host.agent.request('session/new', {
    ...{ cwd: workspace, mcpServers: [] },
  });
  for (const call of [...open, ...asked]) {
    const before = requests(host, 'session/request_permission').length;
    await prompt(host, sessionId);
    const made = requests(host, 'session/request_permission').length - before;
    assert.equal(made, asked.includes(call) ? 1 : 0, JSON.stringify(call.input));
  }
  for (const name of ['src/a', 'src/b', 'src/c', 'top']) {
    assert.equal(existsSync(at(name)), true, name);
  }
  for (const name of ['run/pre-commit', 'run/pre-push', 'run/b', 'src/gone']) {
    assert.equal(existsSync(at(name)), false, name);
  }
});
