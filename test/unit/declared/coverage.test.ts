import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { run as accept } from '../../../src/host/cli/acceptTools.ts';
import { run as check } from '../../../src/host/cli/check.ts';
import { connect, newSession, temporary } from '../host/harness.ts';

type Files = Readonly<Record<string, string>>;

function write(folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text, { mode: 0o755 });
  }
}

async function runIn(folder: string, run: typeof check, data = folder) {
  const stdout = new PassThrough();
  const streams = { stdin: new PassThrough(), stdout, stderr: stdout };
  const code = await run({
    args: ['.'],
    cwd: folder,
    env: { PATH: process.env['PATH'], GATEHOUSE_DATA: data },
    ...streams,
  });
  return { code, out: String(stdout.read() ?? '') };
}

const SCHEMA = '{"type":"object"}';
const FMT = 'resource: tool\nid: fmt\ninput: shared\n';

const COMPOZY: Files = {
  'compozy.yaml': 'autoload: {enabled: true, include: ["t/*.yaml"]}\n',
  't/fmt.yaml': FMT,
  'schemas/shared.json': SCHEMA,
  'tools.ts':
    "/* it's */ import './a.js';\nexport { fmt } from \"./b\";\nawait import(`./late.mjs`); './hidden.mjs';\n",
  'a.ts': "import '../up/../outside/none.ts'; import value from './data.json';\n",
  'b/index.ts': "import { x } from 'pkg'; require('./\\x63.cjs');\n",
  'b/c.cjs': 'module.exports = 1;\n',
  'late.mjs':
    "import '#map'; import '#any/x'; import 'pkg/sub/part'; import(/* lazily */ 'noted');\n",
  'hidden.mjs': `import {} from // a comment
    'lined'; import(/*${' '.repeat(300)}*/ /* import */ 'long'); await import('./pa\\
rt.mjs'); import {} from "con\\
tinued";\n`,
  'part.mjs': '',
  'node_modules/lined/index.js': '',
  'node_modules/long/index.js': '',
  'node_modules/continued/index.js': '',
  'data.json': '{}',
  'mapped.mjs': '',
  'any/x.js': '',
  'package.json': '{"imports":{"#map":"./mapped.mjs","#any/*":{"default":"./any/*.js"}}}',
  'node_modules/noted/index.js': '',
  'node_modules/pkg/package.json':
    '{"exports":{".":{"import":"./lib/main.mjs"},"./sub/*":"./lib/*.mjs"}}',
  'node_modules/pkg/lib/part.mjs': '',
  'node_modules/pkg/lib/main.mjs': "import 'deep/part.js';\n",
  'node_modules/deep/package.json': '{}',
  'node_modules/deep/part.js': '',
};

/** The other name of the project file, and the names that Bun maps. */
const MAPPED: Files = {
  'compozy.yml': 'autoload: {enabled: true, include: ["t/*.yaml"]}\n',
  't/fmt.yaml': 'resource: tool\nid: fmt\n',
  'tools.ts': "import '@lib/a'; import 'based'; import 'me/own/c';\n",
  'package.json': '{"name":"me","exports":{"./own/*":"./own/*.mjs"}}',
  'tsconfig.json': '// base\n{"extends":"./base","compilerOptions":{"paths":{"@lib/*":["lib/*"]}}}',
  'base.json': '{"compilerOptions":{"baseUrl":"src"}}',
  'lib/a.ts': '',
  'src/based.ts': '',
  'own/c.mjs': '',
};

const AGENTCLI: Files = {
  'tools.json': JSON.stringify({
    tools: [
      { name: 'x', command: ['./tools/bin/x', 'lib/script.mjs', '--config=conf.json'] },
      { name: 'y', command: ['./tools/bin/y'] },
    ],
  }),
  'tools/bin/x': '#!/bin/sh\n',
  'tools/bin/y': "#!/usr/bin/env tsx\nrequire('./y.cjs');\n",
  'tools/bin/y.cjs': '',
  'lib/script.mjs': "import './helper.mjs';\n",
  'lib/helper.mjs': '',
  'conf.json': '{}',
};

const RUNLOOP: Files = {
  'tools.json': JSON.stringify({
    version: 1,
    tools: [
      {
        id: 'a.b',
        description: 'd',
        transport: { kind: 'exec', command: '/bin/sh', args: ['run.sh'] },
        input_schema: { $ref: 'schema:shared' },
        result_schema: {},
      },
    ],
  }),
  'policy.caps': '[capabilities]\nexec = true\n',
  'run.sh': '#!/bin/sh\n',
  'schemas/shared.json': SCHEMA,
};

/** Every file that decides what runs: a change of any one of them takes the acceptance away. */
for (const [dialect, files] of Object.entries({ COMPOZY, MAPPED, AGENTCLI, RUNLOOP })) {
  test(`${dialect}: the acceptance covers each file that decides what runs`, async (t) => {
    const host = await connect(t);
    write(host.workspace, files);
    const sessionId = await newSession(host);
    const pending = async () => {
      const listed = await host.agent.request<{ pending: unknown[] }>('_gatehouse/tools', {
        sessionId,
      });
      return listed.pending.length;
    };
    assert.equal(await pending(), 1, 'before');
    const { code, out } = await runIn(host.workspace, accept, host.data);
    assert.equal(code, 0, out);
    assert.equal(await pending(), 0, 'accepted');
    for (const [name, text] of Object.entries(files)) {
      write(host.workspace, { [name]: `${text} ` });
      assert.equal(await pending(), 1, name);
      write(host.workspace, { [name]: text });
    }
  });
}

