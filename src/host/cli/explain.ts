import path from 'node:path';
import type { Readable } from 'node:stream';
import { explainedLines } from '../../base/tools/explained.ts';
import { getToolFacts } from '../../base/tools/toolFacts.ts';
import type { Command, CommandIo } from '../command.ts';
import { dataFolder } from '../config/dataFolder.ts';
import { type ExplainDefaults, explainLine } from './explainLine.ts';

export const USAGE = `usage: gatehouse explain < LINES
       gatehouse explain --tool TOOL INPUT [--rules JSON] [--workspace DIR] [--shell bash|pwsh|cmd] [--no-defaults]

Says what the rules decide on a call, and why. Nothing is run.
Without --tool, every line of standard input is a JSON object
  {id, tool, input, rules, capabilities?, workspace?, cwd?, headless?, shell?, platform?, defaults?}
and one JSON line answers it.

With --tool, INPUT is what the rules look at (a command line, a path, an address) or the tool's
arguments as JSON, and the answer is for people:
  --workspace DIR      the open folder; default: this one
  --rules JSON         rules of your own beside the shipped ones: [{"permission","pattern","action"}]
  --no-defaults        without the shipped rules
  --shell NAME         how a command line is read; default: bash, on Windows pwsh

exit: 0 decided, 1 the arguments do not fit the tool, 2 unreadable flags
`;

/** `gatehouse explain`: the decision on calls, without running them. */
export const run: Command = async (io) => {
  if (io.args.length > 0) return explainOne(io);
  const defaults = getFolders(io);
  for await (const line of splitLines(io.stdin)) {
    if (line.trim() === '') continue;
    io.stdout.write(`${JSON.stringify(await explainLine(line, defaults))}\n`);
  }
  return 0;
};

/** Cut at line feeds only: other line ends may stand inside a JSON text. */
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
  const { tool, input, rules, workspace, shell, defaults } = words;
  const line = JSON.stringify({
    tool,
    input: toInput(tool, input),
    rules: rules === undefined ? [] : parseInput(rules),
    workspace: path.resolve(io.cwd, workspace ?? '.'),
    defaults,
    ...(shell !== undefined && { shell }),
  });
  const explanation = await explainLine(line, getFolders(io));
  io.stdout.write(`${explainedLines(explanation).join('\n')}\n`);
  return explanation.decision === 'error' ? 1 : 0;
}

interface Words {
  readonly tool: string;
  readonly input: string;
  readonly rules?: string;
  readonly workspace?: string;
  readonly shell?: string;
  readonly defaults: boolean;
}

const OPTIONS = new Set(['--tool', '--rules', '--workspace', '--shell']);

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
    } else if (word.startsWith('--')) return `${word} is not known.`;
    else operands.push(word);
  }
  const tool = found.get('--tool');
  const [input, ...more] = operands;
  if (tool === undefined || input === undefined) return 'name the tool and its input.';
  if (more.length > 0) return `unexpected: ${more.join(' ')}. Quote the whole command.`;
  const rules = found.get('--rules');
  const workspace = found.get('--workspace');
  const shell = found.get('--shell');
  return {
    tool,
    input,
    defaults,
    ...(rules !== undefined && { rules }),
    ...(workspace !== undefined && { workspace }),
    ...(shell !== undefined && { shell }),
  };
}

/** A command line is never JSON; what is neither JSON nor of a tool we know stays a text. */
function toInput(tool: string, text: string): unknown {
  const facts = getToolFacts(tool);
  const plain = facts?.toInput?.(text);
  if (plain === undefined || facts?.about === 'command') return plain ?? parseInput(text);
  const parsed = parseInput(text);
  return typeof parsed === 'object' ? parsed : plain;
}

/** What is no JSON stays a text; the schema then says what is wrong with it. */
function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The host's own folders, and where a session without a folder would stand; none is made. */
function getFolders({ env }: CommandIo): ExplainDefaults {
  const root = dataFolder(env);
  const userData = path.join(root, 'user');
  return { scratch: path.join(userData, 'scratch'), userData, state: path.join(root, 'state') };
}
