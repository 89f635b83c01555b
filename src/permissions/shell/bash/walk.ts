import {
  type AndOr,
  type Assignment,
  type CommandNode,
  type Command as CommandSyntax,
  type CompoundList,
  forEachChild,
  type ParsedScript,
  type PipelineNode,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
} from 'unbash';
import type { ShellAnalysis, ShellWord } from '../acts.ts';
import { type Flow, type Folders, LOST, mayMove, toFlow, toFolders, unite } from '../folders.ts';
import {
  enter,
  LENGTH_LIMIT,
  spend,
  startWalk,
  TOO_DEEP,
  TOO_LONG,
  type Walk,
} from '../walkState.ts';
import { isPlainWord, toAssignmentWord, toShellWord } from '../words.ts';
import { analyzeAssignment, analyzeAssignmentsOnly } from './assignments.ts';
import { analyzeCommand } from './command.ts';
import { findDifferentNode, findDifferentReading } from './dialect.ts';
import { findDoubtfulExpansion, findDoubtfulTest } from './expansions.ts';
import { fold } from './fold.ts';
import { expandWords } from './globs.ts';
import { findOwnLink } from './links.ts';
import { hasStrayParenthesis } from './parentheses.ts';
import { analyzeRedirection, splitClosing } from './redirections.ts';
import { findSuspicious } from './suspicious.ts';

/**
 * Analyzes one bash line: every simple command that would run (corpus C2), every redirection, and
 * every doubt.
 */
export function analyzeBash(
  line: string,
  cwd: string | undefined,
  platform: NodeJS.Platform,
): ShellAnalysis {
  if (line.length > LENGTH_LIMIT) return TOO_LONG;
  const walk = startWalk(platform, toFolders(cwd), walkText);
  const suspicious = findSuspicious(line);
  if (suspicious !== undefined) walk.doubts.add(suspicious);
  try {
    walkText(line, walk.start, walk);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    walk.tooDeep = true;
  }
  const { acts, doubts, readings } = walk;
  const link = findOwnLink(acts);
  if (link !== undefined) doubts.add(link);
  return {
    acts,
    doubts: [...doubts],
    readings,
    ...(walk.tooDeep && { refused: TOO_DEEP }),
    ...(walk.compound && { compound: true }),
  };
}

/** Walks code that a shell would run: the line itself, `sh -c`, `eval`, a trap. */
export function walkText(text: string, folders: Folders, walk: Walk): void {
  // Parsing costs grow with length, and the same code may be analyzed several times.
  if (!spend(walk, 1 + (text.length >> 6))) return;
  const { readings, unsure } = fold(text);
  if (walk.portable) addDoubt(findDifferentReading(text), walk);
  if (unsure) walk.doubts.add('a backslash at the end of a line may continue it in several ways');
  for (const reading of readings) walkReading(reading, folders, walk);
}

function addDoubt(doubt: string | undefined, walk: Walk): void {
  if (doubt !== undefined) walk.doubts.add(doubt);
}

/** Walks a text whose lines are joined. */
function walkReading(text: string, folders: Folders, walk: Walk): void {
  walk.readings.push(text);
  const script = parse(text);
  if (hasStrayParenthesis(script, text))
    walk.doubts.add('the command cannot be parsed (unexpected parenthesis)');
  walkScript(script, folders, walk);
  // In compound commands the parser accepts an operator at the start of a line, but bash doesn't.
  if (walk.compound && /\n[ \t]*(;(?![;&])|&|\|)/.test(text)) {
    walk.doubts.add('the command cannot be parsed (a line starts with an operator)');
  }
}

function walkScript(script: ParsedScript, folders: Folders, walk: Walk): void {
  for (const { message } of script.errors ?? []) {
    walk.doubts.add(`the command cannot be parsed (${message})`);
  }
  enter(walk, () => {
    walkStatements(script.commands, folders, walk);
  });
}

