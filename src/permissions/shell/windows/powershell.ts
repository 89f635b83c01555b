import type { Node, Tree } from '@vscode/tree-sitter-wasm';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import { KB } from '../../../base/units.ts';
import type { FileAct, ShellAnalysis, ShellWord } from '../acts.ts';
import { findSuspicious } from '../bash/suspicious.ts';
import { walkText } from '../bash/walk.ts';
import { describeUnknownFile } from '../doubts.ts';
import { toFolders } from '../folders.ts';
import { loadGrammar } from '../grammars.ts';
import { startWalk, TOO_DEEP, TOO_LONG, type Walk } from '../walkState.ts';
import { joinWords } from '../words.ts';
import { analyzeCmdlet } from './cmdlets.ts';
import { CMDLETS, EMITTERS } from './cmdletTable.ts';
import { addHanded, enterCommand, enterRoughly, type Visit } from './powershellCommand.ts';
import { toCanonical } from './powershellTable.ts';

/** Maximum length of a line. Windows can't pass longer command lines to a process. */
const LENGTH_LIMIT = 32 * KB;

/**
 * Analyzes a PowerShell line with the tree-sitter grammar, which is loaded on the first call. Every
 * command node counts, wherever it is. Any node that isn't plain makes the line uncertain.
 */
export async function analyzePowerShell(
  line: string,
  cwd: string | undefined,
  platform: NodeJS.Platform,
): Promise<ShellAnalysis> {
  if (line.length > LENGTH_LIMIT) return TOO_LONG;
  const walk = startWalk(platform, toFolders(cwd), walkText);
  walk.expands = false;
  const parser = await loadGrammar('powershell');
  const parse = (text: string) => parser?.parse(text);
  const tree = parse(line);
  if (!tree) {
    walk.doubts.add("Gatehouse can't load the grammar of PowerShell.");
    enterRoughly(line, { walk, folders: toFolders(cwd) });
    return toAnalysis(walk);
  }
  const suspicious = findSuspicious(line);
  if (suspicious !== undefined) walk.doubts.add(suspicious);
  if (TYPOGRAPHIC.test(line)) walk.doubts.add(TYPOGRAPHIC_DOUBT);
  const root = tree.rootNode;
  try {
    if (root.hasError) {
      walk.doubts.add("Gatehouse can't parse the command.");
      enterRoughly(line, { walk, folders: toFolders(cwd) });
    }
    visit(root, { walk, parse, folders: toFolders(cwd) });
    const plain = toPlain(line);
    if (plain !== line) enterText(plain, { walk, parse, folders: toFolders(cwd) });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    walk.tooDeep = true;
  } finally {
    tree.delete();
  }
  return toAnalysis(walk);
}

/** Typographic quotes anywhere in the line, since they can also close plain ones, and dashes at the beginning of a word. */
const TYPOGRAPHIC = /[\u2018-\u201e]|(?:^|[\s;|&(){},])[\u2013-\u2015]\S/;
const TYPOGRAPHIC_DOUBT =
  'PowerShell reads typographic quotes and dashes as plain ones. Write them as plain ones.';

/**
 * What the grammar doesn't know: a line that ends with a backtick goes on in the next one, and typographic
 * quotes and dashes mean the same as plain ones.
 */
