import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import {
  AGENTCLI_PROGRAM,
  addEntry,
  agentcliEntry,
  bundleCaps,
  bundleManifest,
  compozyEntrypoint,
  compozyText,
  EMPTY_DOCUMENT,
  hostOf,
  type NewCaps,
  runloopEntry,
} from '../declared/authoring.ts';
import type { Command, CommandIo } from './commands.ts';

const USAGE = `usage: gatehouse scaffold [--dialect runloop|agentcli|compozy] [--root FOLDER] [--force] NAME
  runloop: [--cap-net HOST]… [--cap-fs PATH]… [--cap-kb-read NAME]… [--cap-kb-write NAME]… [--non-interactive]
`;

const OPTIONS = {
  dialect: { type: 'string', default: 'runloop' },
  root: { type: 'string', default: '.' },
  force: { type: 'boolean', default: false },
  'non-interactive': { type: 'boolean', default: false },
  'cap-net': { type: 'string', multiple: true, default: [] as string[] },
  'cap-fs': { type: 'string', multiple: true, default: [] as string[] },
  'cap-kb-read': { type: 'string', multiple: true, default: [] as string[] },
  'cap-kb-write': { type: 'string', multiple: true, default: [] as string[] },
} as const;

type Parsed = ReturnType<typeof parse>;

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

/** `gatehouse scaffold`: the files of a new Runloop bundle (D-28, D-44), or a first tool of another dialect. */
export const run: Command = async (io) => {
  let parsed: Parsed;
  try {
    parsed = parse(io.args);
  } catch (error) {
    return misuse(io, error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) return misuse(io, 'one NAME is needed');
  switch (values.dialect) {
    case 'runloop':
      return scaffoldBundle(io, name, values);
    case 'agentcli':
      return scaffoldAgentcli(io, name, values);
    case 'compozy':
      return scaffoldCompozy(io, name, values);
    default:
      return misuse(io, `unknown dialect "${values.dialect}"`);
  }
};

function misuse({ stderr }: CommandIo, message: string): number {
  stderr.write(`gatehouse scaffold: ${message}\n${USAGE}`);
  return 2;
}

function fail({ stderr }: CommandIo, message: string): number {
  stderr.write(`error: ${message}\n`);
  return 1;
}

async function scaffoldBundle(
  io: CommandIo,
  name: string,
  values: Parsed['values'],
): Promise<number> {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) return fail(io, `invalid agent name '${name}'`);
  const folder = path.resolve(io.cwd, values.root, 'agents', name);
  if (existsSync(folder) && !values.force) return fail(io, `path already exists: ${folder}`);
  const entries = values['non-interactive'] ? [] : await askEntries(io);
  const tools = entries.reduce((text, { entry }) => addEntry(text, entry), EMPTY_DOCUMENT);
  const caps: NewCaps = {
    fs: values['cap-fs'],
    net: [...values['cap-net'], ...entries.flatMap(({ host }) => host ?? [])],
    kbRead: values['cap-kb-read'],
    kbWrite: values['cap-kb-write'],
    secrets: entries.flatMap(({ secrets }) => secrets),
    exec: entries.some(({ host }) => host === undefined),
  };
  return write(io, folder, {
    'tools.json': tools,
    'manifest.toml': bundleManifest(name, tools),
    'policy.caps': bundleCaps(caps),
  });
}

interface Asked {
  readonly entry: object;
  readonly host: string | undefined;
  readonly secrets: readonly string[];
}

/** Offers entries until the author has no more (D-28). The end of the input is a no. */
async function askEntries(io: CommandIo): Promise<readonly Asked[]> {
  const lines = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY })[
    Symbol.asyncIterator
  ]();
  const ask = async (question: string): Promise<string> => {
    io.stdout.write(question);
    const next = await lines.next();
    return next.done ? '' : next.value.trim();
  };
  const asked: Asked[] = [];
  while (/^y/i.test(await ask('Add a tool? [y/N] '))) asked.push(await askEntry(ask));
  await lines.return?.();
  return asked;
}

async function askEntry(ask: (question: string) => Promise<string>): Promise<Asked> {
  const name = await askUntil(ask, 'Id (such as mail.send): ', (text) =>
    /^[A-Za-z0-9_./-]+$/.test(text),
  );
  const description = await askUntil(ask, 'Description: ', (text) => text !== '');
  const kind = await askUntil(ask, 'Transport (exec or http): ', (text) =>
    /^(?:exec|http)$/.test(text),
  );
  const secrets = (await ask('Secret ids, separated by commas (none): '))
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean);
  const tool = { name, description, input: { type: 'object' } };
  if (kind === 'exec') {
    const command = await askUntil(ask, 'Absolute path of the program: ', (text) =>
      path.isAbsolute(text),
    );
    return {
      entry: runloopEntry(tool, { kind: 'exec', command }, secrets),
      host: undefined,
      secrets,
    };
  }
  const method = (await ask('Method (POST): ')).toUpperCase() || 'POST';
  const url = await askUntil(ask, 'URL: ', (text) => hostOf(text) !== undefined);
  return {
    entry: runloopEntry(tool, { kind: 'http', method, url }, secrets),
    host: hostOf(url),
    secrets,
  };
}

/** Asks again after an answer that does not fit, three times in all. */
async function askUntil(
  ask: (question: string) => Promise<string>,
  question: string,
  fits: (text: string) => boolean,
): Promise<string> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const text = await ask(question);
    if (fits(text)) return text;
  }
  throw new Error(`No answer fits: ${question.trim()}`);
}

const ANY_INPUT = { type: 'object', properties: {}, additionalProperties: false };

function scaffoldAgentcli(io: CommandIo, name: string, values: Parsed['values']): number {
  if (!/^[A-Za-z0-9_-]{1,62}$/.test(name)) return fail(io, `invalid tool name '${name}'`);
  const folder = path.resolve(io.cwd, values.root);
  const file = path.join(folder, 'tools.json');
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const text = addEntry(
    before,
    agentcliEntry({ name, description: `What ${name} does.`, input: ANY_INPUT }),
  );
  const program = path.join('tools', 'bin', name);
  if (existsSync(path.join(folder, program)) && !values.force) {
    return fail(io, `path already exists: ${path.join(folder, program)}`);
  }
  return write(io, folder, { 'tools.json': text, [program]: AGENTCLI_PROGRAM });
}

function scaffoldCompozy(io: CommandIo, name: string, values: Parsed['values']): number {
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return fail(io, `invalid tool id '${name}'`);
  const folder = path.resolve(io.cwd, values.root);
  const file = path.join('tools', `${name}.yaml`);
  if (existsSync(path.join(folder, file)) && !values.force) {
    return fail(io, `path already exists: ${path.join(folder, file)}`);
  }
  const hasEntrypoint = existsSync(path.join(folder, 'tools.ts'));
  return write(io, folder, {
    [file]: compozyText({ name, description: `What ${name} does.`, input: ANY_INPUT }),
    ...(!hasEntrypoint && { 'tools.ts': compozyEntrypoint(name) }),
    ...(!existsSync(path.join(folder, 'compozy.yaml')) && {
      'compozy.yaml': `name: ${path.basename(folder)}\n`,
    }),
  });
}

function write(io: CommandIo, folder: string, files: Readonly<Record<string, string>>): number {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
    io.stdout.write(`${path.relative(io.cwd, file)}\n`);
  }
  return 0;
}
