import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { connect, newSession, prompt, requests } from './harness.ts';

const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;

const write = (file: string) => ({ tool: 'write', input: { path: file, content: 'x' } });
const start = (agent: string, text: string) => ({
  tool: 'task',
  input: { subagent_type: agent, prompt: text },
});

test('CS-30: what a child may not, its own child may not either; its parent and its siblings may', async (t) => {
  const told: Record<string, string> = {};
  const host = await connect(t, {
    client: { permission: () => ALLOW },
    script: ({ conversation: { prompt: asked, results } }) => {
      const last = results.at(-1);
      if (last !== undefined) told[asked] = last.ok ? 'ok' : last.errorText;
      const turns: Readonly<Record<string, readonly object[]>> = {
        top: [start('narrow', 'narrow'), start('wide', 'sibling'), write('src/top')],
        narrow: [start('wide', 'grandchild')],
        grandchild: [write('src/grandchild')],
        sibling: [write('src/sibling')],
      };
      const next = turns[asked]?.[results.length];
      return next === undefined ? { text: 'Done.' } : { calls: [next as never] };
    },
  });
  const agents = path.join(host.data, 'agents');
  mkdirSync(agents, { recursive: true });
  const agent = (name: string, writes: string) =>
    writeFileSync(
      path.join(agents, `${name}.md`),
      `---\ndescription: D.\nmode: subagent\nrequires: {fs: {read: ["{workspace}/**"], write: ["${writes}"]}, capabilities: [task.spawn]}\n---\nP.\n`,
    );
  agent('narrow', '{workspace}/docs/**');
  agent('wide', '{workspace}/**');
  await prompt(host, await newSession(host), 'top');
  assert.match(told['grandchild'] ?? '', /capabilities/);
  assert.deepEqual([told['sibling'], told['top']], ['ok', 'ok']);
  const made = ['top', 'sibling', 'grandchild'].map((name) =>
    existsSync(path.join(host.workspace, 'src', name)),
  );
  assert.deepEqual(made, [true, true, false]);
  // The refused call was never asked about.
  assert.equal(requests(host, 'session/request_permission').length, 2);
});
