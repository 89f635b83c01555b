import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { diskSurroundings } from '../../../src/declared/manifest/parseSurroundings.ts';
import { isAccepted } from '../../../src/declared/parseManifest.ts';
import { validateFile } from '../../../src/declared/validateFile.ts';
import { run } from '../../../src/host/cli/check.ts';

const root = mkdtempSync(path.join(tmpdir(), 'check-'));
after(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

function place(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(root, 'case-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text, { mode: 0o755 });
  }
  return folder;
}

async function check(...args: string[]) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const io = { args, stdin: new PassThrough(), stdout, stderr, env: {}, cwd: root };
  const code = await run(io);
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

const COMPOZY = 'resource: tool\nid: a\n';
const AGENTCLI = '{"tools":[{"name":"a","command":["./tools/bin/x"]}]}';

test('a folder is walked, and every manifest in it is a row', async () => {
  const folder = place({
    'tools.json': AGENTCLI,
    'tools/bin/x': '#!/bin/sh\n',
    'node_modules/p/tools.json': '{',
    'agents/mail/tools.json': '{"version":1}',
    'flows/fmt.yaml': 'resource: tool\nid: fmt\n',
    'flows/tools.ts': '',
    'flows/other.yaml': 'kind: Deployment\n',
  });
  const { code, out } = await check('--json', folder);
  assert.deepEqual(JSON.parse(out), [
    {
      file: path.join(folder, 'agents/mail/tools.json'),
      dialect: 'runloop',
      ok: true,
      problems: [],
      tools: [],
    },
    {
      file: path.join(folder, 'flows/fmt.yaml'),
      dialect: 'compozy',
      ok: true,
      problems: [],
      tools: ['fmt'],
    },
    {
      file: path.join(folder, 'tools.json'),
      dialect: 'agentcli',
      ok: true,
      problems: [],
      tools: ['a'],
    },
  ]);
  assert.equal(code, 0);
});

test('an error is exit code 1, with its position', async () => {
  const folder = place({ 'tools.json': '{"tools":[\n{"name":"a","command":[]}]}' });
  const { code, out } = await check('--json', path.join(folder, 'tools.json'));
  const [{ problems, ok, tools }] = JSON.parse(out);
  assert.deepEqual([code, ok, tools], [1, false, ['a']]);
  assert.deepEqual(problems, [
    {
      pointer: '/tools/0/command',
      line: 2,
      column: 23,
      severity: 'error',
      message: 'tool[0] "a": command must have at least program name',
    },
  ]);
});

test('warnings alone are exit code 0', async () => {
  const folder = place({ 'tools.json': AGENTCLI });
  const { code, out } = await check(folder);
  assert.equal(code, 0);
  assert.match(out, /warning: tool\[0\] "a": program ".\/tools\/bin\/x" is missing/);
});

test('misuse is exit code 2 with the usage', async () => {
  for (const args of [
    [],
    ['--nope', '.'],
    ['--dialect', 'mcp', '.'],
    [path.join(root, 'absent')],
  ]) {
    const { code, out, err } = await check(...args);
    assert.deepEqual([code, out, /usage: /.test(err)], [2, '', true], args.join(' '));
  }
});

test('--dialect overrides the document', async () => {
  const folder = place({ 'tools.json': '{"tools":[]}' });
  const { code, out } = await check('--json', '--dialect', 'runloop', folder);
  assert.equal(code, 1);
  assert.equal(JSON.parse(out)[0].problems[0].message, 'invalid JSON: missing field `version`');
});

test('ids are unique over all PATHs', async () => {
  const project = { 'compozy.yaml': 'name: mail\n', 'tools.ts': '', 'a.yaml': COMPOZY };
  const one = place(project);
  const two = place(project);
  const { code, out } = await check('--json', one, two);
  assert.equal(code, 1);
  const [, { problems }] = JSON.parse(out);
  const message = problems.map((each: { message: string }) => each.message).join('\n');
  assert.match(message, /tool id "mail_a" of .* is taken by .*/);
  assert.ok(message.includes(one) && message.includes(two), 'both places are named');
});

test('VB-29 a link that leaves the project is not read', async () => {
  const outside = place({ 'x.yaml': 'resource: tool\nid: x\n' });
  const folder = place({
    'compozy.yaml': 'autoload:\n  enabled: true\n  include: ["t/*.yaml"]\n',
    't/a.txt': '',
  });
  symlinkSync(path.join(outside, 'x.yaml'), path.join(folder, 't/x.yaml'));
  const { code, out } = await check('--json', folder);
  assert.equal(code, 1);
  assert.match(JSON.parse(out)[0].problems[0].message, /^PATH_ESCAPE_ATTEMPT/);
});

test('a link to a file whose name begins with two dots stays in the project', async () => {
  const folder = place({
    'compozy.yaml': 'autoload:\n  enabled: true\n  include: ["t/*.yaml"]\n',
    'tools.ts': '',
    't/a.txt': '',
    '..kept/x.yaml': 'resource: tool\nid: x\n',
  });
  symlinkSync(path.join(folder, '..kept/x.yaml'), path.join(folder, 't/x.yaml'));
  const { out } = await check('--json', folder);
  assert.doesNotMatch(out, /PATH_ESCAPE_ATTEMPT/);
});

test('the digest of a bundle is compared, and its other files stand for the document', async () => {
  const folder = place({
    'tools.json': '{"version":1}',
    'manifest.toml': `[artifacts.tools]\npath = "tools.json"\nblake3 = "${'0'.repeat(64)}"\n`,
    'policy.caps': '[capabilities]\n',
  });
  const { out } = await check('--json', path.join(folder, 'manifest.toml'));
  assert.match(JSON.parse(out)[0].problems[0].message, /^tools\.json digest mismatch/);
});

test('500 mutated manifests never crash the check, and none that it accepts is refused by the loader', () => {
  const seeds = [
    AGENTCLI,
    '{"tools":[{"name":"b","description":"d","schema":{"type":"object","properties":{"p":{"$ref":"#/definitions/q"}}},"command":["/bin/ls","-l"],"timeoutSec":5,"envPassthrough":["TZ"]}]}',
    '{"version":1,"tools":[{"id":"m.s","description":"d","transport":{"kind":"http","method":"POST","url":"https://a.example/{x}","headers":{"A":"{{secret:k}}"}},"input_schema":{"type":"object"},"result_schema":{},"schema_refs":{},"capabilities":["net:a.example"],"secrets":["k"],"budget":{"tokens":5},"requires_confirmation":true,"observability":{"tags":["t"]}}]}',
    'resource: tool\nid: fmt\ntimeout: 30s\nenv:\n  A: "{{ .env.B | default(1) }}"\ninput:\n  type: object\n  properties: {p: {type: string, pattern: "^a+$"}}\nwith: {p: a}\n',
  ];
  const pieces = fc.constantFrom(
    '',
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    'null',
    '-1',
    '1e999',
    '{}',
    '[]',
    ':',
    '\n',
    '\0',
    '../',
    '{{',
    '__proto__',
    '\uFEFF',
    '\ud800',
    '&a *a',
    '!!x',
    '$ref',
    '(a+)+',
  );
  const mutation = fc.record({
    seed: fc.constantFrom(...seeds),
    changes: fc.array(fc.record({ at: fc.nat(400), cut: fc.nat(12), put: pieces }), {
      minLength: 1,
      maxLength: 4,
    }),
  });
  const folder = place({ 'tools.ts': '' });
  const around = diskSurroundings({});
  fc.assert(
    fc.property(mutation, ({ seed, changes }) => {
      const text = changes.reduce((now, { at, cut, put }) => {
        const from = at % (now.length + 1);
        return now.slice(0, from) + put + now.slice(from + cut);
      }, seed);
      const file = path.join(folder, seed.startsWith('{') ? 'tools.json' : 'tool.yaml');
      writeFileSync(file, text);
      const manifest = validateFile({ file, root: path.dirname(file), autoloaded: false }, around);
      for (const { line, column, message } of manifest.diagnostics) {
        assert.ok(line >= 1 && column >= 1 && message !== '');
      }
      if (!isAccepted(manifest)) return;
      // What is accepted has every field in its right form, whatever the text looked like.
      for (const entry of manifest.entries) {
        assert.match(entry.importedId, /^[A-Za-z0-9_-]{1,64}$/);
        if (entry.dialect === 'agentcli') assert.ok(path.isAbsolute(entry.program));
        if (entry.dialect === 'runloop' && entry.transport.kind === 'http')
          new URL(entry.transport.url);
        if (entry.dialect === 'compozy') assert.ok((entry.timeoutMs ?? 1) > 0);
      }
    }),
    { seed: 20_260_101, numRuns: 500 },
  );
});
