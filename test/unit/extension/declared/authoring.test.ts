import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolRow } from '../../../../src/base/tools/toolRow.ts';
import { type NewToolParts, newTool } from '../../../../src/extension/declared/newTool.ts';
import { toolEntries } from '../../../../src/extension/declared/toolEntries.ts';
import { askArguments } from '../../../../src/extension/declared/toolForm.ts';
import { tryTool } from '../../../../src/extension/declared/tryTool.ts';
import { english } from '../english.ts';

/**
 * A user who answers in order: the text for an input, the label for a pick. A bad text is told, and
 * the next one tried.
 */
function user(answers: readonly (string | undefined)[]) {
  const left = [...answers];
  const said: string[] = [];
  const window = {
    showQuickPick: async (items: readonly { label: string }[]) => {
      const label = left.shift();
      return items.find((item) => item.label === label);
    },
    showInputBox: async ({
      validateInput,
    }: {
      validateInput?: (text: string) => string | undefined;
    }) => {
      for (;;) {
        const text = left.shift();
        const fault = text === undefined ? undefined : validateInput?.(text);
        if (fault === undefined) return text;
        said.push(fault);
      }
    },
    showErrorMessage: async (text: string) => void said.push(text),
    showWarningMessage: async (text: string) => void said.push(text),
  };
  return { window: window as never, said };
}

async function wizard(answers: readonly (string | undefined)[], more: Partial<NewToolParts> = {}) {
  const { window, said } = user(answers);
  const created: unknown[] = [];
  const opened: string[] = [];
  await newTool({
    window,
    t: english,
    root: async () => '/shop',
    create: async (request) => {
      created.push(request);
      return { files: ['/shop/tools.json', '/shop/tools/bin/clock'] };
    },
    created: () => void opened.push('announced'),
    open: async (file) => void opened.push(file),
    ...more,
  });
  return { created, opened, said };
}

test('a program of this folder takes a name, a description and an example', async () => {
  const { created, opened, said } = await wizard([
    'A program in this folder',
    'a b',
    'clock',
    'Tells the time.',
    '{"tz": "UTC"',
    '{"tz": "UTC"}',
  ]);
  assert.deepEqual(created, [
    {
      root: '/shop',
      dialect: 'agentcli',
      description: 'Tells the time.',
      example: { tz: 'UTC' },
      name: 'clock',
    },
  ]);
  assert.deepEqual(opened, ['announced', '/shop/tools.json']);
  assert.deepEqual(said, ['Use letters, digits, "_" and "-".', 'Must be a JSON object.']);
});

test('an attachment of an agent takes its transport too', async () => {
  const { created } = await wizard([
    'A program or an HTTP service of an agent',
    'mailer',
    'mail.send',
    'Sends.',
    'HTTP request: POST',
    'https://api.mail.example/send',
    '',
  ]);
  assert.deepEqual(created, [
    {
      root: '/shop',
      dialect: 'runloop',
      description: 'Sends.',
      example: {},
      name: 'mailer',
      tool: 'mail.send',
      url: 'https://api.mail.example/send',
      method: 'POST',
    },
  ]);
});

test('leaving at any step creates nothing', async () => {
  const steps = ['A program in this folder', 'clock', 'Tells the time.', '{}'];
  for (let length = 0; length < steps.length; length++) {
    const { created } = await wizard([...steps.slice(0, length), undefined]);
    assert.deepEqual(created, [], `after ${length}`);
  }
});

test('errors of the host are shown, and nothing starts without a folder', async () => {
  const refused = await wizard(['A program in this folder', 'clock', 'x', ''], {
    create: async () => ({ files: [], error: 'the tool clock already exists' }),
  });
  assert.deepEqual(refused.said, ['Gatehouse: the tool clock already exists']);
  assert.deepEqual(refused.opened, []);
  const homeless = await wizard([], { root: async () => undefined });
  assert.deepEqual(homeless.said, [
    'Open a folder first. A tool is declared in a file of the workspace.',
  ]);
});

