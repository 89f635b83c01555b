import type { ParameterExpansionPart, SyntaxNode, Word } from 'unbash';
import { getValue, isInteger, type VariableScope } from '../variableScope.ts';

/**
 * Why an expansion may run something or change the shell; undefined if it can't (corpus C4,
 * GHSA-g8r9-g2v8-jv6f).
 */
export function findDoubtfulExpansion(node: SyntaxNode, scope: VariableScope): string | undefined {
  switch (node.type) {
    case 'ParameterExpansion':
      if (node.prefix === '!')
        return `"${node.text}" reads a variable whose name is only known at run time`;
      if (node.index !== undefined) return `"${node.text}" evaluates its subscript`;
      return findDoubtfulOperation(node);
    case 'ArithmeticWord':
      return /^(0[xX][\da-fA-F]+|\d+(#[\da-zA-Z@_]+)?)?$/.test(node.value.trim()) ||
        isCounter(node.value.trim(), scope)
        ? undefined
        : `arithmetic on "${node.value}" evaluates the value of a variable`;
    case 'ArithmeticExpansion':
      return node.expression === undefined
        ? 'an arithmetic expression cannot be parsed'
        : undefined;
    case 'ArithmeticCommandExpansion':
      // The output of a command may contain `a[$(x)]`, which `((…))` runs.
      return 'arithmetic evaluates the output of a command';
    case 'CommandExpansion':
      // `${ x; }` runs in newer shells, is an error in others, and may not end for the parser.
      if (node.text.startsWith('${')) return `"${node.text}" runs a command in some shells only`;
      return node.script === undefined ? 'a substitution cannot be parsed' : undefined;
    case 'ProcessSubstitution':
      return node.script === undefined ? 'a substitution cannot be parsed' : undefined;
    default:
      return undefined;
  }
}

function findDoubtfulOperation({ text, operation }: ParameterExpansionPart): string | undefined {
  switch (operation?.type) {
    case undefined:
    case 'Remove':
    case 'Replace':
    case 'CaseModification':
      return undefined;
    case 'Default':
      return operation.operator.endsWith('=') ? `"${text}" sets a variable` : undefined;
    case 'Transform':
      return `"${text}" may run the value of the variable`;
    case 'Slice':
      return `"${text}" evaluates arithmetic`;
    default:
      return `"${text}" cannot be parsed`;
  }
}

const ARITHMETIC_TESTS = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** `[[ -v a[$(x)] ]]` and `[[ a -eq b ]]` evaluate their operands. */
export function findDoubtfulTest(node: SyntaxNode, scope: VariableScope): string | undefined {
  if (node.type === 'TestUnary') {
    return /^-[vR]$/.test(node.operator)
      ? `"[[ ${node.operator} ]]" evaluates a subscript`
      : undefined;
  }
  if (node.type !== 'TestBinary' || !ARITHMETIC_TESTS.has(node.operator)) return undefined;
  const isPlain = ({ text }: Word) =>
    /^-?\d+$/.test(text) || isCounter(text.replace(/^"(.*)"$/, '$1'), scope);
  const plain = [node.left, node.right].every(isPlain);
  return plain ? undefined : `"[[ ${node.operator} ]]" evaluates arithmetic`;
}

/** Whether it is a variable that holds an integer, which arithmetic can't evaluate further. */
function isCounter(text: string, scope: VariableScope): boolean {
  const name = /^\$?([A-Za-z_]\w*)$/.exec(text)?.[1] ?? /^\$\{(\w+)\}$/.exec(text)?.[1];
  return name !== undefined && isInteger(getValue(name, scope));
}
