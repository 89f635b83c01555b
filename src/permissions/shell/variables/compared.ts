import { forEachChild, type SyntaxNode, type Word } from 'unbash';
import { describeRevealed } from '../doubts.ts';
import type { VariableScope } from '../variableScope.ts';
import { isPlainWord } from '../words.ts';
import { isPrinted } from './printable.ts';
import { isExpansion } from './texts.ts';

/**
 * Why a comparison may reveal a variable whose value the line doesn't show: enough patterns in `case`
 * and `[[` tell each of its characters, and `select` prints its words. Undefined: it reveals none.
 */
export function findRevealed(node: SyntaxNode, scope: VariableScope): string | undefined {
  const found = listCompared(node).find((word) => holdsUnknown(word, scope));
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

function holdsUnknown(word: Word, scope: VariableScope): boolean {
  if (isPlainWord(word)) return false;
  let found = false;
  const look = (node: SyntaxNode): void => {
    // What commands on the line print is evaluated with them.
    if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') return;
    found ||= isExpansion(node) && !isPrinted(node, scope);
    forEachChild(node, look);
  };
  for (const part of word.parts ?? []) look(part);
  return found;
}
