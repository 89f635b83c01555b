import type * as vscode from 'vscode';
import type { NewToolParams, NewToolResult } from '../../acp/gatehouse/tools.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import type { Translate } from '../text/translate.ts';

/** What the wizard needs of the editor. */
export interface NewToolParts {
  readonly window: Pick<
    typeof vscode.window,
    'showQuickPick' | 'showInputBox' | 'showErrorMessage'
  >;
  readonly t: Translate;
  /** The folder that gets the tool; undefined when none is open. */
  root(): Promise<string | undefined>;
  create(tool: NewToolParams): Promise<NewToolResult>;
  open(file: string): Promise<void>;
}

/** *New Tool…*: dialect, name, transport and arguments, one after the other. Escape leaves everything as it was. */
export async function newTool(parts: NewToolParts): Promise<void> {
  const { window, t } = parts;
  const root = await parts.root();
  if (root === undefined) {
    await window.showErrorMessage(t('Open a folder first: a tool is declared in a file.'));
    return;
  }
  const dialect = await askDialect(parts);
  const named = dialect && (await askNames(parts, dialect));
  if (named === undefined || dialect === undefined) return;
  const description = await ask(parts, t('What does it do? The model reads this.'), isFilled(t));
  if (description === undefined) return;
  const transport = dialect === 'runloop' ? await askTransport(parts) : {};
  if (transport === undefined) return;
  const example = await askExample(parts);
  if (example === undefined) return;
  const request = { root, dialect, description, example, ...named, ...transport };
  const { files, error } = await parts.create(request);
  if (error !== undefined) await window.showErrorMessage(t('Gatehouse: {0}', error));
  const [first] = files;
  if (first !== undefined) await parts.open(first);
}

async function askDialect({
  window,
  t,
}: NewToolParts): Promise<NewToolParams['dialect'] | undefined> {
  const items = [
    {
      label: t('A program in this folder'),
      description: 'agentcli · tools.json',
      dialect: 'agentcli' as const,
    },
    {
      label: t('A function in TypeScript'),
      description: 'Compozy · YAML',
      dialect: 'compozy' as const,
    },
    {
      label: t('A program or an HTTP service of an agent'),
      description: 'Runloop · tools.json',
      dialect: 'runloop' as const,
    },
  ];
  const picked = await window.showQuickPick(items, {
    title: t('New Tool'),
    placeHolder: t('What runs?'),
    ignoreFocusOut: true,
  });
  return picked?.dialect;
}

async function askNames(
  parts: NewToolParts,
  dialect: NewToolParams['dialect'],
): Promise<Pick<NewToolParams, 'name' | 'tool'> | undefined> {
  const { t } = parts;
  if (dialect === 'agentcli') {
    const rule = t('Letters, digits, "_" and "-".');
    const name = await ask(parts, t('Name of the tool'), matches(/^[A-Za-z0-9_-]{1,62}$/, rule));
    return name === undefined ? undefined : { name };
  }
  if (dialect === 'compozy') {
    const rule = t('Lower case with hyphens, such as file-reader.');
    const name = await ask(parts, t('Id of the tool'), matches(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, rule));
    return name === undefined ? undefined : { name };
  }
  const rule = t('Lower case, digits and "_", a letter first.');
  const name = await ask(parts, t('Name of the agent'), matches(/^[a-z][a-z0-9_]*$/, rule));
  if (name === undefined) return undefined;
  const idRule = t('Letters, digits, ".", "/", "_" and "-", such as mail.send.');
  const tool = await ask(parts, t('Id of the tool'), matches(/^[A-Za-z0-9_./-]{1,62}$/, idRule));
  return tool === undefined ? undefined : { name, tool };
}

async function askTransport(
  parts: NewToolParts,
): Promise<Pick<NewToolParams, 'command' | 'url' | 'method'> | undefined> {
  const { window, t } = parts;
  const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];
  const exec = { label: t('A program'), method: undefined };
  const items = [
    exec,
    ...methods.map((method) => ({ label: t('An HTTP request: {0}', method), method })),
  ];
  const picked = await window.showQuickPick(items, {
    title: t('New Tool'),
    placeHolder: t('How is it reached?'),
    ignoreFocusOut: true,
  });
  if (picked === undefined) return undefined;
  const { method } = picked;
  if (method === undefined) {
    const command = await ask(
      parts,
      t('Absolute path of the program'),
      matches(/^(?:\/|[A-Za-z]:\\)./, t('It must be absolute.')),
    );
    return command === undefined ? undefined : { command };
  }
  const url = await ask(
    parts,
    t('URL; {name} is a value of the arguments'),
    matches(/^https?:\/\/[^/?#{}\s@]+/, t('It must begin with http:// or https://.')),
  );
  return url === undefined ? undefined : { url, method };
}

async function askExample(parts: NewToolParts): Promise<unknown> {
  const { t } = parts;
  const text = await ask(
    parts,
    t('Arguments of one call as JSON, for example {0}; empty for none', '{"path": "src"}'),
    (value) => (parseExample(value) === undefined ? t('It must be a JSON object.') : undefined),
  );
  return text === undefined ? undefined : parseExample(text);
}

function parseExample(text: string): unknown {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}

type Fault = (text: string) => string | undefined;

function matches(pattern: RegExp, rule: string): Fault {
  return (text) => (pattern.test(text) ? undefined : rule);
}

function isFilled(t: Translate): Fault {
  return (text) => (text.trim() === '' ? t('It must not be empty.') : undefined);
}

async function ask(
  { window, t }: NewToolParts,
  prompt: string,
  validateInput: Fault,
): Promise<string | undefined> {
  return window.showInputBox({ title: t('New Tool'), prompt, validateInput, ignoreFocusOut: true });
}
