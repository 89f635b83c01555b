import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Node, Parser } from '@vscode/tree-sitter-wasm';
import { KB } from '../../base/units.ts';
import type { FileAct, ShellAnalysis, ShellWord } from './acts.ts';
import { analyseCmd } from './cmd.ts';
import { analyseCommand, guess } from './command.ts';
import { LOST, type Places, toPlaces, unite } from './folders.ts';
import { actsAs, CHANGING_COMMANDS, MOVERS, toCanonical } from './powershellTable.ts';
import { findSuspicious } from './suspicious.ts';
import { startWalk, TOO_DEEP, TOO_LONG, type Walk } from './walkState.ts';
import { literalWord, shorten } from './words.ts';

/** Windows passes no longer command line to a process. */
const LENGTH_LIMIT = 32 * KB;

/**
 * Analyses a PowerShell line by the tree-sitter grammar, which is loaded on the first call. Every
 * command node counts, wherever it stands; any node that is not plain makes the line uncertain.
 */
export async function analysePowerShell(
  line: string,
  cwd: string | undefined,
  platform: NodeJS.Platform,
): Promise<ShellAnalysis> {
  if (line.length > LENGTH_LIMIT) return TOO_LONG;
  const parser = await loadParser();
  const tree = parser?.parse(line) ?? undefined;
  if (tree === undefined) {
    const rough = analyseCmd(line, cwd, platform);
    return { ...rough, doubts: ['the PowerShell grammar is not there'] };
  }
  const walk = startWalk(platform, toPlaces(cwd));
  const suspicious = findSuspicious(line);
  if (suspicious !== undefined) walk.doubts.add(suspicious);
  const root = tree.rootNode;
  const rough = root.hasError ? analyseCmd(line, cwd, platform) : undefined;
  if (rough !== undefined) {
    walk.doubts.add('it cannot be parsed');
    walk.acts.push(...rough.acts);
  }
  try {
    visit(root, { walk, folders: toPlaces(cwd) });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    walk.tooDeep = true;
  } finally {
    tree.delete();
  }
  const refused = walk.tooDeep ? TOO_DEEP : rough?.refused;
  return {
    acts: walk.acts,
    doubts: [...walk.doubts],
    ...(refused !== undefined && { refused }),
  };
}

/** Where the visit stands; a command that moves the session leaves the folder unknown for the rest. */
interface Visit {
  readonly walk: Walk;
  folders: Places;
}

/** Nodes that say nothing by themselves. All others, expressions too, make the line uncertain (C4). */
const PLAIN = new Set(
  `program statement_list pipeline pipeline_chain pipeline_chain_tail empty_statement command command_name
  command_elements command_argument_sep generic_token command_parameter array_literal_expression unary_expression
  string_literal verbatim_string_characters expandable_string_literal integer_literal decimal_integer_literal
  redirection file_redirection_operator redirected_file_name merging_redirection_operator comment path_command_name
  path_command_name_token stop_parsing`.split(/\s+/),
);

function visit(node: Node, state: Visit): void {
  const { walk } = state;
  if (!PLAIN.has(node.type)) walk.doubts.add(`${shorten(node.text)} is not a plain command`);
  if (node.type === 'command') visitCommand(node, state);
  if (node.type === 'redirection') visitRedirection(node, state);
  for (const child of node.namedChildren) if (child !== null) visit(child, state);
}

/** Parts of a command that are no word of it. */
const SILENT = new Set(['command_argument_sep', 'command_invokation_operator', 'redirection']);

