import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { describeGit } from '../../../../../src/host/session/prompt/gitState.ts';
import { openRecorder } from '../../../../../src/recorder/recorder.ts';
import { createReadGit } from '../../../../../src/runtime/commands/readGit.ts';
import type { ModelRequest } from '../../../../tour/server.ts';
import { connect, newSession, prompt, temporary } from '../../harness.ts';

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const toSkill = (name: string, body: string) =>
  `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}\n`;

/** A model that makes one call a turn, and tells what it got. */
function callingOnce(call: (turn: number) => { tool: string; input: unknown }) {
  const requests: ModelRequest[] = [];
  const results: unknown[] = [];
  let turn = 0;
  const script = (request: ModelRequest) => {
    // The request for a summary has no tools.
    if (request.conversation.tools.length === 0) return { text: 'A summary.' };
    requests.push(request);
    const [result] = request.conversation.results;
    if (result === undefined) return { calls: [call(turn)] };
    results.push(result.ok ? result.data : result.errorText);
    turn += 1;
    return { text: 'Ok.' };
  };
  return { requests, results, script };
}

function systemText(request: ModelRequest | undefined): string {
  const [first] = Array.isArray(request?.body['messages']) ? request.body['messages'] : [];
  return String(Object(first).content);
}

test('VC-55, VC-56, VC-58: an unknown skill names those available; the first load and the index stay for the session', async (t) => {
  const workspace = await temporary(t);
  const file = path.join(workspace, '.agents/skills/release/SKILL.md');
  const late = path.join(workspace, '.claude/skills/late.md');
  write(file, toSkill('release', 'Tag it.'));
  const names = ['none', 'release', 'release', 'late'];
  const { requests, results, script } = callingOnce((turn) => {
    if (turn === 2) write(file, toSkill('release', 'Changed.'));
    if (turn === 2) write(late, toSkill('late', 'Too late.'));
    return { tool: 'skill', input: { name: names[turn] } };
  });
  const host = await connect(t, { script, workspace });
  const sessionId = await newSession(host);
  for (const name of names) await prompt(host, sessionId, name);
  assert.equal(results[0], 'No skill named "none". Available: release.');
  assert.match(JSON.stringify(results[1]), /<skill_content name=.*Tag it\./);
  assert.deepEqual(results[2], results[1]);
  assert.equal(results[3], 'No skill named "late". Available: release.');
  const prompts = new Set(requests.map(systemText));
  assert.equal(prompts.size, 1, 'the prompt is the same in each request');
  assert.match([...prompts].join(), /\n- release: About release\.\n/);
});

test('CS-41: the longest skill arrives whole, with the end of its marker, whatever it is made of', async (t) => {
  const workspace = await temporary(t);
  const body = '"'.repeat(127_000);
  write(path.join(workspace, '.agents/skills/long/SKILL.md'), toSkill('long', body));
  const { results, script } = callingOnce(() => ({ tool: 'skill', input: { name: 'long' } }));
  const host = await connect(t, { script, workspace });
  await prompt(host, await newSession(host), 'Load.');
  const content = String(Object(results[0]).content);
  assert.ok(content.endsWith(`${body}\n</skill_content>`));
});

test('CS-42: the first load of a skill counts after a restart of the host, too', async (t) => {
  const workspace = await temporary(t);
  const file = path.join(workspace, '.agents/skills/release/SKILL.md');
  write(file, toSkill('release', 'Tag it.'));
  const call = () => ({ tool: 'skill', input: { name: 'release' } });
  const first = callingOnce(call);
  const host = await connect(t, { script: first.script, workspace });
  const sessionId = await newSession(host);
  await prompt(host, sessionId, 'Load.');
  await host.stop();
  write(file, toSkill('release', 'Changed.'));
  const second = callingOnce(call);
  const next = await connect(t, { script: second.script, workspace, data: host.data });
  await next.agent.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
  await prompt(next, sessionId, 'Load again.');
  assert.deepEqual(second.results, first.results);
  await prompt(next, await newSession(next), 'Load in a new session.');
  assert.match(JSON.stringify(second.results[1]), /Changed\./);
});

test('CS-37: after a restart a session is told of the skills that it began with; a new one of all', async (t) => {
  const workspace = await temporary(t);
  const skill = (name: string) => path.join(workspace, `.agents/skills/${name}/SKILL.md`);
  write(skill('first'), toSkill('first', 'One.'));
  write(skill('gone'), toSkill('gone', 'Two.'));
  const call = () => ({ tool: 'skill', input: { name: 'late' } });
  const before = callingOnce(call);
  const host = await connect(t, { script: before.script, workspace });
  const sessionId = await newSession(host);
  await prompt(host, sessionId, 'Load.');
  await host.stop();
  write(skill('late'), toSkill('late', 'Three.'));
  rmSync(path.dirname(skill('gone')), { recursive: true });
  const { requests, results, script } = callingOnce(call);
  const next = await connect(t, { script, workspace, data: host.data });
  await next.agent.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
  await prompt(next, sessionId, 'Load again.');
  assert.equal(results[0], 'No skill named "late". Available: first.');
  assert.doesNotMatch(systemText(requests[0]), /- late:/);
  await prompt(next, await newSession(next), 'Load in a new session.');
  assert.match(JSON.stringify(results[1]), /Three\./);
  assert.match(systemText(requests.at(-1)), /\n- first: .*\n- late: /);
});

