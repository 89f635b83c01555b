import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toDigest } from '../../../../src/declared/runloop/parseBundle.ts';
import { errors, messages, surroundings, validate } from '../validated.ts';

const exec = { kind: 'exec', command: '/opt/x' };
const http = { kind: 'http', method: 'POST', url: 'https://api.mail.example/send' };
const tool = { id: 'a.b', description: 'd', transport: exec, input_schema: {}, result_schema: {} };

/** Our own wording of a mail attachment: the same fields as the documented one. */
const MAIL = {
  id: 'mail.smtp_send',
  description: 'Sends a finished draft through the relay.',
  transport: http,
  input_schema: { $ref: 'schema:mail.send.request.v1' },
  result_schema: { $ref: 'schema:mail.send.result.v1' },
  capabilities: ['net:api.mail.example'],
  secrets: ['runloop/mail/smtp_api_key'],
  requires_confirmation: true,
  observability: { tags: ['external', 'mail'] },
};

test('VD-1 the documented example loads', () => {
  const { entries, diagnostics } = validate({ version: 1, tools: [MAIL] });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === 'error'),
    [],
  );
  const [entry] = entries;
  assert.ok(entry?.dialect === 'runloop');
  const { transport, requiresConfirmation, tags } = entry;
  assert.deepEqual(
    [
      transport.kind,
      transport.kind === 'http' && transport.method,
      requiresConfirmation,
      tags.length,
    ],
    ['http', 'POST', true, 2],
  );
});

document('VD-2', { version: 1 }, []);
document('null tools are absent ones', { version: 1, tools: null }, []);
document('VD-3', { version: 2, tools: [] }, ['unsupported tools.json version 2 (expected 1)']);
document('a version that is text', { version: '1', tools: [] }, [
  'invalid JSON: invalid type: string, expected an integer',
]);
test('VD-4 a document without a version', () => {
  assert.deepEqual(errors(validate({ tools: [] }, { dialect: 'runloop' })), [
    'invalid JSON: missing field `version`',
  ]);
});
tools('VD-5', [tool, { ...tool, id: '' }], ['tool #1: tool id cannot be empty']);
tools('VD-6', [{ ...tool, description: '' }], ['tool #0: description cannot be empty']);
tools(
  'VD-7 command',
  [{ ...tool, transport: { kind: 'exec', command: '' } }],
  ['tool #0: exec transport requires a command'],
);
tools(
  'VD-7 method',
  [{ ...tool, transport: { ...http, method: '' } }],
  ['tool #0: http transport requires a method'],
);
tools(
  'VD-7 url',
  [{ ...tool, transport: { ...http, url: '' } }],
  ['tool #0: http transport requires a url'],
);
tools(
  'VD-8',
  [{ ...tool, transport: { kind: 'unix' } }],
  ['invalid JSON: unknown variant `unix`, expected `exec` or `http`'],
);
tools(
  'VD-9',
  [{ ...tool, transport: { kind: 'exec', command: 'bin/x' } }],
  ['tool #0: exec transport command must be an absolute path (got "bin/x")'],
);
tools('VD-10', [tool, tool], ['tool #1: duplicate tool id "a.b"']);
tools(
  'VD-11',
  [{ ...tool, result_schema: undefined }],
  ['invalid JSON: missing field `result_schema`'],
);
tools(
  'all findings of an entry',
  [{ ...tool, id: '', description: '' }],
  ['tool #0: tool id cannot be empty', 'tool #0: description cannot be empty'],
);
url('/send', 'must be an absolute URL');
url('ftp://a.example/x', 'must be http or https');
url('https://{host}/x', 'must not have a template in its host');
url('https://user@a.example/', 'must not hold a user or password');
url('https://a.example\\@b.example/', 'must not hold white space or control characters');
for (const url of ['https://a.example/{id}?q={q}', 'http://a.example:8080/', 'https://[::1]/']) {
  tools(`the url ${url} is taken`, [{ ...tool, transport: { ...http, url } }], []);
}
header(
  'an unknown placeholder',
  { A: '{{secret}}' },
  'unknown placeholder "{{secret}}"; write {{secret:ID}} with an ID from secrets',
);
header('a secret that is not listed', { A: '{{secret:k}}' }, 'secret "k" is not listed in secrets');
header('a line break', { A: 'x\r\nY: z' }, 'must not hold control characters');