/** Bytes of a comment before an import, and what accepting says of the file. */
const UNREADABLE_SCRIPTS: Readonly<Record<string, readonly [Uint8Array, RegExp]>> = {
  'one that is not UTF-8': [Buffer.from('// \xe9\n', 'latin1'), /^accepted /],
  'one of 5 MB': [Buffer.from(`/*${' '.repeat(5_000_000)}*/`), /^accepted /],
  'one of 17 MB': [
    Buffer.from(`/*${' '.repeat(17_000_000)}*/`),
    /big\.mjs cannot be read: it is longer/,
  ],
};

for (const [what, [bytes, said]] of Object.entries(UNREADABLE_SCRIPTS)) {
  test(`what a script imports is covered, or the script is refused: ${what}`, async (t) => {
    const host = await connect(t);
    write(host.workspace, {
      'compozy.yaml':
        'runtime: {entrypoint: ./tools.mjs}\nautoload: {enabled: true, include: ["t/*.yaml"]}\n',
      't/fmt.yaml': 'resource: tool\nid: fmt\n',
      'tools.mjs': "import './big.mjs';\n",
      'part.mjs': '',
    });
    const source = Buffer.concat([bytes, Buffer.from("import './part.mjs';\n")]);
    writeFileSync(path.join(host.workspace, 'big.mjs'), source);
    const { out } = await runIn(host.workspace, accept, host.data);
    assert.match(out, said);
    const sessionId = await newSession(host);
    const list = async () => {
      const { tools } = await host.agent.request<{ tools: { id: string; state: string }[] }>(
        '_gatehouse/tools',
        { sessionId },
      );
      return tools.find(({ id }) => id === 'workspace_fmt')?.state ?? 'not offered';
    };
    assert.equal(await list(), out.startsWith('accepted') ? 'offered' : 'not offered');
    write(host.workspace, { 'part.mjs': 'changed();' });
    assert.equal(await list(), 'not offered');
  });
}

test('a nearer schema that appears takes the acceptance away', async (t) => {
  const host = await connect(t);
  write(host.workspace, COMPOZY);
  const sessionId = await newSession(host);
  await runIn(host.workspace, accept, host.data);
  write(host.workspace, { 't/schemas/shared.json': '{"type":"object","required":["x"]}' });
  const listed = await host.agent.request<{ pending: unknown[] }>('_gatehouse/tools', {
    sessionId,
  });
  assert.equal(listed.pending.length, 1);
});

test('VB-29 an entry point outside the project is refused, by path and by link', async (t) => {
  const root = await temporary(t);
  const folder = path.join(root, 'project');
  write(root, { 'evil.ts': '' });
  write(folder, {
    'compozy.yaml': 'runtime: {entrypoint: ../evil.ts}\n',
    'fmt.yaml': 'resource: tool\nid: fmt\n',
  });
  const named = await runIn(folder, check);
  assert.match(named.out, /PATH_ESCAPE_ATTEMPT: runtime\.entrypoint leads out of the project/);
  write(folder, { 'compozy.yaml': 'runtime: {entrypoint: ./in.ts}\n' });
  symlinkSync('../evil.ts', path.join(folder, 'in.ts'));
  const linked = await runIn(folder, check);
  assert.match(linked.out, /PATH_ESCAPE_ATTEMPT: the entry point leads out of the project/);
  assert.deepEqual([named.code, linked.code], [1, 1]);
});

test('the consent names the entry point', async (t) => {
  const folder = await temporary(t);
  write(folder, COMPOZY);
  const { out } = await runIn(folder, accept);
  assert.match(out, /: fmt of \S+\/tools\.ts \(may reach any host\)\n/);
});

test('the consent names the variables that a tool gets, and those that it reads of the environment', async (t) => {
  const folder = await temporary(t);
  const tool = { name: 'x', command: ['/bin/sh', 'x'], envPassthrough: ['GITHUB_TOKEN', 'LANG'] };
  write(folder, { 'tools.json': JSON.stringify({ tools: [tool] }) });
  const passed = await runIn(folder, accept);
  assert.match(passed.out, /: \/bin\/sh x · variables GITHUB_TOKEN, LANG \(may/);
  const project = await temporary(t);
  const env = 'env: {KEY: "{{ .env.HOME }}", MODE: fast}\n';
  write(project, { ...COMPOZY, 't/fmt.yaml': FMT + env });
  const { out } = await runIn(project, accept);
  assert.match(out, /tools\.ts · variables KEY, MODE · from your environment HOME \(may/);
});

test('the consent tells the words of a command apart', async (t) => {
  const folder = await temporary(t);
  const command = ['/bin/sh', '-c', "echo 'a b'", '', 'c'];
  write(folder, { 'tools.json': JSON.stringify({ tools: [{ name: 'x', command }] }) });
  const { out } = await runIn(folder, accept);
  assert.ok(out.includes(String.raw`: /bin/sh -c 'echo '\''a b'\''' '' c`), out);
});
