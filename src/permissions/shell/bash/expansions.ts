import type { ParameterExpansionPart, SyntaxNode, Word } from 'unbash';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import { getValue, isInteger, type VariableScope } from '../variableScope.ts';

/**
 * Why an expansion may run something or change the shell; undefined if it can't (corpus C4,
 * GHSA-g8r9-g2v8-jv6f).
 */
export function findDoubtfulExpansion(node: SyntaxNode, scope: VariableScope): string | undefined {
  switch (node.type) {
    case 'ParameterExpansion':
      if (node.prefix === '!')
        return `Gatehouse can't tell which variable ${toCodeSpan(node.text)} reads.`;
      if (node.index !== undefined)
        return `${toCodeSpan(node.text)} evaluates its subscript, which may run a command.`;
      return findDoubtfulOperation(node);
    case 'ArithmeticWord':
      return /^(0[xX][\da-fA-F]+|\d+(#[\da-zA-Z@_]+)?)?$/.test(node.value.trim()) ||
        isCounter(node.value.trim(), scope)
        ? undefined
        : `Arithmetic on ${toCodeSpan(node.value)} evaluates the value of a variable, which may run a command.`;
    case 'ArithmeticExpansion':
      return node.expression === undefined
        ? `Gatehouse can't parse ${toCodeSpan(node.text)}.`
        : undefined;
    case 'ArithmeticCommandExpansion':
      // The output of a command may contain `a[$(x)]`, which `((…))` runs.
      return 'Arithmetic evaluates the output of a command, which may run another command.';
    case 'CommandExpansion':
      // `${ x; }` runs in newer shells, is an error in others, and may not end for the parser.
      if (node.text.startsWith('${'))
        return `${toCodeSpan(node.text)} runs a command in some versions of bash only.`;
      return node.script === undefined
        ? `Gatehouse can't parse ${toCodeSpan(node.text)}.`
        : undefined;
    case 'ProcessSubstitution':
      return node.script === undefined
        ? `Gatehouse can't parse ${toCodeSpan(node.text)}.`
        : undefined;
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
      return operation.operator.endsWith('=')
        ? `${toCodeSpan(text)} sets a variable, which may change what later commands do.`
        : undefined;
    case 'Transform':
      return `${toCodeSpan(text)} may run the value of the variable.`;
    case 'Slice':
      return `${toCodeSpan(text)} evaluates arithmetic, which may run a command.`;
    default:
      return `Gatehouse can't parse ${toCodeSpan(text)}.`;
  }
}

const ARITHMETIC_TESTS = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** `[[ -v a[$(x)] ]]` and `[[ a -eq b ]]` evaluate their operands. */
export function findDoubtfulTest(node: SyntaxNode, scope: VariableScope): string | undefined {
  if (node.type === 'TestUnary') {
    return /^-[vR]$/.test(node.operator)
      ? `${toCodeSpan(`[[ ${node.operator} ]]`)} evaluates a subscript, which may run a command.`
      : undefined;
  }
  if (node.type !== 'TestBinary' || !ARITHMETIC_TESTS.has(node.operator)) return undefined;
  const isPlain = ({ text }: Word) =>
    /^-?\d+$/.test(text) || isCounter(text.replace(/^"(.*)"$/, '$1'), scope);
  const plain = [node.left, node.right].every(isPlain);
  return plain
    ? undefined
    : `${toCodeSpan(`[[ ${node.operator} ]]`)} evaluates arithmetic, which may run a command.`;
}

/** Whether it is a variable that holds an integer, which arithmetic can't evaluate further. */
function isCounter(text: string, scope: VariableScope): boolean {
  const name = /^\$?([A-Za-z_]\w*)$/.exec(text)?.[1] ?? /^\$\{(\w+)\}$/.exec(text)?.[1];
  return name !== undefined && isInteger(getValue(name, scope));
}
