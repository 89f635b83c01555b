import type * as vscode from 'vscode';
import type { NewToolParams, NewToolResult } from '../../acp/gatehouse/tools.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import {
  DIALECT_IDS,
  type DialectId,
  getDialectFacts,
  type NameQuestion,
} from '../../base/tools/dialectFacts.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';

/** The parts of the editor and the host that the wizard uses. */
export interface NewToolParts {
  readonly window: Pick<
    typeof vscode.window,
    'showQuickPick' | 'showInputBox' | 'showErrorMessage'
  >;
  readonly t: Translate;
  /** The folder to create the tool in; undefined if none is open or the user cancels. */
  root(): Promise<string | undefined>;
  create(tool: NewToolParams): Promise<NewToolResult>;
  /** Called when files were created. The editor may not watch the folder yet. */
  created(): void;
  open(file: string): Promise<void>;
}

/** *New Tool…*: asks for dialect, name, transport and example arguments. Escape changes nothing. */
export async function newTool(parts: NewToolParts): Promise<void> {
  const { window, t } = parts;
  const root = await parts.root();
  if (root === undefined) {
    await window.showErrorMessage(
      t('Open a folder first. A tool is declared in a file of the workspace.'),
    );
    return;
  }
  const dialect = await askDialect(parts);
  const named = dialect && (await askNames(parts, dialect));
  if (named === undefined || dialect === undefined) return;
  const description = await ask(
    parts,
    t('What the tool does. The model reads this description.'),
    isFilled(t),
  );
  if (description === undefined) return;
  const { needsTransport } = getDialectFacts(dialect);
  const transport = needsTransport ? await askTransport(parts) : {};
  if (transport === undefined) return;
  const example = await askExample(parts);
  if (example === undefined) return;
  const request = { root, dialect, description, example, ...named, ...transport };
  const { files, error } = await parts.create(request);
  if (error !== undefined) await window.showErrorMessage(plainNotice(t('Gatehouse: {0}', error)));
  const [first] = files;
  if (first === undefined) return;
  parts.created();
  await parts.open(first);
}

async function askDialect({ window, t }: NewToolParts): Promise<DialectId | undefined> {
  const items = DIALECT_IDS.map((dialect) => {
    const { runs, format } = getDialectFacts(dialect);
    return { label: t(runs), description: format, dialect };
  });
  const picked = await window.showQuickPick(items, {
    title: t('New Tool'),
    placeHolder: t('Select what the tool runs'),
    ignoreFocusOut: true,
  });
  return picked?.dialect;
}

async function askNames(
  parts: NewToolParts,
  dialect: DialectId,
): Promise<Pick<NewToolParams, 'name' | 'tool'> | undefined> {
  const { nameQuestion, toolQuestion } = getDialectFacts(dialect);
  const name = await askName(parts, nameQuestion);
  if (name === undefined) return undefined;
  if (toolQuestion === undefined) return { name };
  const tool = await askName(parts, toolQuestion);
  return tool === undefined ? undefined : { name, tool };
}

async function askName(
  parts: NewToolParts,
  { prompt, pattern, rule }: NameQuestion,
): Promise<string | undefined> {
  return ask(parts, parts.t(prompt), matches(pattern, parts.t(rule)));
}

async function askTransport(
  parts: NewToolParts,
): Promise<Pick<NewToolParams, 'command' | 'url' | 'method'> | undefined> {
  const { window, t } = parts;
  const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];
  const exec = { label: t('A program'), method: undefined };
  const items = [
    exec,
    ...methods.map((method) => ({ label: t('HTTP request: {0}', method), method })),
  ];
  const picked = await window.showQuickPick(items, {
    title: t('New Tool'),
    placeHolder: t('Select how the tool is called'),
    ignoreFocusOut: true,
  });
  if (picked === undefined) return undefined;
  const { method } = picked;
  if (method === undefined) {
    const command = await ask(
      parts,
      t('Absolute path to the program'),
      matches(/^(?:\/|[A-Za-z]:\\)./, t('Must be an absolute path.')),
    );
    return command === undefined ? undefined : { command };
  }
  const url = await ask(
    parts,
    t('URL. {name} is replaced by the argument of that name.'),
    matches(/^https?:\/\/[^/?#{}\s@]+/, t('Must start with http:// or https://.')),
  );
  return url === undefined ? undefined : { url, method };
}

async function askExample(parts: NewToolParts): Promise<unknown> {
  const { t } = parts;
  const text = await ask(
    parts,
    t(
      'Example arguments as a JSON object, such as {0}. Leave empty if the tool takes none.',
      '{"path": "src"}',
    ),
    (value) => (parseExample(value) === undefined ? t('Must be a JSON object.') : undefined),
  );
  return text === undefined ? undefined : parseExample(text);
}

function parseExample(text: string): unknown {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}

type Validate = (text: string) => string | undefined;

function matches(pattern: RegExp, rule: string): Validate {
  return (text) => (pattern.test(text) ? undefined : rule);
}

function isFilled(t: Translate): Validate {
  return (text) => (text.trim() === '' ? t('Must not be empty.') : undefined);
}

async function ask(
  { window, t }: NewToolParts,
  prompt: string,
  validateInput: Validate,
): Promise<string | undefined> {
  return window.showInputBox({ title: t('New Tool'), prompt, validateInput, ignoreFocusOut: true });
}