test('a history that could not be written once fails no later prompt of the session', async (t) => {
  const { script } = callingOnce(() => ({ tool: 'todo', input: { items: [] } }));
  const host = await connect(t, { script });
  const sessionId = await newSession(host);
  const other = openRecorder(path.join(host.data, 'state', 'gatehouse.db'));
  t.after(() => other.close());
  other.store.database.run(`CREATE TRIGGER full BEFORE UPDATE OF metadata_json ON chat_sessions
    WHEN json_extract(new.metadata_json, '$.skills') IS NOT NULL BEGIN SELECT RAISE(ABORT, 'full'); END`);
  await prompt(host, sessionId, 'First.').catch(() => undefined);
  other.store.database.run('DROP TRIGGER full');
  assert.equal((await prompt(host, sessionId, 'Second.')).stopReason, 'end_turn');
});

test('CS-43, CS-46: a compaction replaces the body of a skill, and never the instructions', async (t) => {
  const workspace = await temporary(t);
  write(path.join(workspace, 'AGENTS.md'), 'Use tabs.');
  write(
    path.join(workspace, '.agents/skills/release.md'),
    toSkill('release', 'The body. '.repeat(500)),
  );
  const { requests, script } = callingOnce((turn) =>
    turn === 0
      ? { tool: 'skill', input: { name: 'release' } }
      : { tool: 'todo', input: { items: [] } },
  );
  const host = await connect(t, { script, workspace });
  const sessionId = await newSession(host);
  await prompt(host, sessionId, 'Load.');
  await prompt(host, sessionId, 'Next.');
  const before = requests.at(-1);
  assert.match(JSON.stringify(before?.body), /The body\./, 'it stays in the conversation');
  await prompt(host, sessionId, '/compact');
  await prompt(host, sessionId, 'After.');
  const after = requests.at(-1);
  assert.doesNotMatch(JSON.stringify(after?.body), /The body\./);
  assert.equal(systemText(after), systemText(before));
});

test('CS-39, CS-45: a second skill of a name and cut instructions are warnings, once for a session', async (t) => {
  const workspace = await temporary(t);
  write(path.join(workspace, 'AGENTS.md'), 'x'.repeat(40_000));
  write(path.join(workspace, '.agents/skills/a.md'), toSkill('a', 'One.'));
  write(path.join(workspace, '.claude/skills/a.md'), toSkill('a', 'Two.'));
  const host = await connect(t, { workspace });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  await prompt(host, sessionId);
  const count = (pattern: RegExp) => host.warnings.filter((each) => pattern.test(each)).length;
  assert.equal(count(/\.claude\/skills\/a\.md: .* has the same name, "a"/), 1);
  assert.equal(count(/AGENTS\.md: .*limited to 8,000 tokens/), 1);
});

test('C-26: the prompt has one line for each skill and the instructions, never a body', async (t) => {
  const workspace = await temporary(t);
  write(path.join(workspace, 'AGENTS.md'), 'Use tabs.');
  write(path.join(workspace, '.agents/skills/release.md'), toSkill('release', 'The body.'));
  const { requests, script } = callingOnce(() => ({ tool: 'todo', input: { items: [] } }));
  const host = await connect(t, { script, workspace });
  await prompt(host, await newSession(host));
  const system = systemText(requests[0]);
  assert.match(system, /<instructions file="AGENTS\.md">\nUse tabs\.\n<\/instructions>/);
  assert.equal(system.includes('The body.'), false);
});