function walkStatements(statements: readonly Statement[], start: Folders, walk: Walk): Folders {
  let folders = start;
  for (const { command, background } of statements) {
    const flow = walkNode(command, folders, walk);
    // Background commands only change their own folder.
    if (background !== true) folders = unite(flow.ok, flow.failed);
  }
  return folders;
}

function walkNode(node: PipelineNode | AndOr, folders: Folders, walk: Walk): Flow {
  if (node.type === 'AndOr') return walkAndOr(node, folders, walk);
  if (node.type !== 'Pipeline') return walkCommand(node, folders, walk);
  if (walk.portable) addDoubt(findDifferentNode(node), walk);
  const [only, ...others] = node.commands;
  if (only !== undefined && others.length === 0) {
    const flow = walkCommand(only, folders, walk);
    const negated = node.prefixes.some((prefix) => prefix.type === 'Negation');
    return negated
      ? { ok: unite(flow.ok, flow.failed), failed: unite(flow.ok, flow.failed) }
      : flow;
  }
  // `! do` is an error in bash; the parser sees a lone `!` and the body of a loop.
  if (only === undefined) walk.doubts.add('the command cannot be parsed (unexpected "!")');
  // Every part of a pipeline runs in its own shell, except the last one with `lastpipe`.
  let last = toFlow(folders);
  for (const command of node.commands) last = walkCommand(command, folders, walk);
  return toFlow(unite(folders, unite(last.ok, last.failed)));
}

function walkAndOr({ commands, operators }: AndOr, start: Folders, walk: Walk): Flow {
  let flow: Flow = toFlow(start);
  commands.forEach((command, index) => {
    const operator = operators[index - 1];
    const from = operator === undefined ? start : operator === '&&' ? flow.ok : flow.failed;
    const next = walkNode(command, from, walk);
    if (operator === undefined) flow = next;
    else if (operator === '&&') flow = { ok: next.ok, failed: unite(flow.failed, next.failed) };
    else flow = { ok: unite(flow.ok, next.ok), failed: next.failed };
  });
  return flow;
}

function walkCommand(node: CommandNode, folders: Folders, walk: Walk): Flow {
  let flow = toFlow(folders);
  enter(walk, () => {
    flow = walkOne(node, folders, walk);
  });
  return flow;
}

function walkOne(node: CommandNode, folders: Folders, walk: Walk): Flow {
  walk.compound ||= node.type !== 'Command';
  if (walk.portable) addDoubt(findDifferentNode(node), walk);
  switch (node.type) {
    case 'Command':
      return walkSimple(node, folders, walk);
    case 'Redirected': {
      const flow = walkCommand(node.command, folders, walk);
      walkRedirections(node.redirects, folders, walk);
      return flow;
    }
    case 'Subshell':
      walkStatements(node.body.commands, folders, walk);
      return toFlow(folders);
    case 'BraceGroup':
      return toFlow(walkStatements(node.body.commands, folders, walk));
    case 'Function':
      // Any later command may have the function's name.
      walk.doubts.add(`the command defines the function "${node.name.text}"`);
      walkBody(node.body, unite(folders, LOST), walk);
      return toFlow(folders);
    case 'Coproc':
      walk.doubts.add('"coproc" sets variables and has a syntax of its own');
      walkBody(node.body, folders, walk);
      return toFlow(folders);
    default:
      return walkCompound(node, folders, walk);
  }
}

type Compound = Exclude<
  CommandNode,
  { type: 'Command' | 'Redirected' | 'Subshell' | 'BraceGroup' | 'Function' | 'Coproc' }
>;

/**
 * Control flow: any branch may run, so all count. A body that changes the folder leaves it unknown.
 */
