import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ContentResult } from '../../../src/acp/gatehouse/tools.ts';
import { fillTemplate } from '../../../src/base/text/uriTemplate.ts';
import type { ServerContent } from '../../../src/base/tools/serverContent.ts';
import type { Connected } from '../host/harness.ts';
import { findServer, openHost, startSession, stdio } from './servers.ts';
import { hostile, openSource } from './source.ts';

const EVERYTHING = findServer('everything');

function list({ agent }: Connected, sessionId: string) {
  return agent.request('_gatehouse/server_content', { sessionId }) as Promise<ServerContent>;
}

function read({ agent }: Connected, query: object) {
  return agent.request('_gatehouse/read_content', query as never) as Promise<ContentResult>;
}

test('resources and prompts of a real server are listed, read and filled in', async (t) => {
  const host = await openHost(t, {});
  const sessionId = await startSession(host, [stdio('every', EVERYTHING)]);
  const { resources, prompts } = await list(host, sessionId);
  const [first] = resources;
  assert.ok(first !== undefined && resources.every(({ server }) => server === 'every'));
  const { parts } = await read(host, { sessionId, server: 'every', uri: first.uri });
  assert.ok(parts.some((part) => part.type === 'text' && part.text.length > 0));
  const asked = prompts.find((each) => each.arguments.some(({ required }) => required));
  assert.ok(asked !== undefined);
  const given = Object.fromEntries(asked.arguments.map(({ name }) => [name, 'Berlin']));
  const query = { sessionId, server: 'every', prompt: asked.name, arguments: given };
  const filled = await read(host, query);
  assert.match(JSON.stringify(filled.parts), /Berlin/);
  await assert.rejects(read(host, { sessionId, server: 'every', prompt: asked.name }), /every/);
  await assert.rejects(read(host, { sessionId, server: 'absent', uri: 'a://b' }), /no MCP server/);
});

test('issue 18: templates of a real server are listed, their values and those of prompts suggested, and what they lead to is read', async (t) => {
  const host = await openHost(t, {});
  const sessionId = await startSession(host, [stdio('every', EVERYTHING)]);
  const { templates, prompts } = await list(host, sessionId);
  const template = templates.find((each) => each.template.includes('text/{resourceId}'));
  assert.ok(template?.completes);
  const complete = async (query: object) => {
    const asked = { sessionId, server: 'every', ...query };
    return Object(await host.agent.request('_gatehouse/complete_content', asked as never)).values;
  };
  const variable = { template: template.template, argument: 'resourceId' };
  assert.deepEqual(await complete({ ...variable, value: '7' }), ['7']);
  const uri = fillTemplate(template.template, new Map([['resourceId', '7']]));
  const { parts } = await read(host, { sessionId, server: 'every', uri });
  assert.match(JSON.stringify(parts), /esource 7/);
  const prompt = prompts.find(({ name }) => name === 'completable-prompt');
  assert.ok(prompt?.completes);
  const values = await complete({ prompt: prompt.name, argument: 'department', value: 'E' });
  assert.deepEqual(values, ['Engineering']);
  const given = { department: 'Engineering' };
  const names = await complete({ prompt: prompt.name, argument: 'name', value: '', given });
  assert.ok(names.includes('Alice'), 'what was given before counts');
});

test('a deny for a server by the name that it was given holds for what it offers, also where two share it', async (t) => {
  const rule = { permission: 'mcp:a_b:*', pattern: '*', action: 'deny' };
  const host = await openHost(t, { settings: { 'gatehouse.permissions': [rule] } });
  const sessionId = await startSession(host, [stdio('a.b', EVERYTHING), stdio('a_b', EVERYTHING)]);
  const { resources, prompts } = await list(host, sessionId);
  const second = resources.find(({ server }) => server === 'a_b_2');
  const asked = prompts.find(({ server }) => server === 'a_b_2');
  assert.ok(second && asked);
  await assert.rejects(read(host, { sessionId, server: 'a_b_2', uri: second.uri }), /denies/);
  await assert.rejects(read(host, { sessionId, server: 'a_b_2', prompt: asked.name }), /denies/);
  const { parts } = await read(host, { sessionId, server: 'a.b', uri: second.uri });
  assert.ok(parts.length > 0);
});

