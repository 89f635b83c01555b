import { forEachChild, type ParsedScript, type SyntaxNode } from 'unbash';

/**
 * A parenthesis where only an operator or a word is valid. `f()` and `a=(` are nodes of their own.
 */
const BEHIND_WORD = /(?:\\.|[^\s;&|()<>$])[ \t]*\(/;
const NEXT = /[ \t]*\(/y;

/**
 * Whether a parenthesis follows a command's name. `rm(x` is an error in bash, but `rm x` for the
 * parser.
 */
export function hasStrayParenthesis(script: ParsedScript, text: string): boolean {
  if (!BEHIND_WORD.test(text)) return false;
  let found = false;
  const look = (node: SyntaxNode): void => {
    if (node.type === 'Command') {
      NEXT.lastIndex = node.name?.end ?? node.end;
      found ||= NEXT.test(text);
    }
    forEachChild(node, look);
  };
  look(script);
  return found;
}
