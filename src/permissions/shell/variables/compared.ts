import { forEachChild, type SyntaxNode, type Word } from 'unbash';
import { describeRevealed } from '../doubts.ts';
import type { VariableScope } from '../variableScope.ts';
import { isPlainWord } from '../words.ts';
import { isPrinted } from './printable.ts';
import { isExpansion, type VariablePart } from './texts.ts';

/**
 * Why a comparison may reveal a variable whose value the line doesn't show: enough patterns in `case`
 * and `[[` tell each of its characters, and `select` prints its words. So does what is left of the value without a
 * pattern, if it is tested or looped over. Undefined: it reveals none.
 */
export function findRevealed(node: SyntaxNode, scope: VariableScope): string | undefined {
  const found =
    listCompared(node).find((word) => holdsUnknown(word, scope, isExpansion)) ??
    listTested(node).find((word) => holdsUnknown(word, scope, isChanged));
  return found && describeRevealed(found.text);
}

/** The words that are compared or printed. */
function listCompared(node: SyntaxNode): readonly Word[] {
  switch (node.type) {
    case 'Case':
      return [node.word, ...node.items.flatMap(({ pattern }) => pattern)];
    case 'Select':
      return node.wordlist ?? [];
    case 'TestBinary':
      return [node.left, node.right];
    default:
      return [];
  }
}

/** The words of which something tells whether they are empty, or how many they are. */
function listTested(node: SyntaxNode): readonly Word[] {
  if (node.type === 'TestUnary') return [node.operand];
  return node.type === 'For' ? (node.wordlist ?? []) : [];
}

/** `${x##a*}`, `${x/a/b}` and `${#x}`, but not `${x:-a}`, which only depends on whether there is a value. */
function isChanged(node: SyntaxNode): node is VariablePart {
  if (node.type !== 'ParameterExpansion') return false;
  const { operation, prefix } = node;
  return prefix !== undefined || (operation !== undefined && operation.type !== 'Default');
}

function holdsUnknown(
  word: Word,
  scope: VariableScope,
  counts: (node: SyntaxNode) => node is VariablePart,
): boolean {
  if (isPlainWord(word)) return false;
  let found = false;
  const look = (node: SyntaxNode): void => {
    // What commands on the line print is evaluated with them.
    if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') return;
    found ||= counts(node) && !isPrinted(node, scope);
    forEachChild(node, look);
  };
  for (const part of word.parts ?? []) look(part);
  return found;
}