test('a form asks field by field, in the words and types of the schema', async () => {
  const schema = {
    properties: {
      path: { type: 'string', description: 'What to read.' },
      count: { type: 'integer' },
      mode: { enum: ['a', 'b'] },
      deep: { type: 'boolean' },
      tags: { type: 'array' },
      note: { type: 'string' },
    },
    required: ['path', 'count', 'mode'],
  };
  const { window, said } = user(['src', '1.5', '2', 'b', 'true', '["x"]', '']);
  assert.deepEqual(await askArguments({ window, t: english }, 'x', schema), {
    path: 'src',
    count: 2,
    mode: 'b',
    deep: true,
    tags: ['x'],
  });
  assert.deepEqual(said, ['Must be an integer.']);
  const left = user(['src', undefined]);
  assert.equal(await askArguments({ window: left.window, t: english }, 'x', schema), undefined);
});

test('the description of a field is no link that runs a command', async () => {
  const prompts: (string | undefined)[] = [];
  const showInputBox = async ({ prompt }: { readonly prompt?: string }) => {
    prompts.push(prompt);
    return 'src';
  };
  const window = { showInputBox } as never;
  const description = '**Folder**: [Browse](command:workbench.action.quit) \\[a\\](command:b)';
  const schema = { properties: { path: { type: 'string', description } }, required: ['path'] };
  await askArguments({ window, t: english }, 'x', schema);
  assert.deepEqual(prompts, [
    'path: Folder: Browse (command:workbench.action.quit) [a] (command:b)',
  ]);
});

const ROW: ToolRow = {
  id: 'shop_clock',
  source: 'declared',
  kind: 'other',
  description: '',
  requires: {},
  parameters: { properties: { tz: { type: 'string' } } },
  state: 'offered',
  file: '/shop/tools.json',
  pointer: '/tools/0',
};

async function tried(rows: readonly ToolRow[], answers: readonly string[]) {
  const { window, said } = user(answers);
  const called: unknown[] = [];
  const shown: object[] = [];
  await tryTool(
    {
      window,
      t: english,
      session: async () => 's',
      tools: async () => rows,
      call: async (request) => {
        called.push(request);
        return { envelope: { type: 'output' } };
      },
      show: async (result) => void shown.push(result),
    },
    { file: '/shop/tools.json', pointer: '/tools/0' },
  );
  return { called, shown, said };
}

test("a tool is tried with the form's arguments, and its envelope is shown", async () => {
  const { called, shown } = await tried([ROW], ['UTC']);
  assert.deepEqual(called, [
    { file: '/shop/tools.json', pointer: '/tools/0', sessionId: 's', input: { tz: 'UTC' } },
  ]);
  assert.deepEqual(shown, [{ envelope: { type: 'output' } }]);
});

test('a tool that is not offered is not tried, and the reason is shown', async () => {
  const held = {
    ...ROW,
    state: 'not offered' as const,
    why: 'You have not accepted it.',
    pointer: '/tools/0/name',
  };
  const { called, said } = await tried([held], []);
  assert.deepEqual([called, said], [[], ['Cannot try this tool yet. You have not accepted it.']]);
});

test('the tools of a document are found where they are written', () => {
  assert.deepEqual(toolEntries('/a/tools.json', '{"tools":[{}, {"x":1}]}'), [
    { offset: 10, pointer: '/tools/0' },
    { offset: 14, pointer: '/tools/1' },
  ]);
  assert.deepEqual(toolEntries('/a/x.yaml', '# mine\nresource: "tool"\n'), [
    { offset: 7, pointer: '' },
  ]);
  assert.deepEqual(toolEntries('/a/x.yaml', 'resource: agent\n'), []);
  assert.deepEqual(toolEntries('/a/package.json', '{"tools":[{}]}'), []);
});
