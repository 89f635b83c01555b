import type { SyntaxNode } from 'unbash';

/** Why an expansion may run something or change the shell, when it may (C4, GHSA-g8r9-g2v8-jv6f). */
export function findDoubtfulExpansion(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'ParameterExpansion':
      if (node.prefix === '!') return `${node.text} reads a variable whose name is not known`;
      if (node.index !== undefined) return `${node.text} evaluates its subscript`;
      return findDoubtfulOperation(node.text, node.operation?.type, node.operation);
    case 'ArithmeticWord':
      return /^(0[xX][\da-fA-F]+|\d+(#[\da-zA-Z@_]+)?)?$/.test(node.value.trim())
        ? undefined
        : `the arithmetic on ${node.value} evaluates what a variable holds`;
    case 'ArithmeticBinary':
    case 'ArithmeticUnary':
      return /^(\+\+|--)$|[^=!<>]=$/.test(node.operator) ? 'arithmetic sets a variable' : undefined;
    case 'ArithmeticCommand':
    case 'ArithmeticExpansion':
      return node.expression === undefined ? 'its arithmetic cannot be read' : undefined;
    case 'ArithmeticCommandExpansion':
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return node.script === undefined ? 'a substitution cannot be read' : undefined;
    case 'Assignment':
      return node.index === undefined ? undefined : `${node.text} evaluates its subscript`;
    default:
      return undefined;
  }
}

function findDoubtfulOperation(
  text: string,
  type: string | undefined,
  operation: unknown,
): string | undefined {
  if (type === undefined) return undefined;
  if (type === 'Transform') return `${text} may run what the variable holds`;
  if (type === 'Slice') return `${text} evaluates arithmetic`;
  const operator = hasOperator(operation) ? operation.operator : '';
  if (type === 'Default' && operator.includes('=')) return `${text} sets a variable`;
  return type === 'Unknown' || type === 'Names' ? `${text} cannot be read` : undefined;
}

function hasOperator(value: unknown): value is { readonly operator: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'operator' in value &&
    typeof value.operator === 'string'
  );
}

const ARITHMETIC_TESTS = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** `[[ -v a[$(x)] ]]` and `[[ a -eq b ]]` evaluate their operands. */
export function findDoubtfulTest(node: SyntaxNode): string | undefined {
  if (node.type === 'TestUnary' && (node.operator === '-v' || node.operator === '-R')) {
    return `[[ ${node.operator} ]] evaluates a subscript`;
  }
  if (node.type !== 'TestBinary' || !ARITHMETIC_TESTS.has(node.operator)) return undefined;
  const plain = [node.left, node.right].every(
    (word) => word.parts === undefined && /^-?\d+$/.test(word.value),
  );
  return plain ? undefined : `[[ ${node.operator} ]] evaluates arithmetic`;
}
