import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { getMessage } from '../../base/faults.ts';
import { isRecord } from '../../base/json.ts';
import { BUNDLE_DIALECT, DIALECT_IDS, isDialectId } from '../../base/tools/dialectFacts.ts';
import { getToolMaker } from '../../declared/dialectTools.ts';
import type { NamedIn } from '../../declared/findManifests.ts';
import { readDocument } from '../../declared/manifest/parseDocument.ts';
import { diskSurroundings } from '../../declared/manifest/parseSurroundings.ts';
import type { Scaffolded } from '../../declared/scaffold/scaffold.ts';
import { findNewError } from '../../declared/validateNew.ts';
import type { Limits } from '../../runtime/limits.ts';
import type { Command, CommandIo } from '../command.ts';
import { readFolderSettings } from '../config/folderSettings.ts';

export const USAGE = `usage: gatehouse scaffold [--dialect ${DIALECT_IDS.join('|')}] [--root FOLDER] [--workspace DIR] [--force] NAME
  a tool:   [--description TEXT] [--input JSON-SCHEMA]
  a bundle: [--cap-net HOST]… [--cap-fs PATH]… [--cap-kb-read NAME]… [--cap-kb-write NAME]… [--non-interactive]
            [--tool ID (--command PATH | --url URL [--method METHOD]) [--secret ID]…]
`;

const LIST = { type: 'string', multiple: true, default: [] as string[] } as const;
const OPTIONS = {
  dialect: { type: 'string', default: BUNDLE_DIALECT },
  root: { type: 'string', default: '.' },
  workspace: { type: 'string' },
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

/** `gatehouse scaffold`: the files of a new Runloop bundle (spec D-28, D-44), or a first tool of another dialect. */
export const run: Command = (io) => scaffold(io, readFolderSettings(io.cwd, io.env).limits);

type ScaffoldLimits = Pick<Limits, 'schemaMs'>;

/** `gatehouse scaffold` with the limits of its caller. Resolves to the exit code. */
export async function scaffold(io: CommandIo, limits: ScaffoldLimits): Promise<number> {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(io.args);
  } catch (error) {
    return misuse(io, getMessage(error));
  }
  const { values, positionals } = parsed;
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) return misuse(io, 'exactly one NAME is required');
  const input = parseSchema(values.input);
  if (input === undefined) return misuse(io, '--input is not a JSON Schema');
  if (!isDialectId(values.dialect)) return misuse(io, `unknown dialect "${values.dialect}"`);
  const tool = { name, description: values.description ?? `What ${name} does.`, input };
  const root = path.resolve(io.cwd, values.root);
  const { force, dialect } = values;
  const questions = values['non-interactive'] ? undefined : openQuestions(io);
  const request = { tool, root, force, options: values, ask: questions?.ask };
  const created = await getToolMaker(dialect)
    .scaffold(request)
    // A file that exists and can't be read must not be replaced.
    .catch(getMessage)
    .finally(() => questions?.close());
  const workspace = values.workspace && path.resolve(io.cwd, values.workspace);
  const named = { root, cwd: io.cwd, workspace };
  const error = typeof created === 'string' ? created : await findError(created, named, io, limits);
  if (typeof created === 'string' || error !== undefined) {
    io.stderr.write(`error: ${error}\n`);
    return 1;
  }
  write(io, created);
  return 0;
}

/** What is refused by `gatehouse check` is not written. */
function findError(
  created: Scaffolded,
  named: NamedIn & { readonly root: string },
  { env }: CommandIo,
  { schemaMs }: ScaffoldLimits,
) {
  return findNewError(created, named, { surroundings: diskSurroundings(env), schemaMs });
}

function misuse({ stderr }: CommandIo, message: string): number {
  stderr.write(`gatehouse scaffold: ${message}\n${USAGE}`);
  return 2;
}

function parseSchema(text: string | undefined): object | undefined {
  if (text === undefined) return { type: 'object', properties: {}, additionalProperties: false };
  const { value } = readDocument('input.json', text);
  return isRecord(value) ? value : undefined;
}

/** Asks on standard output and reads lines from standard input, which is opened by the first question. */
function openQuestions({ stdin, stdout }: CommandIo) {
  let input: ReturnType<typeof createInterface> | undefined;
  let lines: AsyncIterator<string> | undefined;
  return {
    async ask(question: string): Promise<string> {
      input ??= createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY });
      lines ??= input[Symbol.asyncIterator]();
      stdout.write(question);
      const next = await lines.next();
      return next.done ? '' : next.value.trim();
    },
    close: () => input?.close(),
  };
}

function write(io: CommandIo, { folder, files }: Scaffolded): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
    io.stdout.write(`${path.relative(io.cwd, file)}\n`);
  }
}