function toPlain(line: string): string {
  return line
    .replace(/`\r?\n/g, ' ')
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201e]/g, '"')
    .replace(/[\u2013-\u2015]/g, '-');
}

function toAnalysis({ acts, doubts, moves, readings, tooDeep }: Walk): ShellAnalysis {
  const refused = tooDeep ? { refused: TOO_DEEP } : {};
  return { acts, doubts: [...doubts], readings, moves, ...refused };
}

interface Reading extends Visit {
  /** Undefined without the grammar. */
  readonly parse: (text: string) => Tree | null | undefined;
}

/**
 * Nodes without an effect of their own. All others, including expressions, make the line uncertain
 * (corpus C4).
 */
const PLAIN = new Set(
  `program statement_list pipeline pipeline_chain pipeline_chain_tail empty_statement command command_name
  command_elements command_argument_sep generic_token command_parameter array_literal_expression unary_expression
  string_literal verbatim_string_characters expandable_string_literal integer_literal decimal_integer_literal
  redirection file_redirection_operator redirected_file_name merging_redirection_operator comment path_command_name
  path_command_name_token stop_parsing`.split(/\s+/),
);

function visit(node: Node, state: Reading): void {
  const { walk } = state;
  if (node.type === 'pipeline_chain') addPiped(node, state);
  if (!PLAIN.has(node.type))
    walk.doubts.add(`${toCodeSpan(node.text)} isn't a plain command or word of PowerShell.`);
  if (node.type === 'command') visitCommand(node, state);
  if (node.type === 'redirection') visitRedirection(node, state);
  if (node.type === 'switch_filename') addTarget(toWord(node), 'fs.read', state);
  for (const child of node.namedChildren) if (child !== null) visit(child, state);
}

/** Parts of a command that aren't words. */
const SILENT = new Set(['command_argument_sep', 'command_invokation_operator', 'redirection']);

function visitCommand(node: Node, state: Reading): void {
  const text = enterCommand(toWords(node, state), state);
  enterText(text, state);
}

function toWords(node: Node, state: Reading): readonly ShellWord[] {
  const words: ShellWord[] = [];
  for (const child of node.namedChildren) {
    if (child?.type !== 'command_elements') addElement(child, words, state);
    else for (const element of child.namedChildren) addElement(element, words, state);
  }
  return words;
}

/** Analyzes code that is run. Deny rules apply to it, allow rules don't. */
function enterText(text: string, { walk, folders, parse }: Reading): void {
  if (text === '') return;
  if (walk.nesting >= NESTING_LIMIT) {
    walk.tooDeep = true;
    return;
  }
  const tree = parse(text);
  if (!tree) return;
  const inner: Walk = {
    ...walk,
    acts: [],
    doubts: new Set(),
    moves: [],
    nesting: walk.nesting + 1,
  };
  if (tree.rootNode.hasError) enterRoughly(text, { walk: inner, folders });
  visit(tree.rootNode, { walk: inner, folders, parse });
  tree.delete();
  walk.tooDeep ||= inner.tooDeep;
  for (const act of inner.acts)
    walk.acts.push(act.kind === 'command' ? { ...act, tightensOnly: true } : act);
}

const NESTING_LIMIT = 20;

/** Adds the files that a pipeline passes to a cmdlet that doesn't name any itself. */
function addPiped(node: Node, state: Reading): void {
  const links = node.namedChildren.filter((child) => child !== null);
  if (links.length < 2) return;
  // These commands are also visited on their own; only what the pipeline passes is new here.
  const aside: Reading = { ...state, walk: { ...state.walk, acts: [], doubts: new Set() } };
  const commands = links.map((link) => (link.type === 'command' ? toWords(link, aside) : []));
  for (const [at, words] of commands.entries()) {
    const name = toCanonical(words[0]?.value ?? '');
    const before = commands.slice(0, at);
    if (at > 0 && name === 'invoke-expression') {
      for (const [index, each] of before.entries()) enterText(getText(links[index], each), state);
    }
    const cmdlet = CMDLETS.get(name);
    if (at === 0 || cmdlet?.piped === undefined) continue;
    if (analyzeCmdlet(cmdlet, words, state.folders, aside.walk, false).named) continue;
    const source = before.find((each) => EMITTERS.has(toCanonical(each[0]?.value ?? '')));
    if (source === undefined && cmdlet.piped === 'names') {
      state.walk.doubts.add(
        `Gatehouse can't tell which files ${toCodeSpan(words[0]?.value ?? '')} gets from the pipe.`,
      );
    }
    if (source !== undefined || cmdlet.piped === 'names')
      addHanded(cmdlet, source ?? before[0] ?? [], state);
  }
}

/** The literal text that a pipeline element passes on, if it is one. */
function getText(node: Node | undefined, words: readonly ShellWord[]): string {
  if (words.length === 0) return node === undefined ? '' : toWord(node).value;
  return toCanonical(words[0]?.value ?? '') === 'write-output' ? joinWords(words.slice(1)) : '';
}

function addElement(element: Node | null, words: ShellWord[], state: Reading): void {
  if (element === null || SILENT.has(element.type)) return;
  words.push(toWord(element));
  // The grammar treats a numbered stream and its joined target as a word.
  const joined = /^[1-6*]>>?(.+)$/.exec(element.text)?.[1];
  if (joined !== undefined) addTarget({ value: joined, literal: false }, 'fs.write', state);
}

/** The redirection of a command, or of an expression. */
function visitRedirection(node: Node, state: Reading): void {
  const access = node.text.startsWith('<') ? 'fs.read' : 'fs.write';
  for (const child of node.namedChildren) {
    if (child?.type === 'redirected_file_name') addTarget(toWord(child), access, state);
  }
}

function addTarget(word: ShellWord, access: FileAct['access'], { walk, folders }: Reading): void {
  if (/^\$null$/i.test(word.value)) return;
  walk.acts.push({
    kind: 'file',
    access,
    target: word.value.replaceAll('\\', '/'),
    folders,
    role: 'redirection',
    ...(!word.literal && { doubt: describeUnknownFile(word.value) }),
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
  // `,` makes a list. `*`, `?` and `[` are wildcards, which cmdlets expand themselves.
  const literal = value === text && !/[$@(){}[\]*?,;|&<>#%]/.test(value);
  return { value, literal };
}