test('a document of another version is recognized as a manifest by its neighbours (decision 40)', () => {
  const beside = surroundings({ 'manifest.toml': '', 'policy.caps': '[capabilities]' });
  assert.equal(validate({ tools: [] }, { around: beside }).dialect, 'runloop');
  assert.equal(validate({ tools: [] }).dialect, 'agentcli');
  assert.equal(validate({ version: 1 }).dialect, 'runloop');
  assert.equal(validate({ tools: [{ transport: {} }] }).dialect, 'runloop');
  assert.equal(validate({ resource: 'tool', id: 'x' }).dialect, 'compozy');
  assert.equal(validate('resource: tool\n', { name: 'x.yaml' }).dialect, 'compozy');
});

const EMPTY = '{\n  "version": 1,\n  "tools": []\n}\n';
const DIGESTS: readonly (readonly [string, string])[] = [
  ['', 'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262'],
  ['abc', '6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85'],
  [EMPTY, '62c56dc05fea3039501e5d21bc43f268757dbc7ccd1d8d7abd03f64607e6f547'],
  [EMPTY.trimEnd(), 'afe8c80ddd828a277fa440f6fc431158d0429d2300d322786613b962a831a3be'],
  ['{"version":1,"tools":[]}', 'ba4dfddf2df3f7e9a9d9b7ec573a58d3ba0f168d7d57dd9f3a9c7bfb548a689e'],
  [
    '{"version":1,"tools":[]}\n',
    '7759729e54e24c2adc7b488dec9ca187fc02edabf659b3ec4b56d9891a2038ff',
  ],
  [
    '{ "version": 1, "tools": [] }',
    'f27057794cd93c16e27476c669902cc1ea4ce33fe206636ec2f3331a22dfbbe8',
  ],
];
for (const [text, digest] of DIGESTS) {
  test(`BLAKE3 of ${JSON.stringify(text)}`, () =>
    assert.equal(toDigest(Buffer.from(text)), digest));
}

test('BLAKE3 of texts longer than one chunk, from the published vectors (bytes 0 … 250, again and again)', () => {
  const input = Uint8Array.from({ length: 31_744 }, (_, at) => at % 251);
  assert.deepEqual(
    [1025, 2049, 31_744].map((size) => toDigest(input.subarray(0, size))),
    [
      'd00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444',
      '5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030',
      '62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47',
    ],
  );
});

const manifest = (digest: string, more = '') =>
  `name = "mailer"\n[artifacts.tools]\npath = "tools.json"\nblake3 = "${digest}"\n${more}`;
const RIGHT = toDigest(Buffer.from(EMPTY));

