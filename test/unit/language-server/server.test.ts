import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { Editor, ROOT } from './editor.ts';

after(() => rmSync(ROOT, { recursive: true, force: true, maxRetries: 5 }));

const open = (files?: Readonly<Record<string, string>>, env?: NodeJS.ProcessEnv) =>
  new Editor(files, env).start();
const labels = (items: unknown) => (items as { label: string }[]).map(({ label }) => label);

test('diagnostics have their position and exact text, and go away when fixed', async () => {
  const editor = await open({ 'tools/bin/x': '' });
  const bad =
    '{"tools": [\n  {"command": ["./tools/bin/x"]},\n  {"name": "a", "command": ["x"]}\n]}';
  const found = await editor.write('tools.json', bad);
  assert.deepEqual(
    found.map(({ message, range, severity }) => [
      message,
      range.start.line,
      range.start.character,
      severity,
    ]),
    [
      ['tool[0]: name is required', 1, 2, 1],
      ['tool[1] "a": relative command[0] must start with ./tools/bin/', 2, 28, 1],
    ],
  );
  const mended = '{"tools": [{"name": "a", "command": ["./tools/bin/x"]}]}';
  assert.deepEqual(await editor.write('tools.json', mended), []);
});

test('a document that is reopened with another text is validated again', async () => {
  const editor = await open();
  assert.equal((await editor.write('tools.json', '{"tools":[{}]}')).length, 1);
  await editor.close('tools.json');
  assert.deepEqual(await editor.write('tools.json', '{"tools":[]}'), []);
});

test('only YAML files that are tools get diagnostics', async () => {
  const editor = await open({ 'tools.ts': '' });
  const found = await editor.write('tool.yaml', 'resource: tool\nid: x\ntimeout: soon\n');
  assert.match(String(found[0]?.message), /^invalid timeout format 'soon'/);
  assert.deepEqual(await editor.write('tool.yaml', 'kind: Deployment\n'), []);
});

test('an id shared by two open files is reported in the second', async () => {
  const editor = await open({ 'tools.ts': '' });
  await editor.write('a.yaml', 'resource: tool\nid: fmt\n');
  const found = await editor.write('b.yaml', 'resource: tool\nid: FMT\n');
  assert.match(found.map(({ message }) => message).join('\n'), /DUPLICATE_CONFIG/);
});

test('an invalid rule is reported at its field, also in settings with comments', async () => {
  const editor = await open();
  const text =
    '{\n  // Mine.\n  "gatehouse.permissions": [\n    {"permission": "bash", "pattern": "ls", "action": "allow"},\n    {"permission": "bash", "pattern": "ls", "action": "permit"},\n    7,\n  ]\n}\n';
  const found = await editor.write('.vscode/settings.json', text);
  assert.deepEqual(
    found.map(({ range, severity }) => [range.start.line, range.start.character, severity]),
    [
      [4, 54, 1],
      [5, 4, 1],
    ],
  );
  assert.match(String(found[0]?.message), /action.*\nUntil it is fixed/s);
  assert.deepEqual(
    await editor.write('.vscode/settings.json', '{"gatehouse.permissions": []}'),
    [],
  );
  const workspace = '{"settings": {"gatehouse.permissions": {}}}';
  assert.equal((await editor.write('x.code-workspace', workspace)).length, 1);
  assert.deepEqual(await editor.write('settings.json', text), []);
});

test('the unsaved text of manifest.toml counts', async () => {
  const editor = await open({ 'policy.caps': '[capabilities]\n' });
  await editor.write('tools.json', '{"version":1}');
  await editor.write('manifest.toml', 'name = "m"\n');
  assert.deepEqual(
    editor.diagnostics('tools.json').map(({ message }) => message),
    ['manifest.toml has no [artifacts.tools]: the attachments are not trusted'],
  );
});

test('fields are offered by dialect and position, but not twice', async () => {
  const editor = await open();
  const agentcli = await editor.ask(
    'textDocument/completion',
    'tools.json',
    '{"tools":[{"name":"a", "|"}]}',
  );
  assert.deepEqual(labels(agentcli), [
    'description',
    'schema',
    'command',
    'timeoutSec',
    'envPassthrough',
  ]);
  const runloop = await editor.ask(
    'textDocument/completion',
    'b/tools.json',
    '{"version":1,"tools":[{"transport":{"|"}}]}',
  );
  assert.deepEqual(labels(runloop), ['kind', 'command', 'args', 'method', 'url', 'headers']);
  const compozy = await editor.ask(
    'textDocument/completion',
    'c.yaml',
    'resource: tool\nid: x\nt|\n',
  );
  assert.ok(labels(compozy).includes('timeout') && !labels(compozy).includes('id'));
});

test('an editor with the schemas gets no JSON names twice', async () => {
  const editor = await new Editor().start({ schemas: true });
  const names = await editor.ask('textDocument/completion', 'tools.json', '{"tools":[{"|"}]}');
  const hover = await editor.ask('textDocument/hover', 'tools.json', '{"tools":[{"na|me":"a"}]}');
  const yaml = await editor.ask('textDocument/completion', 'c.yaml', 'resource: tool\nt|\n');
  assert.deepEqual([labels(names), hover, labels(yaml).includes('timeout')], [[], null, true]);
});

