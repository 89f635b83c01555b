import type {
  Assignment,
  CommandNode,
  Command as CommandSyntax,
  PipelineNode,
  Statement,
  Word,
} from 'unbash';
import type { ShellWord } from '../acts.ts';
import { findReadNames, isSeparator } from '../variables/read.ts';
import { toShellWord } from '../words.ts';
import { isError } from './piped.ts';

/** A loop that gets the names that a command prints, one by one. */
export interface PipedLoop {
  /** The variable that has the name. */
  readonly name: string;
  /** The command, as it would be substituted: `$(git ls-files src)`. */
  readonly list: string;
}

/**
 * `git ls-files src | while read -r f; do wc -l "$f"; done`. Undefined if the loop may get anything but
 * whole names: what its commands take of its input is missing from the next name.
 */
export function findPipedLoop(node: PipelineNode): PipedLoop | undefined {
  if (node.type !== 'Pipeline' || node.prefixes.length > 0 || node.operators.join() !== '|')
    return undefined;
  const [first, loop] = node.commands;
  if (first?.type !== 'Command' || loop?.type !== 'While' || loop.kind !== 'while')
    return undefined;
  const list = toList(first);
  const [test, ...tests] = loop.clause.commands;
  const name = tests.length === 0 && test?.background !== true ? toReadName(test) : undefined;
  if (list === undefined || name === undefined) return undefined;
  return loop.body.commands.every((each) => leavesInput(each, name)) ? { name, list } : undefined;
}

function toList({ name, args, prefix, redirects }: CommandSyntax): string | undefined {
  if (name === undefined || prefix.length > 0 || !redirects.every(isError)) return undefined;
  const words = [name, ...args].flatMap((each) => (each.type === 'Word' ? toShellWord(each) : []));
  const literal = words.length === args.length + 1 && words.every((word) => word.literal);
  return literal ? `$(${words.map(quote).join(' ')})` : undefined;
}

/** As it would be written: a pattern is left to the command. */
function quote({ value }: ShellWord): string {
  return /^\*[\w.]+$/.test(value) ? `'${value}'` : value;
}

/** The variable of `read -r f` and `IFS= read -r f`. */
function toReadName(statement: Statement | undefined): string | undefined {
  const command = statement?.command;
  if (command?.type !== 'Command' || command.name?.text !== 'read') return undefined;
  const [option, variable, ...others] = command.args;
  if (option?.text !== '-r' || variable?.type !== 'Word' || others.length > 0) return undefined;
  const plain = command.prefix.every((each) => each.type === 'Assignment' && isNone(each));
  if (!plain || command.redirects.length > 0) return undefined;
  const [name] = findReadNames(['read', '-r', variable.text].map(toLiteral)) ?? [];
  return name;
}

/** `IFS=`: with any other separator, `read` drops one that ends the name. */
function isNone(assignment: Assignment): boolean {
  const { value } = assignment;
  return isSeparator(assignment) && value.type === 'Word' && toShellWord(value).value === '';
}

const toLiteral = (value: string) => ({ value, literal: true });

/** Programs that read their operands, or nothing. */
const READERS =
  /^(?:basename|cat|dirname|du|echo|file|grep|head|ls|md5sum|printf|sha1sum|sha256sum|stat|tail|wc)$/;
const PRINTERS = /^(?:basename|dirname|echo|printf)$/;

/** Whether the commands leave the input of the loop alone: each names the file that it reads. */
function leavesInput({ command, background }: Statement, name: string): boolean {
  if (background === true || command.type === 'AndOr') return false;
  if (command.type !== 'Pipeline') return names(command, name);
  const [first] = command.commands;
  // The others read the pipe.
  const piped = command.operators.every((operator) => operator === '|');
  const plain = command.commands.every((each) => each.type === 'Command' && isPlain(each, name));
  return (
    first !== undefined && piped && plain && command.prefixes.length === 0 && names(first, name)
  );
}

function names(command: CommandNode, variable: string): boolean {
  if (command.type !== 'Command' || !isPlain(command, variable)) return false;
  const program = command.name?.text ?? '';
  if (PRINTERS.test(program)) return true;
  return (
    READERS.test(program) &&
    findOperands(program, command.args.filter(isWord)).some(isVariable(variable))
  );
}

const isWord = (each: CommandSyntax['args'][number]): each is Word => each.type === 'Word';

const isVariable =
  (name: string) =>
  ({ text }: Word): boolean =>
    [`"$${name}"`, `$${name}`, `"\${${name}}"`].includes(text);

/** Options with a value, of programs that read their input if no operand is left. */
const VALUES: Readonly<Record<string, RegExp>> = {
  head: /^-[a-zA-Z]*?[cn]$/,
  tail: /^-[a-zA-Z]*?[cns]$/,
  grep: /^-[a-zA-Z]*?[ABCDdefm]$/,
  file: /^-[a-zA-Z]*?[FPefm]$/,
};

/** The words that surely name files: `grep -m 1 "$f"` searches its input for the name. */
function findOperands(program: string, args: readonly Word[]): readonly Word[] {
  const values = Object.hasOwn(VALUES, program) ? VALUES[program] : undefined;
  const mark = args.findIndex(({ text }) => text === '--');
  const isOption = (at: number) => /^-./.test(toValue(args[at])) && (mark < 0 || at < mark);
  const takes = (at: number) => {
    const value = toValue(args[at]);
    return isOption(at) && (values?.test(value) === true || /^--[^=]+$/.test(value));
  };
  const operands = args.filter((_, at) => at !== mark && !isOption(at) && !takes(at - 1));
  const isGiven = args.some((_, at) => isOption(at) && /^-e/.test(toValue(args[at])));
  return program === 'grep' && !isGiven ? operands.slice(1) : operands;
}

const toValue = (word: Word | undefined) => (word === undefined ? '' : toShellWord(word).value);

/** Without substitutions, which have the same input, and names of the input. */
function isPlain({ name, args, prefix, redirects }: CommandSyntax, variable: string): boolean {
  const isLiteral = redirects.every(
    (each) => each.type === 'Redirect' && each.target && toShellWord(each.target).literal,
  );
  if (prefix.length > 0 || !redirects.every(isError) || !isLiteral) return false;
  // Their words are texts: `echo "$f: $count"`.
  if (PRINTERS.test(name?.text ?? ''))
    return args.every(({ text }) => !/\$\(|`|[<>]\(|\$\{[\s|]/.test(text));
  return args.every(
    (word) => isWord(word) && (isVariable(variable)(word) || isLeft(toShellWord(word))),
  );
}

/** Whether the word is surely something else than the input. */
function isLeft({ value, literal }: ShellWord): boolean {
  return literal && (value === '--' || !/-$|(?:^|\/)(?:dev|proc)\//i.test(value));
}