test('issue 18: a rule that denies reading a server suggests nothing, and hidden characters are no suggestion', async (t) => {
  const rule = { permission: 'mcp:every:get_prompt', pattern: '*', action: 'deny' };
  const host = await openHost(t, { settings: { 'gatehouse.permissions': [rule] } });
  const sessionId = await startSession(host, [stdio('every', EVERYTHING)]);
  const query = { sessionId, server: 'every', prompt: 'completable-prompt' };
  const asked = { ...query, argument: 'department', value: 'E' };
  await assert.rejects(host.agent.request('_gatehouse/complete_content', asked as never), /den/i);
  const { source, session } = openSource(t, [hostile('content-many')]);
  await source.content?.(session);
  const request = { server: 'srv', prompt: 'good', argument: 'a', value: '' };
  const { signal } = new AbortController();
  const found = await source.completeContent?.(session, request, signal);
  assert.deepEqual(found, { ok: true, data: ['plain'] });
});

test('a rule that denies a server, or reading its resources, holds for the user as well', async (t) => {
  for (const permission of ['mcp:every:*', 'mcp:every:read_resource']) {
    const rule = { permission, pattern: '*', action: 'deny' };
    const host = await openHost(t, { settings: { 'gatehouse.permissions': [rule] } });
    const sessionId = await startSession(host, [stdio('every', EVERYTHING)]);
    const query = { sessionId, server: 'every', uri: 'demo://resource/dynamic/text/1' };
    await assert.rejects(read(host, query), /den/i);
  }
});

test('a file that only looks like a resource is not read: the server answers for every address', async (t) => {
  const host = await openHost(t, {});
  const sessionId = await startSession(host, [stdio('every', EVERYTHING)]);
  const uri = `file://${import.meta.filename}`;
  const answered = await read(host, { sessionId, server: 'every', uri }).catch(String);
  const start = readFileSync(import.meta.filename, 'utf8').slice(0, 40);
  assert.ok(!JSON.stringify(answered).includes(JSON.stringify(start).slice(1, -1)));
});

test('servers that hang, flood or send nonsense have no resources, and the others keep theirs', async (t) => {
  const modes = ['content-hang', 'content-bad', 'content-many'];
  // A short limit for the one that hangs only: the others take their time on a busy machine.
  const servers = modes.map((name) =>
    hostile(name, { name, ...(name === 'content-hang' && { timeoutMs: 300 }) }),
  );
  const { source, session } = openSource(t, servers);
  const content = await source.content?.(session);
  assert.deepEqual([...new Set(content?.resources.map(({ server }) => server))], ['content-many']);
  assert.equal(content?.resources.length, 500);
  assert.equal(content?.resources[0]?.name, 'r␣U+202E0');
  assert.deepEqual(
    content?.templates.map(({ server, template }) => `${server} ${template}`),
    ['content-bad x://{a}', 'content-many x://{a}'],
  );
  assert.deepEqual(
    content?.prompts.map(({ name }) => name),
    ['good'],
  );
  const signal = new AbortController().signal;
  const request = (uri: string) => ({ server: 'content-many', uri });
  const huge = await source.readContent?.(session, request('x://huge'), signal);
  const [part] = huge?.ok ? huge.data : [];
  assert.ok(part?.type === 'text' && part.text.length < 200_100 && part.text.endsWith('(cut)'));
  const binary = await source.readContent?.(session, request('x://binary'), signal);
  assert.match(binary?.ok === false ? binary.error : '', /no text and no picture/);
  const hang = await source.readContent?.(
    session,
    { server: 'content-hang', uri: 'x://a' },
    signal,
  );
  assert.equal(hang?.ok, false);
});