test('the first request body has at most 15 KB without instruction files, and names no tool twice', async (t) => {
  const { requests, script } = callingOnce(() => ({ tool: 'todo', input: { items: [] } }));
  const host = await connect(t, { script });
  await prompt(host, await newSession(host));
  const body = JSON.stringify(requests[0]?.body);
  t.diagnostic(`first request: ${body.length} bytes`);
  assert.ok(body.length <= 15 * 1024, `${body.length} bytes`);
  assert.equal(systemText(requests[0]).includes('- bash:'), false);
  assert.match(systemText(requests[0]), /^# Tools$/m);
});

test('Show What the Agent Was Told: the document has the sections, what was left out, and the stored digest', async (t) => {
  const workspace = await temporary(t);
  write(path.join(workspace, 'AGENTS.md'), 'Use tabs.');
  write(path.join(workspace, '.agents/skills/bad.md'), 'No front matter.');
  const host = await connect(t, { workspace });
  const sessionId = await newSession(host);
  const read = async () => {
    const reply = await host.agent.request<{ text: string }>('_gatehouse/prompt_document', {
      sessionId,
    });
    return reply.text;
  };
  assert.match(await read(), /Nothing was sent yet/);
  await prompt(host, sessionId);
  const text = await read();
  assert.match(text, /was sent with the last turn/);
  assert.match(text, /## Left Out\n\n- \S+bad\.md: It must begin with front matter/);
  assert.match(text, /## Section: Instructions\n[\s\S]*Use tabs\.[\s\S]*## Section: Environment/);
  const [, digest] = /SHA-256, stored with each answer: ([0-9a-f]{64})/.exec(text) ?? [];
  await host.stop();
  const recorder = openRecorder(path.join(host.data, 'state/gatehouse.db'));
  const [, answer] = recorder.messages(sessionId);
  recorder.close();
  assert.equal(answer?.metadata.system_prompt_digest, digest);
});

test('the environment tells the state of the repository, and no hook, fsmonitor or filter runs', async (t) => {
  const cwd = await temporary(t);
  const git = (...args: string[]) => execFileSync('git', args, { cwd, stdio: 'pipe' });
  const read = createReadGit([], process.env);
  assert.equal(await describeGit(cwd, read), undefined);
  git('init', '-q', '-b', 'main');
  assert.equal(await describeGit(cwd, read), 'branch main, no commits yet');
  for (const name of ['a', 'b', 'c']) write(path.join(cwd, name), name);
  git('add', '.');
  git('-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-qm', 'one');
  assert.equal(await describeGit(cwd, read), 'branch main, no tracked file changed');
  const evil = `sh -c 'touch ${path.join(cwd, 'ran')}; cat'`;
  git('config', 'core.fsmonitor', evil);
  git('config', 'filter.evil.clean', evil);
  write(path.join(cwd, '.git/hooks/post-index-change'), `#!/bin/sh\n${evil}\n`);
  execFileSync('chmod', ['+x', path.join(cwd, '.git/hooks/post-index-change')]);
  write(path.join(cwd, '.gitattributes'), '* filter=evil\n');
  git('-c', 'core.fsmonitor=false', 'config', 'filter.evil.process', evil);
  write(path.join(cwd, 'a'), 'changed');
  write(path.join(cwd, 'b'), 'changed');
  assert.equal(await describeGit(cwd, read), 'branch main, 2 tracked files changed');
  assert.throws(() => execFileSync('test', ['-e', path.join(cwd, 'ran')]));
  git('-c', 'core.fsmonitor=false', 'checkout', '-q', '--detach');
  assert.match((await describeGit(cwd, read)) ?? '', /^detached at [0-9a-f]{7,}, 2 tracked/);
});

test('VC-78: an agent whose caller is an agent is told so in one line, and nothing else differs', async (t) => {
  const texts: string[] = [];
  for (const front of ['', 'caller: agent']) {
    const workspace = await temporary(t);
    const { requests, script } = callingOnce(() => ({ tool: 'glob', input: { pattern: '*' } }));
    const host = await connect(t, { script, workspace, env: { GATEHOUSE_AGENT: 'told' } });
    const file = path.join(host.data, 'agents/told.md');
    write(file, `---\ndescription: D.\n${front}\n---\nYou work.\n`);
    await prompt(host, await newSession(host));
    texts.push(systemText(requests[0]).replaceAll(workspace, 'W'));
  }
  const [plain = '', told = ''] = texts;
  const line = '\n\nYour caller is another agent; return structured output.';
  assert.ok(told.includes(line));
  assert.equal(told.replace(line, ''), plain);
});

test('the rules of the user and the shipped ones hold for what a session is told', async (t) => {
  const [data, workspace] = [await temporary(t), await temporary(t)];
  const deny = (pattern: string) => ({ permission: 'read', pattern, action: 'deny' });
  const permissions = [deny('**/CLAUDE.md'), deny('**/private.md')];
  write(path.join(data, 'settings.json'), JSON.stringify({ permissions }));
  write(path.join(workspace, '.env'), 'KEY=heron-env');
  write(path.join(workspace, '.git/config'), 'heron-git');
  symlinkSync('.env', path.join(workspace, 'AGENTS.md'));
  write(path.join(workspace, 'CLAUDE.md'), 'heron-denied');
  write(path.join(workspace, '.agents/skills/private.md'), toSkill('private', 'heron-skill'));
  write(path.join(workspace, '.env.d/CONTEXT.md'), 'Use tabs.');
  symlinkSync('.env.d/CONTEXT.md', path.join(workspace, 'CONTEXT.md'));
  const call = () => ({ tool: 'skill', input: { name: 'private' } });
  const { requests, results, script } = callingOnce(call);
  const host = await connect(t, { data, script, workspace });
  await prompt(host, await newSession(host));
  assert.doesNotMatch(JSON.stringify(requests.map(({ body }) => body)), /heron/);
  assert.match(systemText(requests[0]), /Use tabs\./);
  assert.match(String(results[0]), /^No skill named "private"/);
  const warned = (pattern: RegExp) => host.warnings.some((each) => pattern.test(each));
  assert.ok(warned(/AGENTS\.md: It is a link to \S+\.env, which is not named AGENTS\.md/));
  assert.ok(warned(/CLAUDE\.md: Your rules don't allow reading/));
  assert.ok(warned(/private\.md: Your rules don't allow reading/));
});
