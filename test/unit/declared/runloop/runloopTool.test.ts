import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, test } from 'node:test';
import { chainSecrets, environmentSecrets } from '../../../../src/declared/run/secrets.ts';
import { toDigest } from '../../../../src/declared/runloop/parseBundle.ts';
import { fillUrl } from '../../../../src/declared/runloop/runHttp.ts';
import type { Runtime } from '../../../../src/runtime/runtime.ts';
import { bench, place, ROOT } from '../running.ts';

after(() => rmSync(ROOT, { recursive: true, force: true, maxRetries: 5 }));

const SECRET = 'planted-secret-value';
const secrets = {
  get: async (id: string) => (id === 'runloop/mail/smtp_api_key' ? SECRET : undefined),
};

interface Entry {
  readonly transport: object;
  readonly [field: string]: unknown;
}

/** A signed bundle with one tool. */
function bundle(entry: Entry, caps: string, more: Readonly<Record<string, string>> = {}) {
  const tools = [{ id: 'm.s', description: 'd', input_schema: {}, result_schema: {}, ...entry }];
  const text = JSON.stringify({ version: 1, tools });
  return {
    'tools.json': text,
    'manifest.toml': `name = "mailer"\n[artifacts.tools]\npath = "tools.json"\nblake3 = "${toDigest(Buffer.from(text))}"\n`,
    'policy.caps': `[capabilities]\n${caps}\n`,
    ...more,
  };
}

/** A program outside the bundle, at an absolute path. */
function program(script: string): { transport: object; folder: string } {
  const folder = place({ x: `#!/bin/sh\n${script}\n` });
  return { transport: { kind: 'exec', command: path.join(folder, 'x'), args: ['-v'] }, folder };
}

const EXEC = 'exec = true\nsecrets = ["runloop/mail/smtp_api_key"]';

test('VD-27 argv is the command, the blob and the arguments; the blob is private and gone afterwards', async () => {
  const { transport } = program(
    `printf '["%s","%s",%s,"%s"]' "$1" "$2" "$(cat "$1")" "$(stat -c %a "$1")"`,
  );
  const { run } = await bench(bundle({ transport }, EXEC));
  const outcome = await run('mailer_m_s', { to: 'a' });
  assert.ok(
    typeof outcome === 'object' && outcome !== null && 'data' in outcome,
    JSON.stringify(outcome),
  );
  const [blob, flag, input, mode] = outcome.data as unknown[];
  assert.deepEqual([flag, input, mode], ['-v', { to: 'a' }, '600']);
  assert.equal(existsSync(String(blob)), false);
  assert.equal(existsSync(path.dirname(String(blob))), false);
});

test('DA-2 standard input is closed', async () => {
  const { transport } = program('cat | wc -c');
  assert.deepEqual(await (await bench(bundle({ transport }, EXEC))).run('mailer_m_s', { a: 1 }), {
    data: 0,
  });
});

test('VD-23, MA-094 a secret is a variable, and nowhere else', async () => {
  const { transport } = program(
    'echo "{\\"echoed\\":\\"$RUNLOOP_MAIL_SMTP_API_KEY\\"}"; tr "\\0" " " < /proc/$$/cmdline >&2',
  );
  const entry = { transport, secrets: ['runloop/mail/smtp_api_key'] };
  const { run, rows } = await bench(bundle(entry, EXEC), { secrets });
  const outcome = await run('mailer_m_s');
  assert.deepEqual(outcome, { data: { echoed: '***REDACTED***' } });
  assert.doesNotMatch(JSON.stringify(rows), new RegExp(SECRET));
  assert.deepEqual(
    rows.flatMap((row) => (row.event === 'tool' ? row.envKeys : [])),
    ['RUNLOOP_MAIL_SMTP_API_KEY'],
  );
});

test('an exec program gets PATH, HOME and its secrets only', async () => {
  const { transport } = program(
    'echo "{\\"names\\":\\"$(env | cut -d= -f1 | grep -vxE "PWD|OLDPWD|SHLVL|_" | sort | tr "\\n" " ")\\"}"',
  );
  const entry = { transport, secrets: ['runloop/mail/smtp_api_key'] };
  const env = { ...process.env, AWS_SECRET_ACCESS_KEY: 'planted', FOO: 'planted' };
  const { run } = await bench(bundle(entry, EXEC), { secrets, env });
  assert.deepEqual(await run('mailer_m_s'), {
    data: { names: 'HOME PATH RUNLOOP_MAIL_SMTP_API_KEY ' },
  });
});

