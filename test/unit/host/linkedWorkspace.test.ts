import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { calls, connect, newSession, prompt, temporary } from './harness.ts';

for (const mode of ['auto', 'require'] as const) {
  test(`${mode}: commands run sandboxed in a workspace that the client knows by a link`, async (t) => {
    const [data, base] = [await temporary(t), await temporary(t)];
    const [real, workspace] = [path.join(base, 'real'), path.join(base, 'link')];
    mkdirSync(path.join(real, 'sub'), { recursive: true });
    symlinkSync('real', workspace);
    writeFileSync(path.join(real, 'sub/.env'), 'A=1');
    writeFileSync(path.join(real, 'run.sh'), 'cat sub/.env; echo ran > out.txt; pwd');
    const settings = { 'sandbox.autoRun': mode === 'auto', 'sandbox.mode': mode };
    writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
    let asks = 0;
    const host = await connect(t, {
      ...{ data, workspace, env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' } },
      script: [{ calls: [{ tool: 'bash', input: { command: 'bash run.sh' } }] }, { text: 'Done.' }],
      client: {
        permission({ options }) {
          asks += 1;
          const allowed = options.find(({ kind }) => kind === 'allow_once');
          return { outcome: { outcome: 'selected', optionId: allowed?.optionId ?? '' } };
        },
      },
    });
    await prompt(host, await newSession(host));
    const text = JSON.stringify(calls(host).at(-1));
    assert.equal(readFileSync(path.join(real, 'out.txt'), 'utf8'), 'ran\n', text);
    assert.equal(asks, 1);
    assert.equal(text.includes('A=1'), mode === 'require', text);
    assert.ok(text.includes(`${real}\\n`), text);
  });
}