test('values are offered: kinds, variables, programs, capabilities, schemas', async () => {
  const files = { 'tools/bin/get_time': '', 'schemas/mail.v1.json': '{}' };
  const editor = await open(files, { TZ: 'x', lower: 'y' });
  const ask = async (name: string, text: string) =>
    labels(await editor.ask('textDocument/completion', name, text));
  assert.deepEqual(await ask('tools.json', '{"tools":[{"envPassthrough":["|"]}]}'), ['TZ']);
  assert.deepEqual(await ask('tools.json', '{"tools":[{"command":["|"]}]}'), [
    './tools/bin/get_time',
  ]);
  const entry = (text: string) => `{"version":1,"tools":[{${text}}]}`;
  assert.deepEqual(await ask('a/tools.json', entry('"transport":{"kind":"|"}')), ['exec', 'http']);
  assert.ok((await ask('a/tools.json', entry('"capabilities":["|"]'))).includes('net:'));
  assert.deepEqual(
    await ask('a/tools.json', entry('"schema_refs":{"own.v1":{}},"input_schema":{"$ref":"|"}')),
    ['schema:own.v1', 'schema:mail.v1'],
  );
});

test('a hover documents the field, on its name and on its value', async () => {
  const editor = await open();
  for (const text of ['{"tools":[{"na|me":"a"}]}', '{"tools":[{"name":"|a"}]}']) {
    const hover = await editor.ask('textDocument/hover', 'tools.json', text);
    assert.match(JSON.stringify(hover), /name of the function/);
  }
  const yaml = await editor.ask('textDocument/hover', 'x.yaml', 'resource: tool\ntime|out: 5s\n');
  assert.match(JSON.stringify(yaml), /Go duration/);
});

test('a program, a reference and a tool lead to where they are', async () => {
  const editor = await open({ 'tools/bin/x': '', 'schemas/mail.v1.json': '{}', 'tools.ts': '' });
  const go = async (name: string, text: string) => {
    const target = (await editor.ask('textDocument/definition', name, text)) as {
      uri: string;
      range: { start: object };
    } | null;
    return (
      target && [path.relative(editor.folder, new URL(target.uri).pathname), target.range.start]
    );
  };
  const start = { line: 0, character: 0 };
  assert.deepEqual(
    await go('tools.json', '{"tools":[{"name":"a","command":["./tools/b|in/x"]}]}'),
    ['tools/bin/x', start],
  );
  const entry = (text: string) => `{"version":1,"tools":[{${text}}]}`;
  assert.deepEqual(await go('a/tools.json', entry('"input_schema":{"$ref":"schema:ma|il.v1"}')), [
    'schemas/mail.v1.json',
    start,
  ]);
  assert.deepEqual(
    await go('a/tools.json', entry('"input_schema":{"$ref":"#/$de|fs/p","$defs":{"p":{}}}')),
    ['a/tools.json', { line: 0, character: 67 }],
  );
  assert.deepEqual(await go('t.yaml', 'resource: tool\nid: f|mt\n'), ['tools.ts', start]);
  // A percent sign that encodes nothing is part of the name.
  assert.deepEqual(
    await go('a/tools.json', entry('"input_schema":{"$ref":"#/$defs/5|0%","$defs":{"50%":{}}}')),
    ['a/tools.json', { line: 0, character: 69 }],
  );
});

test('a secret is renamed in its list and in its headers', async () => {
  const editor = await open();
  const text =
    '{"version":1,"tools":[{"transport":{"headers":{"A":"x {{secret:k1}}"}},"secrets":["k|1"]}]}';
  const { changes } = (await editor.ask('textDocument/rename', 'tools.json', text, {
    newName: 'k2',
  })) as {
    changes: Record<string, { range: never; newText: string }[]>;
  };
  const document = editor.document('tools.json');
  const edited = TextDocument.applyEdits(document, changes[editor.uri('tools.json')] ?? []);
  assert.equal(edited, text.replace('|', '').replaceAll('k1', 'k2'));
});

test('the id of a tool is renamed inside its quotes', async () => {
  const editor = await open();
  const text = '{"tools":[{"name":"o|ld","command":["./tools/bin/x"]}]}';
  const { changes } = (await editor.ask('textDocument/rename', 'tools.json', text, {
    newName: 'new',
  })) as {
    changes: Record<string, { range: never; newText: string }[]>;
  };
  const edited = TextDocument.applyEdits(
    editor.document('tools.json'),
    changes[editor.uri('tools.json')] ?? [],
  );
  assert.equal(edited, '{"tools":[{"name":"new","command":["./tools/bin/x"]}]}');
});