bundle('a right digest in any case (DA-20)', manifest(RIGHT.toUpperCase()), []);
bundle('VD-12 a wrong digest', manifest('0'.repeat(64)), [
  `tools.json digest mismatch (expected ${'0'.repeat(64)}, got ${RIGHT})`,
]);
bundle('VD-13 a manifest without the artifact', 'name = "m"\n', [
  'manifest.toml has no [artifacts.tools]: the attachments are not trusted',
]);
bundle('VD-14 a manifest of another version', manifest(RIGHT, 'version = 2\n'), [
  'unsupported tools.json version 2 (supported: 1)',
]);
bundle(
  'VD-15 a path that leaves the bundle',
  manifest(RIGHT).replace('"tools.json"', '"../tools.json"'),
  ['artifacts.tools.path must be "tools.json" (got "../tools.json")'],
);
test('VD-21 caps without their table', () => {
  const around = surroundings({ 'manifest.toml': manifest(RIGHT), 'policy.caps': 'net = []\n' });
  assert.deepEqual(errors(validate(EMPTY, { around })), [
    'policy manifest missing `capabilities` table',
  ]);
});
test('DA-19 line ends of another platform are named as the reason', () => {
  const around = surroundings({
    'manifest.toml': manifest(RIGHT),
    'policy.caps': '[capabilities]\n',
  });
  assert.match(errors(validate(EMPTY.replaceAll('\n', '\r\n'), { around })).join(), /CRLF/);
});
test('the fix of a digest writes the correct one to manifest.toml', () => {
  const text = manifest('0'.repeat(64));
  const around = surroundings({ 'manifest.toml': text, 'policy.caps': '[capabilities]\n' });
  const fix = validate(EMPTY, { around }).diagnostics[0]?.fix;
  const [edit] = fix?.edits ?? [];
  assert.ok(edit);
  const fixed = text.slice(0, edit.offset) + edit.text + text.slice(edit.offset + edit.length);
  assert.equal(fixed, manifest(RIGHT));
});
test('without manifest.toml there is no digest diagnostic', () => {
  assert.deepEqual(validate(EMPTY).diagnostics, []);
});
test('a [tools] table in manifest.toml is a diagnostic (D-5)', () => {
  const around = surroundings({
    'manifest.toml': `${manifest(RIGHT)}[tools]\n`,
    'policy.caps': '[capabilities]\n',
  });
  assert.match(messages(validate(EMPTY, { around }), 'warning').join(), /\[tools\] table/);
});

caps('VD-16', ['net:api.mail.example'], 'net = ["api.mail.example"]\nsecrets = []', undefined);
caps('VD-17', ['net:api.mail.example'], 'net = []', 'no_hosts');
caps('VD-18', ['net:api.mail.example'], 'net = ["other.example"]', 'host_not_permitted');
caps(
  'VD-19',
  ['net:api.mail.example', 'kb_read:notes'],
  'net = ["api.mail.example"]',
  'cap_missing',
);
caps('DA-13 an unknown family', ['gpu:all'], 'net = ["api.mail.example"]', 'cap_missing');
caps('DA-15 a grant for another port', [], 'net = ["api.mail.example:8443"]', 'host_not_permitted');

function caps(
  name: string,
  capabilities: readonly string[],
  table: string,
  reason: string | undefined,
) {
  test(`${name}: ${capabilities.join(' ')} under ${table}`, () => {
    const around = surroundings({ 'policy.caps': `[capabilities]\n${table}\n` });
    const validated = validate(
      { version: 1, tools: [{ ...tool, transport: http, capabilities }] },
      { around },
    );
    assert.deepEqual(errors(validated), []);
    const denied = messages(validated, 'warning').filter((text) =>
      text.includes('capability denied'),
    );
    if (reason === undefined) assert.deepEqual(denied, []);
    else
      assert.ok(
        denied.some((text) => text.includes(`reason=${reason}`)),
        denied.join(),
      );
  });
}

function bundle(name: string, text: string, expected: readonly string[]) {
  test(name, () => {
    const around = surroundings({ 'manifest.toml': text, 'policy.caps': '[capabilities]\n' });
    assert.deepEqual(errors(validate(EMPTY, { around })), expected);
  });
}

function document(name: string, value: unknown, expected: readonly string[]) {
  test(`${name}: ${JSON.stringify(value)}`, () =>
    assert.deepEqual(errors(validate(value)), expected));
}

function tools(name: string, list: readonly unknown[], expected: readonly string[]) {
  test(name, () => assert.deepEqual(errors(validate({ version: 1, tools: list })), expected));
}

function url(value: string, expected: string) {
  const message = `tool #0: http transport url ${expected} (got ${JSON.stringify(value)})`;
  tools(
    `the url ${value} ${expected}`,
    [{ ...tool, transport: { ...http, url: value } }],
    [message],
  );
}

function header(name: string, headers: object, expected: string) {
  tools(
    `${name} in a header`,
    [{ ...tool, transport: { ...http, headers } }],
    [`tool #0: header "A": ${expected}`],
  );
}
