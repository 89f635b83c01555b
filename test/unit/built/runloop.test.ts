import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { checks } from './checked.ts';
import { converse, fields, makeBed, readAudit, runloop } from './session.ts';

// Runloop's exec tools, through the built `gatehouse acp`.

const ID = 'runloop/mail/smtp_api_key';
const SECRET = 'correct-horse-battery';
const WITH_SECRET = 'exec = true\nsecrets = true';

test('D-26 a call and its result are frames with the declared id and the schemas they have', async (t) => {
  const more = {
    id: 'mail.send',
    input_schema: { $ref: 'schema:mail.request' },
    schema_refs: { 'mail.request': { type: 'object' }, other: 'schema:mail.request' },
    observability: { tags: ['mail'] },
  };
  const bed = await makeBed(t, { files: runloop('echo 1', more) });
  await converse(t, bed, { calls: [{ tool: 'shop_mail_send', input: { to: 'a' } }] });
  const frames = (await readAudit(bed)).filter(({ event }) => String(event).startsWith('CT_'));
  const bodies = frames.map(({ body }) => fields(body));
  const [{ invocation_id } = {}] = bodies;
  const schema_refs = {
    'mail.request': '#/tools/0/schema_refs/mail.request',
    other: 'schema:mail.request',
  };
  const shared = { v: 1, tool: 'mail.send', invocation_id, schema_refs };
  assert.deepEqual(bodies, [
    { ...shared, schema: 'schema:mail.request', args: { to: 'a' } },
    { ...shared, schema: '#/tools/0/result_schema', result: 1 },
  ]);
  assert.deepEqual(
    frames.map(({ event, frame, tags }) => [event, frame, tags]),
    [
      ['CT_TOOL_CALL', 3, ['mail']],
      ['CT_TOOL_RESULT', 4, ['mail']],
    ],
  );
});

checks(
  'D-19 a budget that is no amount is refused, because it could not be held',
  {
    'tools.json': {
      version: 1,
      tools: [
        {
          id: 'a',
          description: 'd',
          transport: { kind: 'exec', command: '/bin/true' },
          input_schema: {},
          result_schema: {},
          budget: { tokens: 5, usd: '0.5' },
        },
      ],
    },
  },
  ['invalid JSON: budget.usd must be a number that is not negative'],
);