function visitCommand(node: Node, state: Visit): void {
  const { walk, folders } = state;
  const words: ShellWord[] = [];
  for (const child of node.namedChildren) {
    if (child?.type !== 'command_elements') addElement(child, words, state);
    else for (const element of child.namedChildren) addElement(element, words, state);
  }
  const name = toCanonical(words[0]?.value ?? '');
  if (CHANGING_COMMANDS.has(name)) {
    walk.doubts.add(`${name} runs what it is given or changes the session`);
    guess(words, walk);
  }
  if (MOVERS.has(name)) state.folders = unite(folders, LOST);
  const as = actsAs(name);
  const command = { folders, ...(as !== undefined && { as }) };
  analyseCommand({ ...command, words }, walk);
  const listed = words.flatMap(toListed);
  if (listed.length > words.length) analyseCommand({ ...command, words: listed }, walk);
}

/** `a,b` and `@('a')` are lists, which are not literal; what they name is looked at one by one as well. */
function toListed(word: ShellWord): readonly ShellWord[] {
  if (word.literal) return [word];
  return word.value.split(/[\s,@()]+/).map(literalWord);
}

function addElement(element: Node | null, words: ShellWord[], state: Visit): void {
  if (element === null || SILENT.has(element.type)) return;
  words.push(toWord(element));
  // The grammar takes a numbered stream and what is joined to it for a word.
  const joined = /^[1-6*]>>?(.+)$/.exec(element.text)?.[1];
  if (joined !== undefined) addTarget({ value: joined, literal: false }, 'fs.write', state);
}

/** The redirection of a command, or of an expression. */
function visitRedirection(node: Node, state: Visit): void {
  const access = node.text.startsWith('<') ? 'fs.read' : 'fs.write';
  for (const child of node.namedChildren) {
    if (child?.type === 'redirected_file_name') addTarget(toWord(child), access, state);
  }
}

function addTarget(word: ShellWord, access: FileAct['access'], { walk, folders }: Visit): void {
  if (/^\$null$/i.test(word.value)) return;
  walk.acts.push({
    kind: 'file',
    access,
    target: word.value.replaceAll('\\', '/'),
    folders,
    role: 'redirection',
    ...(!word.literal && { doubt: `the target ${word.value} is not literal` }),
  });
}

/** Quotes removed; a word with a variable, an escape, a wildcard or a list is not literal. */
function toWord(node: Node): ShellWord {
  const text = node.text.trim();
  const single = /^'([^'`]*)'$/.exec(text)?.[1];
  if (single !== undefined) return { value: single, literal: true };
  const double = /^"([^"`$]*)"$/.exec(text)?.[1];
  if (double !== undefined) return { value: double, literal: true };
  const value = text.replace(/[`'"]/g, '');
  // `,` makes a list and `*`, `?` and `[` wildcards, which cmdlets expand themselves.
  const literal = value === text && !/[$@(){}[\]*?,;|&<>#%]/.test(value);
  return { value, literal };
}

let loading: Promise<Parser | undefined> | undefined;

function loadParser(): Promise<Parser | undefined> {
  // Without its grammar a line is one that is not understood, which asks.
  loading ??= load().catch(() => undefined);
  return loading;
}

/** The grammar lies beside the bundle, or in the package when the sources run as they are. */
async function load(): Promise<Parser> {
  // The loader is a CommonJS script that asks for its own name; in a bundle nobody else sets it.
  const own = fileURLToPath(import.meta.url);
  Object.assign(globalThis, { __filename: own, __dirname: own.replace(/[\\/][^\\/]+$/, '') });
  const module = await import('@vscode/tree-sitter-wasm');
  const { Parser, Language } = 'default' in module ? (module.default as typeof module) : module;
  await Parser.init({ wasmBinary: readFileSync(find('tree-sitter.wasm')) } as object as never);
  const parser = new Parser();
  parser.setLanguage(await Language.load(readFileSync(find('tree-sitter-powershell.wasm'))));
  Reflect.deleteProperty(globalThis, '__filename');
  Reflect.deleteProperty(globalThis, '__dirname');
  return parser;
}

function find(name: string): string {
  const beside = fileURLToPath(new URL(`./${name}`, import.meta.url));
  if (existsSync(beside)) return beside;
  const entry = createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm');
  return entry.replace(/[^\\/]+$/, name);
}
