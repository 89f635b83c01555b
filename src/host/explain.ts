import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Command, CommandIo } from './commands.ts';
import { dataFolder } from './dataFolder.ts';
import { type Explanation, explainLine } from './explainLine.ts';

const USAGE = `usage: gatehouse explain < LINES
       gatehouse explain --tool TOOL INPUT [--rules JSON] [--workspace DIR] [--shell bash|pwsh|cmd] [--no-defaults]

Says what the rules decide on a call, and why. Nothing is run.
Without --tool, every line of standard input is a JSON object
  {id, tool, input, rules, capabilities?, workspace?, cwd?, headless?, shell?, platform?, defaults?}
and one JSON line answers it. With --tool, INPUT is a command line for bash, else JSON.
`;

/** `gatehouse explain`: the decision on calls, without running them. */
export const run: Command = async (io) => {
  const { args } = io;
  if (args.includes('--help') || args.includes('-h')) {
    io.stdout.write(USAGE);
    return 0;
  }
  if (args.length > 0) return explainOne(io);
  const defaults = { scratch: scratchOf(io) };
  for await (const line of linesOf(io.stdin)) {
    if (line.trim() === '') continue;
    io.stdout.write(`${JSON.stringify(await explainLine(line, defaults))}\n`);
  }
  return 0;
};

/** Cut at line feeds only: other line ends may stand inside a JSON text. */
async function* linesOf(stream: Readable): AsyncIterable<string> {
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
    input: tool === 'bash' ? { command: input } : parseInput(input),
    rules: rules === undefined ? [] : parseInput(rules),
    workspace: path.resolve(io.cwd, workspace ?? '.'),
    defaults,
    ...(shell !== undefined && { shell }),
  });
  const explanation = await explainLine(line, { scratch: scratchOf(io) });
  io.stdout.write(describe(explanation));
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

/** What is no JSON stays a text; the schema then says what is wrong with it. */
function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function describe({ decision, layer, reason, rule, subjects, problems }: Explanation): string {
  const lines = [`${decision} (${layer}): ${reason}`];
  if (rule !== undefined)
    lines.push(
      `  rule: ${rule.permission} ${rule.pattern} -> ${rule.action} (${rule.origin?.layer ?? rule.source}${rule.origin?.file === undefined ? '' : ` ${rule.origin.file}`})`,
    );
  for (const subject of subjects) {
    const by =
      subject.rule === undefined ? 'no rule' : `${subject.rule.permission} ${subject.rule.pattern}`;
    lines.push(
      `  ${subject.decision.padEnd(5)} ${subject.permission}  ${visible(subject.target)}  [${by}]`,
    );
  }
  for (const { index, message } of problems ?? []) lines.push(`  rule ${index}: ${message}`);
  return `${lines.join('\n')}\n`;
}

/** What a terminal would act on, or a person would not see, is written out. */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}

/** Where a session without a folder would stand; it is not made. */
function scratchOf({ env }: CommandIo): string {
  return path.join(dataFolder(env), 'user', 'scratch');
}