test('D-19 in a session whose model has no known price, a tool with budget.usd does not run', async (t) => {
  const bed = await makeBed(t, { files: runloop('touch ran; echo 1', { budget: { usd: 1 } }) });
  const seen = await converse(t, bed, { calls: [{ tool: 'shop_x' }] });
  assert.match(JSON.stringify(seen), /price of the session's model is unknown/);
  assert.equal(existsSync(path.join(bed.workspace, 'shop/ran')), false);
  assert.equal(existsSync(path.join(bed.workspace, 'ran')), false);
});

test('VD-20 an override takes a grant away, says nothing, or grants in vain', async (t) => {
  const files = runloop('echo 1');
  const offered = async (override: string, own = files) => {
    const dataFiles = {
      'settings.json': {},
      'caps/overrides/shop.toml': `[capabilities]\n${override}\n`,
    };
    const bed = await makeBed(t, { files: own, dataFiles });
    return (await converse(t, bed)).offered.includes('shop_x');
  };
  assert.equal(await offered('exec = false'), false);
  assert.equal(await offered(''), true);
  assert.equal(await offered('exec = true', runloop('echo 1', {}, 'exec = false')), false);
});

test('VD-22 a secret that is not granted hides the tool; one that is not there stops the call', async (t) => {
  const script = 'touch "$0.ran"; echo {}';
  const more = { secrets: [ID] };
  const denied = await makeBed(t, {
    files: runloop(script, more, 'exec = true\nsecrets = ["other"]'),
  });
  const hidden = await converse(t, denied, { calls: [{ tool: 'shop_x' }] });
  assert.match(String(fields(hidden.results[0])['error']), /reason=secret_not_permitted/);
  const bed = await makeBed(t, { files: runloop(script, more, WITH_SECRET) });
  const { results } = await converse(t, bed, { calls: [{ tool: 'shop_x' }] });
  assert.equal(
    fields(results[0])['error_text'],
    `capability denied: cap=secrets, op=resolve, detail=${ID}, reason=secret_unknown`,
  );
  assert.equal(existsSync(path.join(bed.workspace, 'shop/bin/x.ran')), false);
  const rows = await readAudit(bed);
  assert.deepEqual(
    rows.map(({ event, decision, reason }) => [event, decision, reason]),
    [['cap.audit', 'deny', 'secret_unknown']],
  );
});

test('VD-23 a secret is a variable of the program, and nowhere else', async (t) => {
  const script =
    'tr "\\0" " " < /proc/$$/cmdline; echo; echo "$RUNLOOP_MAIL_SMTP_API_KEY" >&2; exit 4';
  const bed = await makeBed(t, { files: runloop(script, { secrets: [ID] }, WITH_SECRET) });
  const env = { RUNLOOP_MAIL_SMTP_API_KEY: SECRET };
  const { results, host } = await converse(t, bed, { calls: [{ tool: 'shop_x' }], env });
  assert.equal(fields(results[0])['error_text'], 'exit status 4: ***REDACTED***');
  const rows = await readAudit(bed);
  assert.deepEqual(
    rows.flatMap(({ envKeys = [] }) => envKeys),
    ['RUNLOOP_MAIL_SMTP_API_KEY'],
  );
  const database = await readFile(path.join(bed.data, 'state/gatehouse.db'));
  const seen = [JSON.stringify(rows), JSON.stringify(host.lines), database.toString('latin1')];
  assert.deepEqual(
    seen.map((text) => text.includes(SECRET)),
    [false, false, false],
  );
});

test('VD-24 a confirmation is asked of every call, whatever rule allows it', async (t) => {
  const permissions = [{ permission: '*', pattern: '**', action: 'allow' }];
  const calls = [1, 2].map((n) => ({ tool: 'shop_x', input: { n } }));
  for (const [confirm, asks] of [
    [true, 2],
    [false, 0],
  ] as const) {
    const settings = {
      'gatehouse.permissions': permissions,
      'gatehouse.security.confirmExternalActions': confirm,
    };
    const files = runloop('echo 1', { requires_confirmation: true });
    const bed = await makeBed(t, { files, settings });
    const seen = await converse(t, bed, { calls });
    assert.equal(seen.asks.length, asks);
    assert.deepEqual(
      seen.results.map((each) => fields(each)['data']),
      [1, 1],
    );
  }
});

test('VD-25 an input that does not fit is not sent', async (t) => {
  const input_schema = { type: 'object', properties: { n: { type: 'integer' } } };
  const bed = await makeBed(t, { files: runloop('touch "$0.ran"; echo 1', { input_schema }) });
  const { results } = await converse(t, bed, { calls: [{ tool: 'shop_x', input: { n: 'a' } }] });
  assert.match(String(fields(results[0])['error_text']), /\/n must be integer/);
  assert.equal(existsSync(path.join(bed.workspace, 'shop/bin/x.ran')), false);
});

test('VD-26 a result that does not fit is an error, and is not kept as a result', async (t) => {
  const result_schema = { type: 'object', properties: { n: { type: 'integer' } } };
  const bed = await makeBed(t, { files: runloop(`echo '{"n":"bad"}'`, { result_schema }) });
  const { results } = await converse(t, bed, { calls: [{ tool: 'shop_x' }] });
  assert.match(
    String(fields(results[0])['error_text']),
    /does not match result_schema: \/n must be/,
  );
  const frame = (await readAudit(bed)).find(({ event }) => event === 'CT_TOOL_RESULT');
  assert.equal(fields(frame?.['body'])['result'], null);
});

test('VD-27 the program gets the path of its input, then its arguments; the file is gone afterwards', async (t) => {
  const script = `printf '["%s",%s,"%s"]' "$1" "$(cat "$1")" "$2"`;
  const files = (workspace: string) => {
    const transport = { kind: 'exec', command: path.join(workspace, 'shop/bin/x'), args: ['-v'] };
    return runloop(script, { transport })(workspace);
  };
  const bed = await makeBed(t, { files });
  const { results } = await converse(t, bed, { calls: [{ tool: 'shop_x', input: { to: 'a' } }] });
  const data = fields(results[0])['data'];
  const [blob, input, flag] = Array.isArray(data) ? data : [];
  assert.deepEqual([input, flag], [{ to: 'a' }, '-v']);
  assert.deepEqual([path.isAbsolute(blob), existsSync(blob)], [true, false]);
});
