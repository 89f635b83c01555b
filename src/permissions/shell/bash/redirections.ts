import {
  type Assignment,
  type Command,
  forEachChild,
  type Redirect,
  type Redirection,
  type SyntaxNode,
} from 'unbash';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import type { FileAct, ShellWord } from '../acts.ts';
import { describeParseError, describeUnknownFile } from '../doubts.ts';
import type { Folders } from '../folders.ts';
import { joinScopes, withValue } from '../variableScope.ts';
import { addDescriptor, findReopened, toDescriptor } from '../variables/descriptors.ts';
import { expandWords } from '../variables/expand.ts';
import { mayPrint } from '../variables/printable.ts';
import type { Walk } from '../walkState.ts';
import { hasOpenArithmetic, toAssignmentWord, toShellWord } from '../words.ts';
import { analyzeAssignment, analyzeAssignmentsOnly, walkAssignments } from './assignments.ts';
import { toReadActs } from './globs.ts';

type Operator = Redirect['operator'];

const FREE = /^\/dev\/(?:null|zero)$/;

type WalkPart = (node: SyntaxNode, folders: Folders, walk: Walk) => void;

/** Walks what a simple command expands: its words, its assignments and its redirections. Returns the assignments. */
export function walkExpansions(
  node: Command,
  folders: Folders,
  walk: Walk,
  walkPart: WalkPart,
): readonly Assignment[] {
  const { scope: before } = walk;
  for (const item of node.suffix) {
    if (item.type === 'Word') walkPart(item, folders, walk);
    else if (item.type === 'Assignment')
      forEachChild(item, (child) => walkPart(child, folders, walk));
  }
  const assignments = node.prefix.filter((item) => item.type === 'Assignment');
  const assign = node.name === undefined ? analyzeAssignmentsOnly : walkAssignments;
  assign(assignments, folders, walk, walkPart);
  if (node.redirects.length > 0) {
    // Shells differ in whether words and assignments come first, and in what holds if a redirection fails.
    walk.scope = joinScopes(before, walk.scope);
    analyzeRedirections(node.redirects, folders, walk, walkPart);
  }
  return assignments;
}

/** Adds what redirections read or write, and walks the commands in their words. */
export function analyzeRedirections(
  redirections: readonly Redirection[],
  folders: Folders,
  walk: Walk,
  walkPart: WalkPart,
): void {
  for (const redirection of redirections) {
    analyzeRedirection(redirection, folders, walk);
    const variable = redirection.descriptor?.type === 'FileDescriptorVariable';
    if (variable && walk.platform === 'darwin')
      walk.doubts.add('The bash of macOS passes the name of a descriptor as an argument.');
    forEachChild(redirection, (child) => walkPart(child, folders, walk));
  }
}

/**
 * Adds the files that a redirection reads or writes (corpus C6). Here-documents are data; their
 * substitutions are walked elsewhere.
 */
