import assert from 'node:assert/strict';
import { linkSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { calls, connect, newSession, prompt, temporary } from './harness.ts';

const ALLOW = { permission: 'fs.write', pattern: '**', action: 'allow' };

for (const [by, rules] of Object.entries({ rules: [ALLOW], 'the user': [] })) {
  test(`where one file can't be written, what ${by} let be written before is named and can be reverted`, async (t) => {
    const { at, host, sessionId, text } = await run(t, rules);
    const names = ['a.txt', 'b.txt', 'h.txt', 'z.txt'];
    const read = () => names.map((name) => readFileSync(at(name), 'utf8'));
    assert.deepEqual(read(), ['new\n', 'new\n', 'old', 'old']);
    assert.match(text, /2 files that it changed were written to the workspace\./);
    assert.doesNotMatch(text, /No file that it changed/);
    const written = `These files were already written: ${at('a.txt')}, ${at('b.txt')}.`;
    assert.ok(text.includes(written), text);
    assert.ok(text.includes(`Not written: ${at('h.txt')}, ${at('z.txt')}, ${at('bin')}.`), text);
    const revert = { sessionId, toolCallId: 'c1' };
    await host.agent.request('_gatehouse/revert', revert);
    assert.deepEqual(read(), ['old', 'old', 'old', 'old']);
  });
}

/** Writes four texts and a new binary file in a copy. The third text has another name outside of the workspace. */
async function run(t: TestContext, permissions: readonly object[]) {
  const [data, workspace, outside] = [await temporary(t), await temporary(t), await temporary(t)];
  const at = (name: string) => path.join(workspace, name);
  for (const name of ['a', 'b', 'h', 'z']) writeFileSync(at(`${name}.txt`), 'old');
  linkSync(at('h.txt'), path.join(outside, 'other'));
  writeFileSync(
    path.join(data, 'settings.json'),
    JSON.stringify({ 'sandbox.autoRun': true, permissions }),
  );
  const command = "f() { for x in a b h z; do echo new >$x.txt; done; printf '\\0' >bin; }; f";
  const host = await connect(t, {
    ...{ data, workspace, env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' } },
    script: [{ calls: [{ tool: 'bash', id: 'c1', input: { command } }] }, { text: 'Done.' }],
    client: {
      permission: ({ options }) => {
        const option = options.find(({ kind }) => kind === 'allow_once');
        return { outcome: { outcome: 'selected', optionId: option?.optionId ?? '' } };
      },
    },
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  return { at, host, sessionId, text: JSON.stringify(calls(host).at(-1)) };
}
