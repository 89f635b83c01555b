import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { getMessage } from '../../base/faults.ts';
import { isRecord } from '../../base/json.ts';
import {
  AGENTCLI_PROGRAM,
  addEntry,
  agentcliEntry,
  compozyEntrypoint,
  compozyText,
  getHost,
  type ToolSketch,
} from '../../declared/authoring.ts';
import { readDocument } from '../../declared/manifest/parseDocument.ts';
import type { Command, CommandIo } from '../command.ts';
import {
  type AskedEntry,
  bundleFiles,
  type Files,
  readIfThere,
  toAsked,
} from './scaffoldBundle.ts';

export const USAGE = `usage: gatehouse scaffold [--dialect runloop|agentcli|compozy] [--root FOLDER] [--force] NAME
  a tool:  [--description TEXT] [--input JSON-SCHEMA]
  runloop: [--cap-net HOST]… [--cap-fs PATH]… [--cap-kb-read NAME]… [--cap-kb-write NAME]… [--non-interactive]
           [--tool ID (--command PATH | --url URL [--method METHOD]) [--secret ID]…]
`;

const LIST = { type: 'string', multiple: true, default: [] as string[] } as const;
const OPTIONS = {
  dialect: { type: 'string', default: 'runloop' },
  root: { type: 'string', default: '.' },
  force: { type: 'boolean', default: false },
  description: { type: 'string' },
  input: { type: 'string' },
  'non-interactive': { type: 'boolean', default: false },
  'cap-net': LIST,
  'cap-fs': LIST,
  'cap-kb-read': LIST,
  'cap-kb-write': LIST,
  tool: { type: 'string' },
  command: { type: 'string' },
  url: { type: 'string' },
  method: { type: 'string', default: 'POST' },
  secret: LIST,
} as const;

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

type Values = ReturnType<typeof parse>['values'];

/** `gatehouse scaffold`: the files of a new Runloop bundle (spec D-28, D-44), or a first tool of another dialect. */
export const run: Command = async (io) => {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(io.args);
  } catch (error) {
    return misuse(io, getMessage(error));
  }
  const { values, positionals } = parsed;
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) return misuse(io, 'one NAME is needed');
  const input = parseSchema(values.input);
  if (input === undefined) return misuse(io, '--input is not a JSON Schema');
  const tool = { name, description: values.description ?? `What ${name} does.`, input };
  const root = path.resolve(io.cwd, values.root);
  const made = await createFiles(io, values, tool, root);
  if (made === undefined) return misuse(io, `unknown dialect "${values.dialect}"`);
  if (typeof made.files === 'string') {
    io.stderr.write(`error: ${made.files}\n`);
    return 1;
  }
  write(io, made.folder, made.files);
  return 0;
};

function misuse({ stderr }: CommandIo, message: string): number {
  stderr.write(`gatehouse scaffold: ${message}\n${USAGE}`);
  return 2;
}

function parseSchema(text: string | undefined): object | undefined {
  if (text === undefined) return { type: 'object', properties: {}, additionalProperties: false };
  const { value } = readDocument('input.json', text);
  return isRecord(value) ? value : undefined;
}

interface Made {
  readonly folder: string;
  /** Or what is wrong. */
  readonly files: Files | string;
}

async function createFiles(
  io: CommandIo,
  values: Values,
  tool: ToolSketch,
  root: string,
): Promise<Made | undefined> {
  switch (values.dialect) {
    case 'runloop':
      return bundle(io, values, tool, root);
    case 'agentcli':
      return { folder: root, files: agentcliFiles(tool, values, root) };
    case 'compozy':
      return { folder: root, files: compozyFiles(tool, values, root) };
    default:
      return undefined;
  }
}

async function bundle(
  io: CommandIo,
  values: Values,
  tool: ToolSketch,
  root: string,
): Promise<Made> {
  const folder = path.join(root, 'agents', tool.name);
  const entry = values.tool === undefined ? undefined : toEntry(values, tool);
  if (typeof entry === 'string') return { folder, files: entry };
  const caps = {
    fs: values['cap-fs'],
    net: values['cap-net'],
    kbRead: values['cap-kb-read'],
    kbWrite: values['cap-kb-write'],
  };
  const { force } = values;
  const options = { folder, name: tool.name, force, entry, caps };
  const files = await bundleFiles(io, { ...options, interactive: !values['non-interactive'] });
  return { folder, files };
}

function toEntry(values: Values, { description, input }: ToolSketch): AskedEntry | string {
  const { tool: id = '', command, url, method, secret: secrets } = values;
  if (!/^[A-Za-z0-9_./-]{1,62}$/.test(id)) return `invalid tool id '${id}'`;
  if (command !== undefined && path.isAbsolute(command)) {
    return toAsked({ id, description, input, secrets, transport: { kind: 'exec', command } });
  }
  if (url === undefined || getHost(url) === undefined)
    return '--command needs an absolute path, or --url a URL';
  const transport = { kind: 'http', method: method.toUpperCase(), url } as const;
  return toAsked({ id, description, input, secrets, transport });
}

function agentcliFiles(tool: ToolSketch, { force }: Values, root: string): Files | string {
  const { name } = tool;
  if (!/^[A-Za-z0-9_-]{1,62}$/.test(name)) return `invalid tool name '${name}'`;
  const before = readIfThere(path.join(root, 'tools.json')) ?? '';
  const { value, faults } = readDocument('tools.json', before === '' ? '{"tools":[]}' : before);
  if (faults.length > 0) return 'tools.json is not JSON: mend it first';
  if (JSON.stringify(value).includes(`"name":${JSON.stringify(name)}`))
    return `the tool ${name} is there already`;
  const program = path.join('tools', 'bin', name);
  if (existsSync(path.join(root, program)) && !force)
    return `path already exists: ${path.join(root, program)}`;
  return { 'tools.json': addEntry(before, agentcliEntry(tool)), [program]: AGENTCLI_PROGRAM };
}

function compozyFiles(tool: ToolSketch, { force }: Values, root: string): Files | string {
  const { name } = tool;
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return `invalid tool id '${name}'`;
  const file = path.join('tools', `${name}.yaml`);
  if (existsSync(path.join(root, file)) && !force)
    return `path already exists: ${path.join(root, file)}`;
  const isThere = (each: string): boolean => existsSync(path.join(root, each));
  return {
    [file]: compozyText(tool),
    ...(!isThere('tools.ts') && { 'tools.ts': compozyEntrypoint(name) }),
    ...(!isThere('compozy.yaml') && { 'compozy.yaml': `name: ${path.basename(root)}\n` }),
  };
}

function write(io: CommandIo, folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
    io.stdout.write(`${path.relative(io.cwd, file)}\n`);
  }
}
