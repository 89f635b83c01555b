import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { toDigest } from '../../../src/declared/runloop/parseBundle.ts';
import { temporary } from '../host/harness.ts';
import { check, checks } from './checked.ts';
import { gatehouse } from './program.ts';

// The document vectors of Runloop bundles, by the built `gatehouse check` and `gatehouse scaffold`.

const exec = { kind: 'exec', command: '/bin/true' };
const http = { kind: 'http', method: 'POST', url: 'https://api.mail.example/send' };
const tool = { id: 'a.b', description: 'd', transport: exec, input_schema: {}, result_schema: {} };
const EMPTY = '{\n  "version": 1,\n  "tools": []\n}\n';
const RIGHT = '62c56dc05fea3039501e5d21bc43f268757dbc7ccd1d8d7abd03f64607e6f547';

const MAIL = {
  id: 'mail.smtp_send',
  description: 'Sends a finished draft through the relay.',
  transport: { ...http, headers: { 'X-Key': '{{secret:runloop/mail/smtp_api_key}}' } },
  input_schema: { $ref: 'schema:request' },
  result_schema: { $ref: 'schema:result' },
  schema_refs: { request: { type: 'object' }, result: { type: 'object' } },
  capabilities: ['net:api.mail.example'],
  secrets: ['runloop/mail/smtp_api_key'],
  budget: { tokens: 400 },
  requires_confirmation: true,
  observability: { tags: ['external', 'mail'] },
};
test('VD-1 a full attachment', async (t) => {
  const { code, tools } = await check(t, bundle({ version: 1, tools: [MAIL] }));
  assert.deepEqual([code, tools], [0, ['mail.smtp_send']]);
});

document('VD-2 a document without tools', { version: 1 });
document(
  'VD-3 another version',
  { version: 2, tools: [] },
  'unsupported tools.json version 2 (expected 1)',
);
checks(
  'VD-4 a document without a version',
  { 'tools.json': { tools: [] } },
  ['invalid JSON: missing field `version`'],
  ['--dialect', 'runloop', '.'],
);
tools('VD-5 an empty id', [tool, { ...tool, id: '' }], 'tool #1: tool id cannot be empty');
tools(
  'VD-6 an empty description',
  [{ ...tool, description: '' }],
  'tool #0: description cannot be empty',
);
transport('VD-7 an empty command', { ...exec, command: '' }, 'exec transport requires a command');
transport('VD-7 an empty method', { ...http, method: '' }, 'http transport requires a method');
transport('VD-7 an empty url', { ...http, url: '' }, 'http transport requires a url');
tools(
  'VD-8 another transport',
  [{ ...tool, transport: { kind: 'unix' } }],
  'invalid JSON: unknown variant `unix`, expected `exec` or `http`',
);
transport(
  'VD-9 a relative command',
  { kind: 'exec', command: 'bin/x' },
  'exec transport command must be an absolute path (got "bin/x")',
);
tools('VD-10 an id that comes twice', [tool, tool], 'tool #1: duplicate tool id "a.b"');
tools(
  'VD-11 no schema of the result',
  [{ ...tool, result_schema: undefined }],
  'invalid JSON: missing field `result_schema`',
);

const artifact = (digest: string, more = '') =>
  `name = "shop"\n[artifacts.tools]\npath = "tools.json"\nblake3 = "${digest}"\n${more}`;
manifest('VD-12 a digest that does not match', artifact('0'.repeat(64)), [
  `tools.json digest mismatch (expected ${'0'.repeat(64)}, got ${RIGHT})`,
]);
manifest('VD-12 the digest of the right bytes', artifact(RIGHT), []);
manifest('VD-13 a manifest without the artifact', 'name = "m"\n', [
  'manifest.toml has no [artifacts.tools]: the attachments are not trusted',
]);
manifest('VD-14 a manifest of another version', artifact(RIGHT, 'version = 2\n'), [
  'unsupported tools.json version 2 (supported: 1)',
]);
manifest(
  'VD-15 an artifact outside the bundle',
  artifact(RIGHT).replace('"tools.json"', '"../tools.json"'),
  ['artifacts.tools.path must be "tools.json" (got "../tools.json")'],
);

caps('VD-16 a host that is granted', ['net:api.mail.example'], 'net = ["api.mail.example"]');
caps('VD-17 no host is granted', ['net:api.mail.example'], 'net = []', 'no_hosts');
caps(
  'VD-18 another host is granted',
  ['net:api.mail.example'],
  'net = ["other.example"]',
  'host_not_permitted',
);
caps(
  'VD-19 one of two capabilities is granted',
  ['net:api.mail.example', 'kb_read:notes'],
  'net = ["api.mail.example"]',
  'cap_missing',
);
checks(
  'VD-21 capabilities without their table',
  { 'tools.json': EMPTY, 'manifest.toml': artifact(RIGHT), 'policy.caps': 'net = []\n' },
  ['policy manifest missing `capabilities` table'],
);

test('VD-32 a name that no agent may have, and one that it may', async (t) => {
  const cwd = await temporary(t);
  const bad = await gatehouse(['scaffold', 'Bad-Name', '--non-interactive'], { cwd });
  assert.deepEqual([bad.code, bad.stderr], [1, "error: invalid agent name 'Bad-Name'\n"]);
  const good = await gatehouse(['scaffold', 'mailer', '--non-interactive'], { cwd });
  assert.deepEqual([good.code, good.stderr], [0, '']);
  const text = await readFile(path.join(cwd, 'agents/mailer/tools.json'), 'utf8');
  assert.deepEqual(JSON.parse(text), { version: 1, tools: [] });
  const again = await gatehouse(['check', 'agents'], { cwd });
  assert.equal(again.code, 0, again.stdout);
});

function bundle(document: object, granted = 'net = ["api.mail.example"]\nexec = true\n') {
  const text = JSON.stringify(document);
  return {
    'tools.json': text,
    'manifest.toml': artifact(toDigest(Buffer.from(text))),
    'policy.caps': `[capabilities]\n${granted}\nsecrets = ["runloop/mail/smtp_api_key"]\n`,
  };
}

function document(name: string, value: object, ...errors: readonly string[]): void {
  checks(name, { 'tools.json': value }, errors);
}

function tools(name: string, list: readonly object[], ...errors: readonly string[]): void {
  document(name, { version: 1, tools: list }, ...errors);
}

function transport(name: string, value: object, error: string): void {
  tools(name, [{ ...tool, transport: value }], `tool #0: ${error}`);
}

function manifest(name: string, text: string, errors: readonly string[]): void {
  const files = {
    'tools.json': EMPTY,
    'manifest.toml': text,
    'policy.caps': '[capabilities]\n',
  };
  checks(name, files, errors);
}

function caps(name: string, capabilities: readonly string[], granted: string, reason?: string) {
  test(name, async (t) => {
    const entry = { ...tool, transport: http, capabilities };
    const { code, problems } = await check(t, bundle({ version: 1, tools: [entry] }, granted));
    assert.equal(code, 0, problems.join());
    const denied = problems.filter((text) => text.includes('capability denied'));
    // A request needs its host, declared or not, so one reason may come twice.
    const reasons = new Set(denied.map((text) => /reason=(\w+)/.exec(text)?.[1]));
    assert.deepEqual([...reasons], reason === undefined ? [] : [reason]);
  });
}