test('a secret in an error is redacted', async () => {
  const { transport } = program('echo "bad key $RUNLOOP_MAIL_SMTP_API_KEY" >&2; exit 4');
  const { run, rows } = await bench(
    bundle({ transport, secrets: ['runloop/mail/smtp_api_key'] }, EXEC),
    {
      secrets,
    },
  );
  assert.deepEqual(await run('mailer_m_s'), { error: 'exit status 4: bad key ***REDACTED***' });
  assert.doesNotMatch(JSON.stringify(rows), new RegExp(SECRET));
});

test('VD-22 a secret outside the caps hides the tool; one that cannot be resolved stops the call, with an event', async () => {
  const { transport, folder } = program('touch "$0.ran"; echo {}');
  const entry = { transport, secrets: ['runloop/mail/smtp_api_key'] };
  const hidden = await bench(bundle(entry, 'exec = true\nsecrets = ["other"]'), { secrets });
  assert.match(hidden.loaded.notOffered[0]?.why ?? '', /reason=secret_not_permitted/);
  const { run, rows } = await bench(bundle(entry, EXEC));
  assert.deepEqual(await run('mailer_m_s'), {
    error:
      'capability denied: cap=secrets, op=resolve, detail=runloop/mail/smtp_api_key, reason=secret_unknown',
  });
  assert.equal(existsSync(path.join(folder, 'x.ran')), false);
  const [row] = rows;
  assert.ok(row?.event === 'cap.audit');
  const { kind, decision, reason, args_hash } = row;
  assert.deepEqual(
    [kind, decision, reason, args_hash.length],
    ['cap_denied', 'deny', 'secret_unknown', 64],
  );
});

test('VD-20 an override narrows and never widens', async () => {
  const transport = { kind: 'http', method: 'POST', url: 'https://api.mail.example/send' };
  const offered = async (caps: string, override: string) =>
    (await bench(bundle({ transport }, caps), { override: () => override })).loaded.tools.length ===
    1;
  const host = 'net = ["api.mail.example"]';
  assert.equal(await offered(host, '[capabilities]\n'), true);
  assert.equal(await offered('net = ["other.example"]', `[capabilities]\n${host}\n`), false);
});

test('VD-17, VD-20 a tool without its grant is hidden, with an event', async () => {
  const transport = { kind: 'http', method: 'POST', url: 'https://api.mail.example/send' };
  const files = bundle({ transport }, 'net = ["api.mail.example"]');
  const { loaded, rows } = await bench(files, { override: () => '[capabilities]\nnet = []\n' });
  assert.deepEqual(loaded.tools, []);
  assert.match(loaded.notOffered[0]?.why ?? '', /reason=no_hosts/);
  assert.deepEqual(
    rows.map((row) => row.event === 'cap.audit' && [row.op, row.decision, row.reason]),
    [['expose', 'deny', 'no_hosts']],
  );
});

test('VD-25, VD-26 the input is checked, and the result', async () => {
  const { transport } = program('cat "$1"');
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const { run } = await bench(
    bundle(
      { transport, input_schema: schema, result_schema: { properties: { n: { maximum: 5 } } } },
      EXEC,
    ),
  );
  assert.deepEqual(await run('mailer_m_s', { n: 'x' }), { refused: '/n must be integer' });
  assert.deepEqual(await run('mailer_m_s', { n: 9 }), {
    error: 'the result does not match result_schema: /n must be <= 5',
  });
  assert.deepEqual(await run('mailer_m_s', { n: 3 }), { data: { n: 3 } });
});

test('schemas are resolved through schema_refs and the registry only', async () => {
  const { transport } = program('echo 1');
  const entry = {
    transport,
    input_schema: { $ref: 'schema:in.v1' },
    result_schema: { $ref: 'schema:out.v1' },
    schema_refs: { 'in.v1': 'schema:shared.v1', 'out.v1': { type: 'integer' } },
  };
  const shared = JSON.stringify({ type: 'object', required: ['k'] });
  const { run } = await bench(bundle(entry, EXEC, { 'schemas/shared.v1.json': shared }));
  assert.deepEqual(await run('mailer_m_s', {}), { refused: "must have required property 'k'" });
  assert.deepEqual(await run('mailer_m_s', { k: 1 }), { data: 1 });
  const { loaded } = await bench(bundle(entry, EXEC));
  assert.match(loaded.notOffered[0]?.why ?? '', /unresolved \$ref "schema:in\.v1"/);
});

