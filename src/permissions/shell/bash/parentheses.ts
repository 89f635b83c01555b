import { forEachChild, type ParsedScript, type SyntaxNode } from 'unbash';
import { describeParseError } from '../doubts.ts';

/**
 * A parenthesis where only an operator or a word is valid. `f()` and `a=(` are nodes of their own.
 */
const BEHIND_WORD = /(?:\\.|[^\s;&|()<>$])[ \t]*\(/;
const NEXT = /[ \t]*\(/y;

/**
 * The error of a parenthesis that follows a command's name: `rm(x` is one in bash, but `rm x` for
 * the parser.
 */
export function findStrayParenthesis(script: ParsedScript, text: string): string | undefined {
  if (!BEHIND_WORD.test(text)) return undefined;
  let found = false;
  const look = (node: SyntaxNode): void => {
    if (node.type === 'Command') {
      NEXT.lastIndex = node.name?.end ?? node.end;
      found ||= NEXT.test(text);
    }
    forEachChild(node, look);
  };
  look(script);
  return found ? describeParseError('an unexpected parenthesis') : undefined;
}