function walkCompound(node: Compound, start: Folders, walk: Walk): Flow {
  if (node.type === 'If') {
    const conditions = walkStatements(node.clause.commands, start, walk);
    let end = walkStatements(node.then.commands, conditions, walk);
    let before = conditions;
    for (const { clause, then } of node.elif) {
      before = walkStatements(clause.commands, before, walk);
      end = unite(end, walkStatements(then.commands, before, walk));
    }
    const last =
      node.else === undefined ? before : walkStatements(node.else.commands, before, walk);
    return toFlow(unite(unite(end, last), before));
  }
  const folders = mayMove(node) ? unite(start, LOST) : start;
  if ('name' in node) analyzeAssignment(node.name.value, walk);
  forEachChild(node, (child) => walkPart(child, folders, walk));
  return toFlow(folders);
}

/** A child of a compound command, or of a word: nested scripts, lists, words and tests. */
function walkPart(node: SyntaxNode, folders: Folders, walk: Walk): void {
  switch (node.type) {
    case 'Script':
      walkScript(node, folders, walk);
      return;
    case 'CompoundList':
      walkStatements(node.commands, folders, walk);
      return;
    case 'Statement':
      walkStatements([node], folders, walk);
      return;
    case 'Word':
      walkWord(node, folders, walk);
      return;
    default: {
      const doubt = findDoubtfulTest(node) ?? findDoubtfulExpansion(node);
      if (doubt !== undefined) walk.doubts.add(doubt);
      enter(walk, () => forEachChild(node, (child) => walkPart(child, folders, walk)));
    }
  }
}

function walkBody(node: CommandNode | CompoundList, folders: Folders, walk: Walk): void {
  if (node.type === 'CompoundList') walkStatements(node.commands, folders, walk);
  else walkCommand(node, folders, walk);
}

/** The commands inside a word's substitutions; literal words have none. */
function walkWord(word: Word, folders: Folders, walk: Walk): void {
  if (isPlainWord(word) || word.parts === undefined) return;
  for (const part of word.parts) walkPart(part, folders, walk);
}

function walkRedirections(
  redirections: readonly Redirection[],
  folders: Folders,
  walk: Walk,
): void {
  for (const redirection of redirections) {
    analyzeRedirection(redirection, folders, walk);
    const variable = redirection.descriptor?.type === 'FileDescriptorVariable';
    if (variable && walk.platform === 'darwin') {
      walk.doubts.add('the bash of macOS passes the name of a descriptor as an argument');
    }
    forEachChild(redirection, (child) => walkPart(child, folders, walk));
  }
}

function walkSimple(node: CommandSyntax, folders: Folders, walk: Walk): Flow {
  walkRedirections(node.redirects, folders, walk);
  walkItems(node.prefix, folders, walk);
  walkItems(node.suffix, folders, walk);
  const assignments = node.prefix.filter((item) => item.type === 'Assignment');
  if (node.name === undefined) {
    analyzeAssignmentsOnly(assignments, walk);
    return toFlow(folders);
  }
  walkWord(node.name, folders, walk);
  const written = toArguments(node.name, node);
  // Other shells expand differently.
  const words = walk.nesting === 0 ? expandWords(written, folders) : written;
  return analyzeCommand({ words, assignments, redirections: node.redirects, folders }, walk);
}

/** The words in order, with those that bash splits off a redirection: `x` in `>&-x`. */
function toArguments(name: Word, { args, redirects }: CommandSyntax): readonly ShellWord[] {
  const words = [name, ...args].map(toArgument);
  for (const redirect of redirects) {
    const rest = redirect.type === 'Redirect' ? splitClosing(redirect) : undefined;
    if (rest === undefined) continue;
    const before = args.filter(({ pos }) => pos < redirect.pos).length;
    words.splice(1 + before, 0, rest);
  }
  return words;
}

function toArgument(item: Word | Assignment): ShellWord {
  return item.type === 'Word' ? toShellWord(item) : toAssignmentWord(item);
}

type Items = CommandSyntax['prefix'] | CommandSyntax['suffix'];

function walkItems(items: Items, folders: Folders, walk: Walk): void {
  for (const item of items) {
    if (item.type === 'Word') walkWord(item, folders, walk);
    else if (item.type === 'Assignment')
      forEachChild(item, (child) => walkPart(child, folders, walk));
  }
}