function analyzeRedirection(redirection: Redirection, folders: Folders, walk: Walk): void {
  const { descriptor } = redirection;
  if (descriptor?.type === 'FileDescriptorVariable') {
    analyzeAssignment(descriptor.name, 'number', walk);
    walk.scope = withValue(walk.scope, descriptor.name, undefined);
  }
  if (redirection.type === 'HereDoc') {
    const { delimiter, body, closing } = redirection;
    if (delimiter?.quoted === false && /\$\[/.test(body.text)) {
      walk.doubts.add('The here-document evaluates arithmetic, which may run a command.');
    }
    if (delimiter?.quoted === false && !mayPrint(body.parts, walk.scope))
      walk.doubts.add(
        "The here-document contains the value of a variable that Gatehouse doesn't know.",
      );
    if (closing === undefined) walk.doubts.add('The here-document has no end.');
  }
  if (redirection.type === 'HereString' && redirection.target !== undefined) {
    if (hasOpenArithmetic(redirection.target)) walk.doubts.add(describeParseError("an open '$['"));
    if (!mayPrint(redirection.target.parts, walk.scope))
      walk.doubts.add(
        `${toCodeSpan(redirection.target.text)} contains the value of a variable that Gatehouse doesn't know.`,
      );
  }
  // A missing target is a parse error, which already asks.
  if (redirection.type !== 'Redirect' || redirection.target === undefined) return;
  const { target } = redirection;
  for (const words of expandWords([target], walk.scope)) {
    const [word, ...others] = words;
    // Bash reports an error unless the target is exactly one word.
    const single = word !== undefined && others.length === 0;
    analyzeTarget(redirection, single ? word : toShellWord(target), folders, walk);
  }
}

function analyzeTarget(redirection: Redirect, word: ShellWord, folders: Folders, walk: Walk): void {
  const { operator } = redirection;
  addDescriptor(redirection, word.value, walk);
  if (operator === '<' && word.pipe === true) return;
  if (operator === '<' && word.each !== undefined) {
    walk.acts.push(...toReadActs(word.each, folders, 'redirection'));
    return;
  }
  const copies = operator === '>&' || operator === '<&';
  if (copies && /^(\d+-?|-)$/.test(word.value)) return;
  // Bash closes the descriptor, and passes the rest: `find . >&--delete`.
  const rest = splitClosing(redirection);
  if (rest !== undefined) {
    walk.doubts.add(
      `${toCodeSpan(`${operator}-`)} closes a descriptor, and bash passes ${toCodeSpan(rest.value)} to the command.`,
    );
    return;
  }
  if (operator === '<&') {
    walk.doubts.add(`Gatehouse can't tell what ${toCodeSpan(`<&${word.value}`)} redirects.`);
    return;
  }
  // Bash expands the target of `>&` twice: a quoted `$(x)` runs.
  if (copies && /[^\w./:@%+,=-]/.test(word.value)) {
    walk.doubts.add(
      `Bash expands the target ${toCodeSpan(word.value)} of \`>&\` twice, which may run a command.`,
    );
  }
  if (FREE.test(word.value)) return;
  if (toDescriptor(word.value) !== undefined) {
    const doubt = findReopened(redirection, word.value, walk);
    if (doubt !== undefined) walk.doubts.add(doubt);
    return;
  }
  const network = /^\/dev\/(?:tcp|udp)\/([^/]+)\/([^/]+)/.exec(word.value);
  if (network !== null) {
    walk.acts.push({ kind: 'host', url: `${network[1]}:${network[2]}`, role: 'redirection' });
    return;
  }
  for (const access of getAccesses(operator)) walk.acts.push(toAct(word, access, folders));
}

/** The word that follows a closed descriptor without a blank: `--delete` in `find . >&---delete`. */
function splitClosing({ operator, target }: Redirect): ShellWord | undefined {
  if (!/^[<>]&$/.test(operator) || target === undefined || !/^-./.test(target.text))
    return undefined;
  return { value: toShellWord(target).value.slice(1), literal: true };
}

function getAccesses(operator: Operator): readonly FileAct['access'][] {
  if (operator === '<') return ['fs.read'];
  return operator === '<>' ? ['fs.read', 'fs.write'] : ['fs.write'];
}

function toAct(
  { value, literal, tilde }: { value: string; literal: boolean; tilde?: boolean },
  access: FileAct['access'],
  folders: Folders,
): FileAct {
  // `~` expands to the current value of HOME, so such a target isn't certain.
  const doubt = !literal || tilde === true ? describeUnknownFile(value) : undefined;
  return {
    kind: 'file',
    access,
    target: value,
    folders,
    role: 'redirection',
    ...(doubt !== undefined && { doubt }),
  };
}

/**
 * The words in order, with those that bash splits off a redirection: `x` in `>&-x`. Undefined: there
 * are none.
 */
export function toRest({ name, args, redirects }: Command): readonly ShellWord[] | undefined {
  const split = redirects.flatMap((redirect) => {
    const rest = redirect.type === 'Redirect' ? splitClosing(redirect) : undefined;
    return rest === undefined ? [] : [{ rest, pos: redirect.pos }];
  });
  if (split.length === 0 || name === undefined) return undefined;
  const words = [name, ...args].map((item) =>
    item.type === 'Word' ? toShellWord(item) : toAssignmentWord(item),
  );
  for (const { rest, pos } of split)
    words.splice(1 + args.filter((item) => item.pos < pos).length, 0, rest);
  return words;
}
