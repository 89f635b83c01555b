import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CodeAction, CodeLens, CompletionItem, Hover } from 'vscode-languageserver/node';
import { RULE_WINDOW_METHOD } from '../../../../src/base/tools/ruleWindow.ts';
import { Editor } from '../editor.ts';

const SETTINGS = '.vscode/settings.json';

async function complete(marked: string, facts?: object): Promise<readonly CompletionItem[]> {
  const editor = await new Editor().start({ schemas: true });
  if (facts !== undefined) await editor.connection.sendNotification(RULE_WINDOW_METHOD, facts);
  const found = await editor.ask('textDocument/completion', SETTINGS, marked);
  return found as readonly CompletionItem[];
}

const labels = (items: readonly CompletionItem[]) => items.map(({ label }) => label);
const inRule = (fields: string) => `{"gatehouse.permissions": [ // mine\n {${fields}},\n]}`;

test('permissions are tools, capabilities and the tools of the window', async () => {
  const found = labels(
    await complete(inRule('"permission": "|"'), { tools: ['bash', 'ws_clock'] }),
  );
  for (const name of ['bash', 'web_fetch', 'apply_patch', 'fs.write', 'ws_clock', 'copy', '*'])
    assert.ok(found.includes(name), `${name} is not among ${found}`);
  assert.equal(new Set(found).size, found.length);
});

test('actions are offered, the strict ones first, also without quotes', async () => {
  for (const action of ['"|"', '|', '"a|"'])
    assert.deepEqual(labels(await complete(inRule(`"action": ${action}`))), [
      'ask',
      'deny',
      'allow',
    ]);
});

const ASKED = {
  asked: [
    { permission: 'bash', pattern: 'touch *' },
    { permission: 'edit', pattern: 'src/a b' },
    { permission: 7 },
    'nothing',
  ],
};

test('patterns are those that requests of the window offered, for the same kind of tool', async () => {
  const command = await complete(inRule('"permission": "bash", "pattern": "|"'), ASKED);
  assert.deepEqual([command[0]?.label, command[0]?.detail], ['touch *', 'Asked in this window.']);
  assert.ok(!labels(command).includes('src/a b'));
  const path = labels(await complete(inRule('"permission": "fs.write", "pattern": "|"'), ASKED));
  assert.equal(path[0], 'src/a b');
  assert.ok(path.includes('{workspace}/**') && !path.includes('npm test'));
  const host = labels(await complete(inRule('"pattern": "|", "permission": "web_fetch"')));
  assert.ok(host.includes('*.example.com'));
});

test('an item replaces what is written, and a whole rule can be chosen', async () => {
  const marked = inRule('"permission": "ba|sh"');
  const [item] = (await complete(marked)).filter(({ label }) => label === 'bash');
  assert.deepEqual(item?.textEdit, {
    range: { start: { line: 1, character: 16 }, end: { line: 1, character: 22 } },
    newText: '"bash"',
  });
  const rules = await complete('{"gatehouse.permissions": [|]}', ASKED);
  assert.deepEqual(labels(rules), ['bash touch *', 'edit src/a b']);
  const edit = rules[0]?.textEdit;
  assert.match(
    edit?.newText ?? '',
    /"pattern": "touch \*",\s+"action": "\$\{1\|allow,ask,deny\|\}"/,
  );
});

test('names of fields, other settings and other files have no completion of rules', async () => {
  assert.deepEqual(await complete(inRule('"|": "bash"')), []);
  assert.deepEqual(await complete('{"gatehouse.permissions": [], "editor.wordWrap": "|"}'), []);
  const workspace = '{"settings": {"gatehouse.permissions": [{"action": "|"}]}}';
  const editor = await new Editor().start({ schemas: true });
  const found = await editor.ask('textDocument/completion', 'x.code-workspace', workspace);
  assert.equal((found as readonly CompletionItem[]).length, 3);
});

async function hover(rules: readonly string[]): Promise<string> {
  const editor = await new Editor().start({ schemas: true });
  const marked = `{"gatehouse.permissions": [\n${rules.join(',\n')}\n]}`;
  const found = (await editor.ask('textDocument/hover', SETTINGS, marked)) as Hover | null;
  const contents = found?.contents;
  return typeof contents === 'object' && 'value' in contents ? contents.value : '';
}

const rule = (permission: string, pattern: string, action: string) =>
  JSON.stringify({ permission, pattern, action });
const pointed = (permission: string, pattern: string, action: string) =>
  rule(permission, pattern, action).replace('permission', 'per|mission');

