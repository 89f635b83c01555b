import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { temporary } from './harness.ts';
import { promptOf, start } from './stdioHost.ts';

/** Variables that hold secrets on the machines of developers. */
const NAMES = [
  ...['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'GITHUB_TOKEN', 'GH_TOKEN', 'NPM_TOKEN'],
  ...['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY', 'AZURE_CLIENT_SECRET'],
  ...['DATABASE_URL', 'PGPASSWORD', 'MYSQL_PWD', 'REDIS_URL', 'SSH_AUTH_SOCK', 'STRIPE_SECRET_KEY'],
  ...['SLACK_BOT_TOKEN', 'SENTRY_AUTH_TOKEN', 'DOCKER_PASSWORD', 'VAULT_TOKEN'],
];
const KEY = 'planted00qX7vK2mR9tB4';
const PLANTED = NAMES.map((_, at) => `planted${String(at + 1).padStart(2, '0')}qX7vK2mR9tB4`);

test('of twenty planted secrets, none is found outside the header of the provider', async (t) => {
  const data = await temporary(t);
  const trace = path.join(data, 'trace');
  mkdirSync(trace);
  const rejected = {
    at: 'head',
    status: 401,
    message: `Incorrect API key provided: ${KEY}`,
  } as const;
  const host = await start(t, {
    data,
    script: [
      { calls: [{ tool: 'bash', input: { command: 'env; printenv; set; export -p' }, id: 'c1' }] },
      { fault: rejected },
    ],
    env: {
      ...Object.fromEntries(NAMES.map((name, at) => [name, PLANTED[at]])),
      GATEHOUSE_MODEL_API_KEY: KEY,
      GATEHOUSE_TRACE: trace,
    },
  });
  let errors = '';
  host.child.stderr?.on('data', (bytes) => {
    errors += bytes;
  });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  host.send({ id: 'turn', method: 'session/prompt', params: promptOf(sessionId) });
  const { id } = await host.asked('session/request_permission');
  host.send({ id, result: { outcome: { outcome: 'selected', optionId: 'allow' } } });
  assert.match((await host.answered('turn')).error?.message ?? '', /401|key/i);
  host.child.stdin?.end();
  await host.exit;

  const [first, second] = host.model.requests;
  assert.match(
    JSON.stringify(second?.body),
    /GATEHOUSE|PATH=/,
    'the command printed its variables',
  );
  assert.equal(first?.headers['authorization'], `Bearer ${KEY}`);
  const written = [
    ['the protocol', JSON.stringify(host.lines)],
    ['the requests', JSON.stringify(host.model.requests.map(({ body }) => body))],
    ['the standard error', errors],
    ...readAll(data),
  ];
  assert.equal(written.length > 5, true);
  const hits = written.flatMap(([where, text = '']) =>
    [KEY, ...PLANTED].filter((secret) => text.includes(secret)).map((hit) => `${hit} in ${where}`),
  );
  assert.deepEqual(hits, []);
});

/** Every file below, as text that keeps all bytes. */
function readAll(folder: string): (readonly [string, string])[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [file, readFileSync(file, 'latin1')] as const;
    });
}
