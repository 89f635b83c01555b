import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentcli, compozy, converse, fields, makeBed, readAudit, runloop } from './session.ts';

// What is redacted in results and in the audit log, through the built `gatehouse acp`.

const HIDDEN = '***REDACTED***';
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

test('a user name is no secret, and a key or a token is, in each place where a tool returns it', async (t) => {
  const env = {
    USER_NAME: '{{ .env.LOGIN }}',
    API_KEY: '{{ .env.SERVICE }}',
    PLAIN: '{{ .env.GIVEN }}',
    OTHER: '{{ .env.DB_PASSWORD }}',
  };
  const body =
    'const { USER_NAME, API_KEY, PLAIN, OTHER } = process.env; return { at: `/${USER_NAME}/app`, [API_KEY!]: [API_KEY, `x ${PLAIN} y`], OTHER };';
  const bed = await makeBed(t, { files: compozy(body, { env }) });
  const { results } = await converse(t, bed, {
    calls: [{ tool: 'shop_x' }],
    env: { LOGIN: 'root', SERVICE: 'correct-horse', GIVEN: TOKEN, DB_PASSWORD: 'battery-staple' },
  });
  assert.deepEqual(fields(results[0])['data'], {
    at: '/root/app',
    'correct-horse': [HIDDEN, `x ${HIDDEN} y`],
    OTHER: HIDDEN,
  });
});

test('a variable that an agentcli tool gets is redacted when it is a secret', async (t) => {
  const script = `printf '{"user":"%s","key":"%s"}' "/home/$LOGNAME/x" "$OAI_API_KEY"`;
  const files = agentcli(script, { envPassthrough: ['LOGNAME', 'OAI_API_KEY'] });
  const bed = await makeBed(t, { files });
  const env = { LOGNAME: 'root', OAI_API_KEY: 'correct-horse' };
  const { results } = await converse(t, bed, { calls: [{ tool: 'shop_x' }], env });
  assert.deepEqual(fields(results[0])['data'], { user: '/home/root/x', key: HIDDEN });
});

test('the log of a Runloop call has no token of the arguments, and keeps their names', async (t) => {
  const bed = await makeBed(t, { files: runloop('cat "$1"') });
  const input = { token: TOKEN, path: '/root/app' };
  await converse(t, bed, { calls: [{ tool: 'shop_x', input }], env: { USER: 'root' } });
  const [frame] = (await readAudit(bed)).filter(({ event }) => event === 'CT_TOOL_CALL');
  assert.deepEqual(fields(frame?.['body'])['args'], { token: HIDDEN, path: '/root/app' });
});
