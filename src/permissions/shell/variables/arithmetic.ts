import type { ArithmeticBinary, ArithmeticFor, ArithmeticUnary, SyntaxNode } from 'unbash';
import { isInteger, withValue } from '../variableScope.ts';
import type { Walk } from '../walkState.ts';
import { isOwnVariable } from './own.ts';

/** `for ((i=0; …))` sets its counter before anything else. */
export function startCounter({ initialize }: ArithmeticFor, walk: Walk): void {
  if (initialize?.type !== 'ArithmeticBinary' || initialize.operator !== '=') return;
  const { left, right } = initialize;
  if (left.type !== 'ArithmeticWord' || right.type !== 'ArithmeticWord') return;
  const name = left.value.trim();
  if (!isOwnVariable(name) || !/^\d+$/.test(right.value.trim())) return;
  walk.scope = withValue(walk.scope, name, 'number');
}

/** Walks an operation; one that sets a variable leaves an integer in it. */
export function walkArithmetic(
  node: ArithmeticBinary | ArithmeticUnary,
  walk: Walk,
  walkPart: (node: SyntaxNode) => void,
): void {
  const [target, other] =
    node.type === 'ArithmeticBinary' ? [node.left, node.right] : [node.operand];
  walkPart(target);
  if (other !== undefined) walkPart(other);
  const name = target.type === 'ArithmeticWord' ? target.value.trim() : '';
  if (isInteger(walk.scope.get(name))) walk.scope = withValue(walk.scope, name, 'number');
}
