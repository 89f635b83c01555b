import {
  type AndOr,
  type CommandNode,
  type Command as CommandSyntax,
  type CompoundList,
  forEachChild,
  type ParsedScript,
  type PipelineNode,
  parse,
  type Statement,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import type { GlobLimits } from '../../disk/expandGlob.ts';
import type { ShellAnalysis } from '../acts.ts';
import { describeParseError } from '../doubts.ts';
import type { FileNames } from '../fileNames.ts';
import { type Flow, type Folders, LOST, mayMove, toFlow, toFolders, unite } from '../folders.ts';
import { passNames } from '../names/nameReaders.ts';
import { findPiped, findSubstituted } from '../names/piped.ts';
import { joinScopes, NO_VARIABLES, withValue } from '../variableScope.ts';
import { startCounter, walkArithmetic } from '../variables/arithmetic.ts';
import { walkAndOr, walkEach, walkIf } from '../variables/branches.ts';
import { findRevealed } from '../variables/compared.ts';
import { findCrossed } from '../variables/descriptors.ts';
import { expandWords } from '../variables/expand.ts';
import { isPrinted } from '../variables/printable.ts';
import { isExpansion } from '../variables/texts.ts';
import { widen } from '../variables/widen.ts';
import {
  enter,
  findTraced,
  isolate,
  LENGTH_LIMIT,
  spend,
  startWalk,
  TOO_DEEP,
  TOO_LONG,
  type Walk,
} from '../walkState.ts';
import { isPlainWord, toShellWord } from '../words.ts';
import { analyzeAssignment, findExported } from './assignments.ts';
import { analyzeCommand } from './command.ts';
import { findDifferentNode, findDifferentReading } from './dialect.ts';
import { withOutputs } from './enter.ts';
import { findDoubtfulExpansion, findDoubtfulTest } from './expansions.ts';
import { fold } from './fold.ts';
import { addSingles, expandWords as expandGlobs, findLoopValue, findPipedNames } from './globs.ts';
import { carriesFiles, findOwnLink } from './links.ts';
import { findStrayParenthesis } from './parentheses.ts';
import { analyzeRedirections, toRest, walkExpansions } from './redirections.ts';
import { findSuspicious } from './suspicious.ts';

/**
 * Analyzes one bash line: every simple command that would run (corpus C2), every redirection, and
 * every doubt.
 */
export function analyzeBash(
  line: string,
  cwd: string | undefined,
  platform: NodeJS.Platform,
  limits?: GlobLimits,
): ShellAnalysis {
  if (line.length > LENGTH_LIMIT) return TOO_LONG;
  const walk = startWalk(platform, toFolders(cwd), walkText, limits);
  addDoubt(findSuspicious(line), walk);
  try {
    walkText(line, walk.start, walk);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    walk.tooDeep = true;
  }
  for (const find of FINDERS) addDoubt(find(walk), walk);
  return {
    acts: walk.acts,
    doubts: [...walk.doubts],
    readings: walk.readings,
    ...(walk.tooDeep && { refused: TOO_DEEP }),
    ...(walk.compound && { compound: true }),
    moves: walk.moves,
  };
}

/** Find doubts about the whole line. */
const FINDERS = [findTraced, findExported, findCrossed, findOwnLink];

/** Walks code that a shell would run: the line itself, `sh -c`, `eval`, a trap. */
export function walkText(text: string, folders: Folders, walk: Walk): void {
  // Parsing costs grow with length, and the same code may be analyzed several times.
  if (!spend(walk, 1 + (text.length >> 6))) return;
  const { readings, unsure } = fold(text);
  if (walk.portable) addDoubt(findDifferentReading(text), walk);
  if (unsure) walk.doubts.add("Gatehouse can't tell what a backslash at the end of a line joins.");
  for (const reading of readings) walkReading(reading, folders, walk);
}

function addDoubt(doubt: string | undefined, walk: Walk): void {
  if (doubt !== undefined) walk.doubts.add(doubt);
}

/** Walks a text whose lines are joined. */
function walkReading(text: string, folders: Folders, walk: Walk): void {
  walk.readings.push(text);
  const script = parse(text);
  addDoubt(findStrayParenthesis(script, text), walk);
  // Another shell doesn't have this one's variables.
  isolate(walk, () => {
    walk.scope = NO_VARIABLES;
    walkScript(script, folders, walk);
  });
  // In compound commands the parser accepts an operator at the start of a line, but bash doesn't.
  if (walk.compound && /\n[ \t]*(;(?![;&])|&|\|)/.test(text)) {
    walk.doubts.add(describeParseError('an operator at the start of a line'));
  }
}

function walkScript(script: ParsedScript, folders: Folders, walk: Walk): void {
  for (const { message } of script.errors ?? []) walk.doubts.add(describeParseError(message));
  enter(walk, () => {
    walkStatements(script.commands, folders, walk);
  });
}

function walkStatements(statements: readonly Statement[], start: Folders, walk: Walk): Folders {
  let folders = start;
  for (const { command, background } of statements) {
    if (background === true) {
      // It only changes its own folder and variables, and may run together with later commands.
      walk.compound = true;
      isolate(walk, () => walkNode(command, folders, walk));
      continue;
    }
    const flow = walkNode(command, folders, walk);
    folders = unite(flow.ok, flow.failed);
  }
  return folders;
}

function walkNode(node: PipelineNode | AndOr, folders: Folders, walk: Walk): Flow {
  if (node.type === 'AndOr') return walkAndOr(node, folders, walk, walkNode);
  if (node.type !== 'Pipeline') return walkCommand(node, folders, walk);
  if (walk.portable) addDoubt(findDifferentNode(node, walk.readings), walk);
  const [only, ...others] = node.commands;
  if (only !== undefined && others.length === 0) {
    const flow = walkCommand(only, folders, walk);
    const negated = node.prefixes.some((prefix) => prefix.type === 'Negation');
    return negated
      ? { ok: unite(flow.ok, flow.failed), failed: unite(flow.ok, flow.failed) }
      : flow;
  }
  // `! do` is an error in bash; the parser sees a lone `!` and the body of a loop.
  if (only === undefined) walk.doubts.add(describeParseError("an unexpected '!'"));
  // Every part of a pipeline runs in its own shell, except the last one with `lastpipe`.
  let last = toFlow(folders);
  const { scope } = walk;
  // All parts run at the same time, so one may bring what another one before it finds.
  walk.compound ||= node.commands.slice(1).some(carriesFiles);
  let names: FileNames | undefined;
  for (const [index, command] of node.commands.entries()) {
    walk.scope = scope;
    walk.piped = command.type === 'Command' ? names : undefined;
    walk.reads = command.type === 'While' ? findPipedNames(node, folders, walk) : undefined;
    last = walkCommand(command, folders, walk);
    names = node.operators[index] === '|' ? findPiped(command, names, scope) : undefined;
  }
  walk.piped = undefined;
  walk.reads = undefined;
  walk.scope = joinScopes(scope, walk.scope);
  return toFlow(unite(folders, unite(last.ok, last.failed)));
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
  if (walk.portable) addDoubt(findDifferentNode(node, walk.readings), walk);
  switch (node.type) {
    case 'Command':
      return walkSimple(node, folders, walk);
    case 'Redirected': {
      analyzeRedirections(node.redirects, folders, walk, walkPart);
      const { scope } = walk;
      const flow = walkCommand(node.command, folders, walk);
      // If a redirection fails, the command doesn't run.
      walk.scope = joinScopes(scope, walk.scope);
      return { ok: flow.ok, failed: unite(folders, flow.failed) };
    }
    case 'Subshell':
      isolate(walk, () => walkStatements(node.body.commands, folders, walk));
      return toFlow(folders);
    case 'BraceGroup':
      return toFlow(walkStatements(node.body.commands, folders, walk));
    case 'Function':
      // Any later command may have the function's name.
      walk.doubts.add(
        `The command defines the function ${toCodeSpan(node.name.text)}, which later commands may run.`,
      );
      isolate(walk, () => {
        walk.scope = NO_VARIABLES;
        walkBody(node.body, unite(folders, LOST), walk);
      });
      return toFlow(folders);
    case 'Coproc':
      walk.doubts.add('`coproc` sets variables and has a syntax of its own.');
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
  if (node.type === 'If') return toFlow(walkIf(node, start, walk, walkStatements));
  addDoubt(findRevealed(node, walk.scope), walk);
  const folders = mayMove(node) ? unite(start, LOST) : start;
  // A counter is set once, before anything that the loop repeats.
  if (node.type === 'ArithmeticFor') startCounter(node, walk);
  walk.scope = widen(walk.scope, node);
  const { scope } = walk;
  let end = scope;
  if ('name' in node) {
    const name = node.name.value;
    const value =
      node.type === 'For' && node.wordlist ? findLoopValue(node.wordlist, start, walk) : undefined;
    analyzeAssignment(name, value, walk);
    walk.scope = withValue(scope, name, value);
  }
  forEachChild(node, (child) => {
    // Another branch may have been taken instead.
    if (child.type === 'CaseItem') walk.scope = scope;
    walkPart(child, folders, walk);
    if (child.type === 'CaseItem') end = joinScopes(end, walk.scope);
  });
  walk.scope = joinScopes(end, walk.scope);
  return toFlow(folders);
}

/** A child of a compound command, or of a word: nested scripts, lists, words and tests. */
function walkPart(node: SyntaxNode, folders: Folders, walk: Walk): void {
  switch (node.type) {
    case 'Script':
      isolate(walk, () => walkScript(node, folders, walk));
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
    case 'ArithmeticBinary':
    case 'ArithmeticUnary':
      enter(walk, () => walkArithmetic(node, walk, (child) => walkPart(child, folders, walk)));
      return;
    default: {
      if (isExpansion(node) && !isPrinted(node, walk.scope)) walk.unknown ??= node.text;
      addDoubt(findDoubtfulTest(node, walk.scope) ?? findRevealed(node, walk.scope), walk);
      addDoubt(findDoubtfulExpansion(node, walk.scope), walk);
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
  if (!isPlainWord(word)) for (const part of word.parts ?? []) walkPart(part, folders, walk);
}

function walkSimple(node: CommandSyntax, folders: Folders, walk: Walk): Flow {
  const { piped } = walk;
  walk.piped = undefined;
  const assignments = walkExpansions(node, folders, walk, walkPart);
  if (node.name === undefined) return toFlow(folders);
  walkWord(node.name, folders, walk);
  const [own, others] = [toShellWord(node.name), toRest(node)];
  const scope = withOutputs(walk, node.args, folders);
  const flow = walkEach(expandWords(node.args, scope), walk, (args) => {
    const written = others ?? [own, ...args];
    addDoubt(addSingles(written, walk), walk);
    const expanded = walk.expands ? expandGlobs(written, folders, walk.globs) : written;
    const words = passNames(expanded, findSubstituted(node.args, scope), folders, walk);
    const command = { words, assignments, redirections: node.redirects, folders };
    return analyzeCommand(piped === undefined ? command : { ...command, piped }, walk);
  });
  // In some shells an assignment before a builtin such as `:` stays.
  for (const { name } of assignments) walk.scope = withValue(walk.scope, name, undefined);
  return flow;
}
