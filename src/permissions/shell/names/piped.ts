import type { Assignment, CommandNode, Redirection, Word } from 'unbash';
import type { FileNames } from '../fileNames.ts';
import type { VariableScope } from '../variableScope.ts';
import { expandWords } from '../variables/expand.ts';
import { findPrintedNames, keepsNames } from './printedNames.ts';

/** The file names that a command of a pipeline prints, given those that it gets. */
export function findPiped(
  node: CommandNode,
  names: FileNames | undefined,
  scope: VariableScope,
): FileNames | undefined {
  if (node.type !== 'Command' || node.name === undefined || node.prefix.length > 0)
    return undefined;
  const [words, ...others] = expandWords([node.name, ...node.args], scope);
  const [first] = words ?? [];
  if (words === undefined || first === undefined || others.length > 0) return undefined;
  if (node.redirects.some((each) => !isError(each))) return undefined;
  if (names !== undefined && keepsNames(first.value, words)) return { ...names, separated: false };
  return findPrintedNames(first.value, words);
}

/** The file names that the last of these words, `$(command)`, prints without quotes around it. */
export function findSubstituted(
  items: readonly (Word | Assignment)[],
  scope: VariableScope,
): FileNames | undefined {
  const last = items.at(-1);
  const [part, ...parts] = (last?.type === 'Word' && last.parts) || [];
  if (part?.type !== 'CommandExpansion' || parts.length > 0) return undefined;
  const [statement, ...statements] = part.script?.commands ?? [];
  if (statement === undefined || statements.length > 0 || statement.background === true)
    return undefined;
  const { command } = statement;
  if (command.type !== 'Pipeline')
    return command.type === 'AndOr' ? undefined : findPiped(command, undefined, scope);
  if (command.operators.some((operator) => operator !== '|')) return undefined;
  let names: FileNames | undefined;
  for (const [index, each] of command.commands.entries()) {
    if (index > 0 && names === undefined) return undefined;
    names = findPiped(each, names, scope);
  }
  return names;
}

/** `2>…` changes neither input nor output. */
export function isError({ type, descriptor, ...rest }: Redirection): boolean {
  const into = 'operator' in rest && /^>[>|]?$/.test(rest.operator);
  return (
    type === 'Redirect' && into && descriptor?.type === 'FileDescriptor' && descriptor.value === 2
  );
}

/** Whether a command's input is the pipe before it. */
export function readsPipe(redirections: readonly Redirection[] = []): boolean {
  return redirections.every(
    ({ type, descriptor, operator }) =>
      type === 'Redirect' &&
      /^>[>|]?$/.test(operator) &&
      descriptor?.type !== 'FileDescriptorVariable',
  );
}