/** A rule, and what its hover says about it. */
const HOVERS: readonly (readonly [permission: string, pattern: string, action: string, RegExp])[] =
  [
    [
      'bash',
      'git push origin',
      'ask',
      /asks every time.*Program `git`, words `push origin`, with or without further words/s,
    ],
    ['bash', 'ls', 'allow', /runs without asking.*tool `bash`.*Program `ls`, with or without/s],
    ['bash', 'npm*', 'deny', /is denied.*Program `npm\*`/s],
    ['shell.run', '*', 'deny', /every tool that needs `shell.run`.*Matches everything/s],
    ['fs.read', '**/.env', 'deny', /Path `\*\*\/\.env` in every folder\./],
    [
      'edit',
      'src',
      'allow',
      /Path `src`, relative to each workspace folder, with everything below it/,
    ],
    ['read', '~/notes', 'allow', /in your home folder, with everything below it/],
    ['web_fetch', '*.example.com', 'allow', /Every subdomain of `example.com`, ports 80 and 443/],
    ['web_fetch', 'a.example:81', 'deny', /Host `a.example`, port 81/],
    ['web_fetch', 'a.example', 'deny', /every port/],
    ['mcp:gh:*', 'x', 'ask', /MCP tools `mcp:gh:\*`/],
    ['ws_fmt', '*', 'allow', /tool `ws_fmt` of this workspace/],
    ['bsh', 'cat', 'ask', /has no effect.*is named `bsh`\. Did you mean `bash`\?\n\nRule 1 of 1/s],
    ['mcp:gh', 'x', 'deny', /has no effect.*is named `mcp:gh`\. Did you mean `mcp:gh:\*`\?/s],
    ['fs.list*', 'x', 'deny', /has no effect.*is named `fs\.list\*`\.\n/s],
  ];

for (const [permission, pattern, action, expected] of HOVERS) {
  test(`the hover of ${action} ${permission} ${pattern} says what it matches`, async () => {
    assert.match(await hover([pointed(permission, pattern, action)]), expected);
  });
}

test('a wildcard at the end is no word', async () => {
  const text = await hover([pointed('bash', 'touch *', 'ask')]);
  assert.match(text, /Program `touch`, with or without further words/);
});

test('a hover lists what the rule overrides and what overrides it, with lines', async () => {
  const text = await hover([
    rule('bash', 'git *', 'deny'),
    pointed('bash', 'git log', 'allow'),
    rule('bash', 'git log -p', 'ask'),
    rule('read', 'git log', 'deny'),
  ]);
  assert.match(text, /Rule 2 of 4 in this file/);
  assert.match(text, /Overrides:\n- `deny bash git \*` \(line 2\)/);
  assert.match(text, /Overridden by:\n- `ask bash git log -p` \(line 4\)/);
  assert.doesNotMatch(text, /deny read/);
  const wide = await hover([pointed('bash', '*', 'allow')]);
  assert.match(wide, /Overridden by:\n(?:- `ask bash [^`]*` \(shipped\)\n){5}- and \d+ more/);
  assert.match(await hover([pointed('bash', 'ls', 'no')]), /can’t be read.*treated as “ask”/s);
});

test('quick fixes come with their diagnostic', async () => {
  const editor = await new Editor().start({ schemas: true });
  const [diagnostic] = await editor.write(
    SETTINGS,
    inRule('"permission": "bsh", "pattern": "ls", "action": "ask"'),
  );
  assert.ok(diagnostic);
  const actions = (await editor.connection.sendRequest('textDocument/codeAction', {
    textDocument: { uri: editor.uri(SETTINGS) },
    range: diagnostic.range,
    context: { diagnostics: [diagnostic] },
  })) as readonly CodeAction[];
  const [fix] = actions;
  assert.deepEqual(
    [fix?.title, fix?.kind, fix?.isPreferred],
    ['Replace with "bash"', 'quickfix', true],
  );
  assert.deepEqual(fix?.diagnostics, [diagnostic]);
  assert.deepEqual(fix?.edit?.changes?.[editor.uri(SETTINGS)]?.[0]?.newText, '"bash"');
});

test('tools that the editor learns of later lose their diagnostic', async () => {
  const editor = await new Editor().start({ schemas: true });
  const text = inRule('"permission": "clock", "pattern": "*", "action": "ask"');
  assert.equal((await editor.write(SETTINGS, text)).length, 1);
  await editor.connection.sendNotification(RULE_WINDOW_METHOD, { tools: ['clock'] });
  assert.deepEqual(await editor.write(SETTINGS, `${text} `), []);
});

test('a lens says how often a rule of this file decided, and nothing about others', async () => {
  const editor = await new Editor().start({ schemas: true });
  const uri = editor.uri(SETTINGS);
  const lenses = async () =>
    ((await editor.connection.sendRequest('textDocument/codeLens', {
      textDocument: { uri },
    })) as readonly CodeLens[]) ?? [];
  const rules = [rule('bash', 'ls', 'allow'), rule('bash', 'cat', 'no'), rule('bash', 'rm', 'ask')];
  await editor.write(SETTINGS, `{"gatehouse.permissions": [\n${rules.join(',\n')}\n]}`);
  assert.deepEqual(await lenses(), []);
  const use = { uri, permission: 'bash', pattern: 'ls', action: 'allow', text: 'Used once' };
  const uses = [use, { ...use, uri: 'file:///x', pattern: 'rm', action: 'ask' }, { uri }, 5];
  await editor.connection.sendNotification(RULE_WINDOW_METHOD, { uses });
  assert.deepEqual(
    (await lenses()).map(({ range, command }) => [range.start.line, command?.title]),
    [[1, 'Used once']],
  );
});