async function fix(editor: Editor, name: string, text: string, title: RegExp): Promise<string> {
  await editor.write(name, text);
  const document = editor.document(name);
  const range = { start: document.positionAt(0), end: document.positionAt(text.length) };
  const actions = (await editor.connection.sendRequest('textDocument/codeAction', {
    textDocument: { uri: editor.uri(name) },
    range,
    context: { diagnostics: [] },
  })) as { title: string; edit: { changes: Record<string, never[]> } }[];
  const action = actions.find((each) => title.test(each.title));
  assert.ok(action, `${title} among ${actions.map((each) => each.title).join()}`);
  return TextDocument.applyEdits(document, action.edit.changes[editor.uri(name)] ?? []);
}

test('quick fixes repair the prefix, a repeated name and a duration, and keep the rest as written', async () => {
  const editor = await open({ 'tools.ts': '' });
  assert.equal(
    await fix(editor, 'tools.json', '{ "tools": [ {"name":"a","command":["bin/x"]} ] }', /^Use/),
    '{ "tools": [ {"name":"a","command":["./tools/bin/x"]} ] }',
  );
  const twice = '{"tools":[{"name":"a","command":["/bin/ls"]},{"name":"a","command":["/bin/ls"]}]}';
  assert.match(await fix(editor, 'tools.json', twice, /^Rename/), /"name":"a_2"/);
  assert.equal(
    await fix(editor, 'x.yaml', 'resource: tool # mine\nid: x\ntimeout: "30"\n', /^Use/),
    'resource: tool # mine\nid: x\ntimeout: "30s"\n',
  );
});

test('an object schema is closed at the cursor', async () => {
  const editor = await open();
  const text =
    '{"tools":[{"name":"a","command":["/bin/ls"],"schema":{\n  "type":"object",\n  "pro|perties":{}\n}}]}';
  const offset = text.indexOf('|');
  await editor.write('tools.json', text.replace('|', ''));
  const document = editor.document('tools.json');
  const position = document.positionAt(offset);
  const actions = (await editor.connection.sendRequest('textDocument/codeAction', {
    textDocument: { uri: editor.uri('tools.json') },
    range: { start: position, end: position },
    context: { diagnostics: [] },
  })) as { title: string; edit: { changes: Record<string, never[]> } }[];
  const edited = TextDocument.applyEdits(
    document,
    actions[0]?.edit.changes[editor.uri('tools.json')] ?? [],
  );
  assert.deepEqual(JSON.parse(edited).tools[0].schema, {
    type: 'object',
    additionalProperties: false,
    properties: {},
  });
});

test('the digest is fixed in the neighboring file', async () => {
  const manifest = `[artifacts.tools]\npath = "tools.json"\nblake3 = "${'0'.repeat(64)}"\n`;
  const editor = await open({ 'manifest.toml': manifest, 'policy.caps': '[capabilities]\n' });
  const found = await editor.write('tools.json', '{"version":1,"tools":[]}');
  assert.match(String(found[0]?.message), /digest mismatch/);
  const start = { line: 0, character: 0 };
  const actions = (await editor.connection.sendRequest('textDocument/codeAction', {
    textDocument: { uri: editor.uri('tools.json') },
    range: { start, end: start },
    context: { diagnostics: [] },
  })) as { edit: { changes: Record<string, { newText: string }[]> } }[];
  assert.deepEqual(
    actions[0]?.edit.changes[editor.uri('manifest.toml')]?.map(({ newText }) => newText),
    ['ba4dfddf2df3f7e9a9d9b7ec573a58d3ba0f168d7d57dd9f3a9c7bfb548a689e'],
  );
});

test('the outline lists the tools', async () => {
  const editor = await open();
  await editor.write('tools.json', '{"tools":[{"name":"a"},{"name":"b"}]}');
  const symbols = (await editor.connection.sendRequest('textDocument/documentSymbol', {
    textDocument: { uri: editor.uri('tools.json') },
  })) as { name: string }[];
  assert.deepEqual(
    symbols.map(({ name }) => name),
    ['a', 'b'],
  );
});

const TOOL = '{"tools": [{"name": "a", "command": ["./tools/bin/a"]}]}';

test('files of no workspace folder have ids of their own', async () => {
  const editor = await open({ 'x/tools/bin/a': '', 'y/tools/bin/a': '' });
  await editor.write('x/tools.json', TOOL);
  assert.deepEqual(await editor.write('y/tools.json', TOOL), []);
});

test('a folder that is added to the window names the tools of its files', async () => {
  const editor = new Editor({ 'tools/bin/a': '', 'workspace/tools/bin/a': '' });
  await editor.connection.sendRequest('initialize', {
    processId: null,
    rootUri: null,
    capabilities: { workspace: { workspaceFolders: true } },
    workspaceFolders: [],
  });
  await editor.connection.sendNotification('initialized', {});
  await editor.write('tools.json', TOOL);
  assert.deepEqual(await editor.write('workspace/tools.json', TOOL), []);
  const added = [{ uri: editor.uri(''), name: 'shop' }];
  await editor.connection.sendNotification('workspace/didChangeWorkspaceFolders', {
    event: { added, removed: [] },
  });
  const found = await editor.write('workspace/tools.json', `${TOOL}\n`);
  assert.match(found.map(({ message }) => message).join('\n'), /"workspace_a" .* is taken by/);
});
