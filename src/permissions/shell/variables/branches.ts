import type { AndOr, CompoundList, If, PipelineNode, Statement } from 'unbash';
import type { ShellWord } from '../acts.ts';
import { type Flow, type Folders, toFlow, unite } from '../folders.ts';
import { joinScopes } from '../variableScope.ts';
import type { Walk } from '../walkState.ts';

type WalkStatements = (statements: readonly Statement[], start: Folders, walk: Walk) => Folders;

/** Walks every branch from where its condition ends. Returns the folders after any of them. */
export function walkIf(
  node: If,
  start: Folders,
  walk: Walk,
  walkStatements: WalkStatements,
): Folders {
  let before = walkStatements(node.clause.commands, start, walk);
  let { scope } = walk;
  let end = walkStatements(node.then.commands, before, walk);
  let ends = walk.scope;
  const branch = (body: CompoundList) => {
    const folders = walkStatements(body.commands, before, walk);
    end = unite(end, folders);
    ends = joinScopes(ends, walk.scope);
  };
  for (const { clause, then } of node.elif) {
    walk.scope = scope;
    before = walkStatements(clause.commands, before, walk);
    scope = walk.scope;
    branch(then);
  }
  walk.scope = scope;
  if (node.else !== undefined) branch(node.else);
  walk.scope = joinScopes(ends, walk.scope);
  return unite(end, before);
}

type WalkNode = (node: PipelineNode, folders: Folders, walk: Walk) => Flow;

/** Walks a list of `&&` and `||`; after the first command each may not run. */
export function walkAndOr(
  { commands, operators }: AndOr,
  start: Folders,
  walk: Walk,
  walkNode: WalkNode,
): Flow {
  let flow: Flow = toFlow(start);
  commands.forEach((command, index) => {
    const operator = operators[index - 1];
    const from = operator === undefined ? start : operator === '&&' ? flow.ok : flow.failed;
    const { scope } = walk;
    const next = walkNode(command, from, walk);
    if (operator !== undefined) walk.scope = joinScopes(scope, walk.scope);
    if (operator === undefined) flow = next;
    else if (operator === '&&') flow = { ok: next.ok, failed: unite(flow.failed, next.failed) };
    else flow = { ok: unite(flow.ok, next.ok), failed: next.failed };
  });
  return flow;
}

/** Walks a command with each of the words that it may have. Returns where it may leave the shell. */
export function walkEach(
  alternatives: readonly (readonly ShellWord[])[],
  walk: Walk,
  run: (words: readonly ShellWord[]) => Flow,
): Flow {
  const { scope } = walk;
  let ends = scope;
  let flow: Flow | undefined;
  for (const words of alternatives) {
    walk.scope = scope;
    const next = run(words);
    ends = flow === undefined ? walk.scope : joinScopes(ends, walk.scope);
    flow =
      flow === undefined
        ? next
        : { ok: unite(flow.ok, next.ok), failed: unite(flow.failed, next.failed) };
  }
  walk.scope = ends;
  return flow ?? toFlow([]);
}
