import path from 'node:path';
import type { Readable } from 'node:stream';
import { isRecord } from '../../base/json.ts';
import { type Outcome, success } from '../../base/outcome.ts';
import { explainedLines } from '../../base/tools/explained.ts';
import { getToolFacts, toToolInput } from '../../base/tools/toolFacts.ts';
import type { Command, CommandIo } from '../command.ts';
import { dataFolder } from '../config/dataFolder.ts';
import { type ExplainDefaults, explainLine } from './explainLine.ts';
import { readJsonOption } from './jsonOption.ts';

export const USAGE = `usage: gatehouse explain < LINES
       gatehouse explain --tool TOOL INPUT [--rules JSON|FILE] [--workspace DIR] [--cwd DIR] [--shell bash|pwsh|cmd] [--no-defaults]

Explains what the rules decide about a call, and why. Nothing is run.
Without --tool, each line of standard input is a JSON object
  {id, tool, input, rules, capabilities?, workspace?, cwd?, headless?, shell?, platform?, defaults?}
and gets one line of JSON as its answer.

With --tool, INPUT is what the rules match (a command line, a path, an address) or the tool's
arguments as JSON, and the answer is text:
  --workspace DIR      the open folder; default: the current folder
  --cwd DIR            where a relative path starts and a command runs; default: the open folder
  --rules JSON|FILE    rules in addition to the shipped ones: [{"permission","pattern","action"}];
                       a value that starts with [ or { is JSON, any other is the name of a file
  --no-defaults        omit the shipped rules
  --shell NAME         the shell that parses a command line; default: bash, on Windows pwsh

exit: 0 decided, 1 invalid arguments for the tool, 2 invalid flags
`;

/** `gatehouse explain`: prints the decisions on calls, without running them. */
export const run: Command = async (io) => {
  if (io.args.length > 0) return explainOne(io);
  const defaults = getFolders(io);
  for await (const line of splitLines(io.stdin)) {
    if (line.trim() === '') continue;
    io.stdout.write(`${JSON.stringify(await explainLine(line, defaults))}\n`);
  }
  return 0;
};

/** Splits at line feeds only: JSON text may contain other line separators. */
async function* splitLines(stream: Readable): AsyncIterable<string> {
  stream.setEncoding('utf8');
  let rest: string[] = [];
  for await (const chunk of stream) {
    const [first = '', ...others] = String(chunk).split('\n');
    rest.push(first);
    for (const next of others) {
      yield rest.join('');
      rest = [next];
    }
  }
  yield rest.join('');
}

async function explainOne(io: CommandIo): Promise<number> {
  const words = readWords(io.args);
  if (typeof words === 'string') {
    io.stderr.write(`gatehouse explain: ${words}\n\n${USAGE}`);
    return 2;
  }
  const { tool, input, workspace, cwd, shell, defaults } = words;
  const rules = await readRules(words, io);
  if (!rules.ok) {
    io.stderr.write(`gatehouse explain: ${rules.error}\n`);
    return 2;
  }
  const line = JSON.stringify({
    tool,
    input: toInput(tool, input),
    rules: rules.data,
    workspace: path.resolve(io.cwd, workspace ?? '.'),
    defaults,
    ...(cwd !== undefined && { cwd }),
    ...(shell !== undefined && { shell }),
  });
  const explanation = await explainLine(line, getFolders(io));
  io.stdout.write(`${explainedLines(explanation).join('\n')}\n`);
  return explanation.decision === 'error' ? 1 : 0;
}

async function readRules({ rules }: Words, { cwd }: CommandIo): Promise<Outcome<unknown>> {
  if (rules === undefined) return success([]);
  const read = await readJsonOption(rules, '--rules', cwd);
  return read.ok ? success(read.data.value) : read;
}

interface Words {
  readonly tool: string;
  readonly input: string;
  readonly cwd?: string;
  readonly rules?: string;
  readonly workspace?: string;
  readonly shell?: string;
  readonly defaults: boolean;
}

const OPTIONS = new Set(['--tool', '--rules', '--workspace', '--cwd', '--shell']);

function readWords(args: readonly string[]): Words | string {
  const found = new Map<string, string>();
  const operands: string[] = [];
  let defaults = true;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    if (word === '--no-defaults') defaults = false;
    else if (OPTIONS.has(word)) {
      index += 1;
      const value = args[index];
      if (value === undefined) return `${word} needs a value.`;
      found.set(word, value);
    } else if (word.startsWith('--')) return `unknown option ${word}.`;
    else operands.push(word);
  }
  const tool = found.get('--tool');
  const [input, ...more] = operands;
  if (tool === undefined || input === undefined) return 'expected --tool and an INPUT.';
  if (more.length > 0) return `unexpected argument: ${more.join(' ')}. Quote the whole command.`;
  const rules = found.get('--rules');
  const workspace = found.get('--workspace');
  const cwd = found.get('--cwd');
  const shell = found.get('--shell');
  return {
    tool,
    input,
    defaults,
    ...(rules !== undefined && { rules }),
    ...(workspace !== undefined && { workspace }),
    ...(cwd !== undefined && { cwd }),
    ...(shell !== undefined && { shell }),
  };
}

/**
 * A command line may look like JSON, so only an object with the tool's argument is taken as
 * arguments. Input of an unknown tool that is not JSON stays a string.
 */
function toInput(tool: string, text: string): unknown {
  const facts = getToolFacts(tool);
  const plain = toToolInput(tool, text);
  const parsed = parseInput(text);
  if (plain === undefined) return parsed;
  if (facts?.about !== 'command') return typeof parsed === 'object' ? parsed : plain;
  return isRecord(parsed) && typeof parsed[facts.argument] === 'string' ? parsed : plain;
}

/** Text that is not JSON stays a string, which the schema then rejects. */
function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The host's folders, and the root of a session without a folder. None is created. */
function getFolders({ env }: CommandIo): ExplainDefaults {
  const root = dataFolder(env);
  const userData = path.join(root, 'user');
  return { scratch: path.join(userData, 'scratch'), userData, state: path.join(root, 'state') };
}
