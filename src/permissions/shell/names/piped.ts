import type { CommandNode, Redirection } from 'unbash';
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

/** `2>…` changes neither input nor output. */
function isError({ type, descriptor, ...rest }: Redirection): boolean {
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
