import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { connect, newSession, prompt, temporary } from './harness.ts';

/** Behind the proxy, it tells what its first run left. */
const SCRIPT = `mkdir made || echo twice >made.txt
echo line >>log.txt
mkdir -p build; echo built >>build/out
if [ -z "$http_proxy" ]; then git -c user.name=a -c user.email=a@example.com commit -qm second
else git rev-parse -q --verify HEAD && echo twice >commit.txt; fi
curl -sf http://nowhere.invalid/ || exit 7
`;

test('a command that runs again behind the proxy begins with the workspace, and not with what its first run left', async (t) => {
  const [data, workspace] = [await temporary(t), await temporary(t)];
  const at = (name: string) => path.join(workspace, name);
  writeFileSync(at('net.sh'), SCRIPT);
  writeFileSync(at('.gitignore'), 'build/\n');
  writeFileSync(at('staged.txt'), 'text\n');
  for (const words of [
    ['init', '-q'],
    ['add', 'staged.txt'],
  ]) {
    execFileSync('git', words, { cwd: workspace });
  }
  const rules = [{ permission: 'net.fetch', pattern: 'nowhere.invalid', action: 'allow' }];
  const settings = { 'sandbox.autoRun': true, permissions: rules };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
  const asks: string[] = [];
  const commands = ['bash net.sh', 'f() { cat build/out >kept.txt; }; f'];
  const host = await connect(t, {
    ...{ data, workspace, env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' } },
    script: commands.flatMap((command) => [
      { calls: [{ tool: 'bash', input: { command } }] },
      { text: 'Done.' },
    ]),
    client: {
      permission({ toolCall, options }) {
        asks.push(JSON.stringify(toolCall));
        const option = options.find(({ kind }) => kind === 'allow_once');
        return { outcome: { outcome: 'selected', optionId: option?.optionId ?? '' } };
      },
    },
  });
  const session = await newSession(host);
  await prompt(host, session);
  await prompt(host, session);
  await host.stop();
  assert.equal(asks.length, 2, asks.join('\n'));
  for (const ask of asks) assert.match(ask, /"Changes of: /);
  assert.equal(readFileSync(at('log.txt'), 'utf8'), 'line\n');
  for (const name of ['made.txt', 'commit.txt']) assert.ok(!existsSync(at(name)), name);
  assert.equal(readFileSync(at('kept.txt'), 'utf8'), 'built\nbuilt\n', 'ignored files stay');
});
