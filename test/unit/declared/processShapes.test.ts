import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { calls, connect, newSession, prompt, temporary, until } from '../host/harness.ts';
import { SHAPE_FILES, SHAPES, SLEEPERS, sleepersIn } from '../runtime/commands/processShapes.ts';
import { acceptAll } from './accepting.ts';

/** Shapes by a name that is an id in every dialect. */
const LINES = Object.entries(SHAPES).map(
  ([shape, line]) => [shape.replaceAll(' ', '-'), line] as const,
);

/** A workspace whose tools each leave one shape, by dialect. */
const DIALECTS: Readonly<Record<string, (workspace: string, seconds: number) => void>> = {
  agentcli(workspace) {
    const tools = LINES.map(([name, line]) => {
      program(path.join(workspace, 'tools/bin', name), line);
      return { name, command: [`./tools/bin/${name}`] };
    });
    write(workspace, 'tools.json', JSON.stringify({ tools }));
  },
  runloop(workspace) {
    const tools = LINES.map(([name, line]) => {
      const command = path.join(workspace, 'programs', name);
      program(command, line);
      const schemas = { input_schema: {}, result_schema: {} };
      return { id: name, description: name, transport: { kind: 'exec', command }, ...schemas };
    });
    write(workspace, 'tools.json', JSON.stringify({ version: 1, tools }));
    write(workspace, 'policy.caps', '[capabilities]\nexec = true\n');
  },
  compozy(workspace, seconds) {
    for (const [name] of LINES) {
      write(
        workspace,
        `tools/${name}.yaml`,
        `resource: tool\nid: ${name}\ndescription: ${name}\ntimeout: ${seconds}s\n`,
      );
    }
    const body = LINES.map(
      ([name, line]) => `  ${JSON.stringify(name)}: run(${JSON.stringify(line)}),`,
    );
    write(
      workspace,
      'entry.mjs',
      `import { spawn } from 'node:child_process';
import { once } from 'node:events';
const run = (line) => async () => {
  await once(spawn('bash', ['-c', line], { stdio: 'inherit' }), 'exit');
};
export default {\n${body.join('\n')}\n};\n`,
    );
    write(
      workspace,
      'compozy.yaml',
      'name: shop\nruntime:\n  entrypoint: ./entry.mjs\nautoload:\n  enabled: true\n  include: ["tools/*.yaml"]\n',
    );
  },
};

/** As the system lists it, at its end. */
const SLEEP = 'sleep\u00008675';

for (const [dialect, declare] of Object.entries(DIALECTS)) {
  for (const way of ['timeout', 'abort'] as const) {
    test(`${dialect}: the processes of no shape outlive ${way === 'abort' ? 'an' : 'a'} ${way}`, async (t) => {
      const { host, session } = await open(t, declare, way === 'timeout' ? 1 : 3600);
      const turn = prompt(host, session);
      if (way === 'abort') {
        const started = () => sleepersIn(host.workspace, SLEEP).length >= SLEEPERS;
        await until(started, 'all of them run');
        await host.agent.notify('session/cancel', { sessionId: session });
      }
      await turn;
      if (way === 'timeout') assert.equal(timedOut(host).length, LINES.length);
      // An abort ends the turn at once, and what it called shortly after.
      await until(() => sleepersIn(host.workspace).length === 0, 'none of them runs');
    });
  }
}

/** Allows every call, with a time limit of so many seconds for the tools. */
async function open(
  t: TestContext,
  declare: (workspace: string, seconds: number) => void,
  seconds: number,
) {
  const workspace = path.join(await temporary(t), 'shop');
  mkdirSync(workspace);
  // When the test fails, they would hold its pipes open.
  t.after(() => sleepersIn(workspace).forEach((pid) => void process.kill(Number(pid), 'SIGKILL')));
  const data = await temporary(t);
  // All tools are offered from the start.
  const settings = { 'gatehouse.tools.timeout': seconds, 'gatehouse.toolSearch.enabled': false };
  write(data, 'settings.json', JSON.stringify(settings));
  for (const [name, text] of Object.entries(SHAPE_FILES)) write(workspace, name, text);
  declare(workspace, seconds);
  const text = await acceptAll(workspace, data);
  const ids = [...text.matchAll(/^ {2}(\S+): /gm)].map(([, id = '']) => id);
  assert.equal(ids.length, LINES.length, text);
  const host = await connect(t, {
    workspace,
    data,
    client: {
      permission: () => ({ outcome: { outcome: 'selected', optionId: 'allow' } }),
    },
    script: [{ calls: ids.map((tool) => ({ tool, input: {} })) }, { text: 'Done.' }],
  });
  return { host, session: await newSession(host) };
}

/** By the tool's own limit, or by the host's, which comes first where programs start slowly. */
function timedOut(host: Parameters<typeof calls>[0]): readonly unknown[] {
  return calls(host).filter(
    ({ status, content }) =>
      status === 'failed' && /timed out|did not finish within/.test(JSON.stringify(content)),
  );
}

function program(file: string, line: string): void {
  write(path.dirname(file), path.basename(file), `#!/bin/bash\n${line}\n`);
}

function write(folder: string, name: string, text: string): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o755 });
}
