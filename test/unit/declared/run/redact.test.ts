import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, test } from 'node:test';
import { MB } from '../../../../src/base/units.ts';
import { isSecret, redactValues, secretValues } from '../../../../src/declared/run/redact.ts';
import { toToolOutcome } from '../../../../src/declared/run/runOutcome.ts';
import { bench, ROOT } from '../running.ts';

after(() => rmSync(ROOT, { recursive: true, force: true, maxRetries: 5 }));

// Which values of variables are secrets, and that no part of one is left in a result.

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const HIDDEN = '***REDACTED***';

test('a variable is a secret by its name, however its words are joined', () => {
  const secret = [
    ...['DB_PASSWORD', 'PGPASSWORD', 'MYSQL_PWD', 'SSHPASS', 'dbPassword', 'REDIS_PASS', 'PASSWD'],
    ...['TOKEN', 'NPM_TOKEN', 'accessToken', 'API_TOKENS', 'TOKEN_2', 'AZURE_DEVOPS_PAT'],
    ...['apiKey', 'API_KEY', 'OPENAI_APIKEY', 'AWS_SECRET_ACCESS_KEY', 'SIGNING_KEY_B64'],
    ...['SECRET_KEY_BASE', 'CLIENT_SECRET', 'HTTP_AUTHORIZATION', 'REDISCLI_AUTH', 'COOKIE'],
    ...['SLACK_WEBHOOK_URL', 'STORAGE_CONNECTION_STRING', 'AWS_CREDENTIALS', 'GPG_PASSPHRASE'],
  ];
  const plain = [
    ...['USER', 'PWD', 'OLDPWD', 'BYPASS', 'MAX_TOKENS', 'TOKEN_URL', 'TOKENIZERS_PARALLELISM'],
    ...['PASSWORD_STORE_DIR', 'SECRETS_FILE', 'KEYBOARD', 'MONKEY', 'AUTHOR', 'PATTERN', 'PAT_DIR'],
  ];
  const found = [...secret, ...plain].filter((name) => isSecret(name, 'value'));
  assert.deepEqual(found, secret);
});

test('a variable is a secret by the form of its value', () => {
  assert.deepEqual(secretValues(['A'], { A: `Bearer ${TOKEN}` }), [`Bearer ${TOKEN}`, TOKEN]);
  const url = 'postgres://app:hunter2@db.example/app';
  assert.deepEqual(secretValues(['DATABASE_URL'], { DATABASE_URL: url }), [url, ':hunter2@']);
  assert.deepEqual(secretValues(['A'], { A: 'https://example.com:8080/@x' }), []);
});

test('a secret where a long failure is cut leaves no part of itself', async () => {
  const saved: unknown[] = [];
  const write = async (_: string, text: unknown) => {
    saved.push(text);
    return { ok: true, data: '/side/car' } as const;
  };
  const zeros = '0'.repeat(990);
  const script = `printf '${zeros}%s${zeros}' "$DB_PASSWORD" >&2; exit 1`;
  const env = { DB_PASSWORD: 'correct-horse-battery-staple' };
  const files = {
    'tools.json': `{"tools": [{"name": "x", "command": ["./tools/bin/x"], "envPassthrough": ["DB_PASSWORD"]}]}`,
    'tools/bin/x': `#!/bin/sh\n${script}\n`,
  };
  const { run } = await bench(files, { env });
  assert.deepEqual(await run('workspace_x', {}, { sidecars: { write } }), {
    error: `${zeros}${HIDDEN.slice(0, 10)}`,
  });
  assert.deepEqual(saved, [`${zeros}${HIDDEN}${zeros}`]);
});

for (const [stream, limit, end] of [
  ['stderr', MB, '>&2; exit 1'],
  ['stdout', 10 * MB, '; sleep 600'],
] as const) {
  test(`a secret where the kept ${stream} ends leaves no part of itself`, async () => {
    const saved: string[] = [];
    const write = async (_: string, text: unknown) => {
      saved.push(String(text));
      return { ok: true, data: '/side/car' } as const;
    };
    const zeros = `head -c ${limit - 10} /dev/zero | tr '\\0' 0`;
    const script = `{ ${zeros}; printf '%s more' "$DB_PASSWORD"; } ${end}`;
    const files = {
      'tools.json': `{"tools": [{"name": "x", "command": ["./tools/bin/x"], "envPassthrough": ["DB_PASSWORD"]}]}`,
      'tools/bin/x': `#!/bin/sh\n${script}\n`,
    };
    const { run } = await bench(files, { env: { DB_PASSWORD: 'correct-horse-battery-staple' } });
    await run('workspace_x', {}, { sidecars: { write } });
    assert.deepEqual(
      saved.map((text) => [text.length, text.slice(-3)]),
      [[limit - 10, '000']],
    );
  });
}

test('what may begin a secret is dropped where a text was cut', () => {
  const redact = redactValues(['abcdabcx', 'dabc', 'staple']);
  const check = (text: string, expected: string) => assert.equal(redact(text, true), expected);
  check('1 abcdabc', '1 ');
  check('1 dabc', '1 ');
  check('1 stapl', '1 ');
  check('1 staple 2', `1 ${HIDDEN} 2`);
  check('1 apple', '1 apple');
  assert.equal(redact('1 stapl'), '1 stapl');
});

test('an error that quotes the beginning of a secret is without it', async () => {
  const redact = redactValues(['correct-horse']);
  const error = 'must not have "correct-h… and more';
  const sidecars = { write: async () => ({ ok: true, data: '' }) as const };
  const outcome = await toToolOutcome({ ok: false, error }, redact, { sidecars }, 'x');
  assert.deepEqual(outcome, { ok: false, error: 'must not have "… and more' });
});

test('a secret that a template puts into a longer text is hidden alone, too', async () => {
  const tool =
    'resource: tool\nid: fmt\nenv: {HEADER: "Bearer {{ .env.SERVICE_TOKEN }}", API_KEY: "x-{{ .env.LOGIN }}"}\n';
  const body = "({ header: process.env.HEADER?.split(' '), key: process.env.API_KEY?.slice(2) })";
  const files = {
    'tools/fmt.yaml': tool,
    'compozy.yaml': 'name: shop\n',
    'tools.ts': `export const fmt = () => ${body};`,
  };
  const { run } = await bench(files, { env: { SERVICE_TOKEN: 'correct-horse', LOGIN: 'battery' } });
  assert.deepEqual(await run('shop_fmt'), { data: { header: ['Bearer', HIDDEN], key: HIDDEN } });
});