test('DA-16 a result over its budget is an error', async () => {
  const { transport } = program(`echo '"${'x'.repeat(100)}"'`);
  const { run } = await bench(bundle({ transport, budget: { tokens: 10 } }, EXEC));
  assert.deepEqual(await run('mailer_m_s'), {
    error: 'budget exceeded: the result takes about 26 tokens of 10',
  });
});

test('D-19 a result that costs the model more than budget.usd is an error', async () => {
  const { transport } = program(`echo '"${'x'.repeat(4_000)}"'`);
  const { run } = await bench(bundle({ transport, budget: { usd: 0.002 } }, EXEC));
  const at = (perMillion: number | undefined) =>
    run('mailer_m_s', {}, { session: { inputPrice: { perMillion } } as Runtime['session'] });
  assert.deepEqual(await at(3), {
    error: 'budget exceeded: the model takes about $0.0030 to read the result, of $0.002',
  });
  for (const price of [1, 0]) assert.ok('data' in Object(await at(price)), `${price}`);
  assert.ok('data' in Object(await run('mailer_m_s')), 'no model reads it');
});

test('D-19 a tool with budget.usd does not run where the price is unknown', async () => {
  const { transport, folder } = program('touch "$(dirname "$0")/ran"; echo 1');
  const { run } = await bench(bundle({ transport, budget: { usd: 1 } }, EXEC));
  const session = { inputPrice: { perMillion: undefined } } as Runtime['session'];
  assert.match(
    JSON.stringify(await run('mailer_m_s', {}, { session })),
    /price of the session's model is unknown, so the tool was not run/,
  );
  assert.equal(existsSync(path.join(folder, 'ran')), false);
});

test('output that is not a single JSON value is an error', async () => {
  const { transport } = program('echo one; echo two');
  assert.match(
    JSON.stringify(await (await bench(bundle({ transport }, EXEC))).run('mailer_m_s')),
    /not a single JSON value/,
  );
});

test('D-26 a call and its result are frames with the tags of the tool', async () => {
  const { transport } = program('echo 1');
  const { run, rows } = await bench(bundle({ transport, observability: { tags: ['mail'] } }, EXEC));
  await run('mailer_m_s', { a: 1 });
  const frames = rows.flatMap((row) => (row.event.startsWith('CT_') ? [row] : []));
  assert.deepEqual(
    frames.map((row) => 'frame' in row && [row.event, row.frame, row.tags, row.body['v']]),
    [
      ['CT_TOOL_CALL', 3, ['mail'], 1],
      ['CT_TOOL_RESULT', 4, ['mail'], 1],
    ],
  );
});

test('VD-12, MA-100 a bundle with one changed byte offers nothing', async () => {
  const { transport } = program('echo 1');
  const files = bundle({ transport }, EXEC);
  const { loaded } = await bench({ ...files, 'tools.json': `${files['tools.json']} ` });
  assert.deepEqual(loaded.tools, []);
  assert.match(loaded.notOffered[0]?.why ?? '', /tools\.json digest mismatch/);
});

test('VD-24, MA-095 a confirmation is asked of every call, or needs a user at least', async () => {
  const { transport } = program('echo 1');
  const files = bundle({ transport, requires_confirmation: true }, EXEC);
  assert.equal((await bench(files)).tool('mailer_m_s').confirmation, 'ask');
  assert.equal(
    (await bench(files, { confirmExternalActions: false })).tool('mailer_m_s').confirmation,
    'user',
  );
});

async function served(
  answer: (request: IncomingMessage, body: string) => [number, Record<string, string>, string],
) {
  const seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] =
    [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      seen.push({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body,
      });
      const [status, headers, text] = answer(request, body);
      response.writeHead(status, headers).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    port,
    caps: `secrets = true\n[capabilities.net]\nhosts = ["127.0.0.1:${port}"]\nallow_http = true`,
  };
}

test('the input is the body, secrets fill their headers', async () => {
  const { seen, port, caps } = await served(() => [200, {}, '{"sent":true}']);
  const transport = {
    kind: 'http',
    method: 'POST',
    url: `http://127.0.0.1:${port}/send`,
    headers: { Authorization: 'Bearer {{secret:runloop/mail/smtp_api_key}}' },
  };
  const files = bundle({ transport, secrets: ['runloop/mail/smtp_api_key'] }, caps);
  const { run, rows } = await bench(files, { secrets });
  assert.deepEqual(await run('mailer_m_s', { to: 'a' }), { data: { sent: true } });
  const [{ method, url, headers, body } = { method: '', url: '', headers: {}, body: '' }] = seen;
  assert.deepEqual(
    [method, url, headers.authorization, body],
    ['POST', '/send', `Bearer ${SECRET}`, '{"to":"a"}'],
  );
  assert.doesNotMatch(JSON.stringify(rows), new RegExp(SECRET));
});

test('VD-28 a value in a URL is encoded and cannot climb', async () => {
  const { seen, port, caps } = await served(() => [200, {}, '{}']);
  const transport = {
    kind: 'http',
    method: 'GET',
    url: `http://127.0.0.1:${port}/items/{id}?q={q}`,
  };
  const { run } = await bench(bundle({ transport }, caps));
  assert.deepEqual(await run('mailer_m_s', { id: '../../x?y=1', q: 'a&b' }), { data: {} });
  assert.deepEqual(
    seen.map(({ url, body }) => [url, body]),
    [['/items/..%2F..%2Fx%3Fy%3D1?q=a%26b', '']],
  );
  assert.match(JSON.stringify(await run('mailer_m_s', { id: '..', q: 1 })), /must not be/);
  assert.match(JSON.stringify(await run('mailer_m_s', { q: 1 })), /the URL needs id/);
  assert.equal(seen.length, 1);
});

test('VD-29, MA-099 a redirect is not followed', async () => {
  const evil = await served(() => [200, {}, '{}']);
  const { port, caps } = await served(() => [
    302,
    { location: `http://127.0.0.1:${evil.port}/` },
    '',
  ]);
  const transport = { kind: 'http', method: 'POST', url: `http://127.0.0.1:${port}/` };
  const { run } = await bench(bundle({ transport }, caps));
  assert.deepEqual(await run('mailer_m_s'), { error: 'HTTP 302: redirects are not followed' });
  assert.deepEqual(evil.seen, []);
});

test('MA-098 a secret that would make a header of its own is not sent', async () => {
  const { seen, port, caps } = await served(() => [200, {}, '{}']);
  const transport = {
    kind: 'http',
    method: 'POST',
    url: `http://127.0.0.1:${port}/`,
    headers: { A: '{{secret:k}}' },
  };
  const { run } = await bench(bundle({ transport, secrets: ['k'] }, caps), {
    secrets: { get: async () => 'a\r\nX: y' },
  });
  assert.match(JSON.stringify(await run('mailer_m_s')), /secret k cannot be sent in a header/);
  assert.deepEqual(seen, []);
});

test('D-41 the environment has secrets under two names, and never the product’s own', async () => {
  const source = environmentSecrets({ RUNLOOP_MAIL_KEY: 'v', GATEHOUSE_MODEL_API_KEY: 'no' });
  const ids = ['runloop/mail/key', 'gatehouse/model/api_key', 'absent'];
  assert.deepEqual(await Promise.all(ids.map((id) => source.get(id))), ['v', undefined, undefined]);
  const chained = chainSecrets({ get: async () => '' }, source);
  assert.equal(await chained.get('runloop/mail/key'), 'v');
});

test('the host of a filled URL is the host that was evaluated', async () => {
  assert.deepEqual(fillUrl('https://a.example/{x}', { x: '@b.example/' }), {
    ok: true,
    data: 'https://a.example/%40b.example%2F',
  });
  assert.equal(fillUrl('https://a.example/{x}', { x: { y: 1 } }).ok, false);
});

test('a failing tool leaves no blob', async () => {
  const { transport, folder } = program('echo "$1" > "$0.blob"; exit 1');
  await (await bench(bundle({ transport }, EXEC))).run('mailer_m_s', { a: 1 });
  assert.equal(existsSync(readFileSync(path.join(folder, 'x.blob'), 'utf8').trim()), false);
});
