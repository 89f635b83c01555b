import { type Assignment, forEachChild, type SyntaxNode } from 'unbash';
import {
  getInherited,
  joinValues,
  type Value,
  type VariableScope,
  withValue,
} from '../variableScope.ts';
import { isPlainWord, toShellWord } from '../words.ts';

/** Builtins that may set the variables that their words name. */
const SETTERS: ReadonlySet<string> = new Set(
  `read mapfile readarray export declare typeset local readonly unset printf getopts let eval source .
  wait coproc`.split(/\s+/),
);

/**
 * The scope at the start of a loop's body, whose last iteration may have set what the body sets.
 * Variables that it sets to anything but literals and integers are unknown.
 */
export function widen(scope: VariableScope, loop: SyntaxNode): VariableScope {
  let widened = scope;
  const set = (name: string, value: Value | undefined) => {
    const before = widened.get(name) ?? getInherited(name);
    if (before === undefined) return;
    widened = withValue(widened, name, value && joinValues(before, value));
  };
  const look = (node: SyntaxNode): void => {
    for (const [name, value] of listSettings(node)) {
      // A loop sets its own variable after the first look at it.
      if (node !== loop || scope.has(name)) set(name, value);
    }
    forEachChild(node, look);
  };
  look(loop);
  return widened;
}

type Setting = readonly [name: string, value: Value | undefined];

function listSettings(node: SyntaxNode): readonly Setting[] {
  switch (node.type) {
    case 'Assignment':
      return [[node.name, toSetValue(node)]];
    case 'ArithmeticWord':
      return [[node.value.trim(), 'number']];
    case 'For':
    case 'Select':
      return [[node.name.value, undefined]];
    case 'Redirect':
    case 'HereDoc':
    case 'HereString':
      return node.descriptor?.type === 'FileDescriptorVariable'
        ? [[node.descriptor.name, undefined]]
        : [];
    case 'Command': {
      const args = node.args.map((word) => (word.type === 'Word' ? word.value : word.name));
      const words = [node.name?.value ?? '', ...args];
      return words.some((word) => SETTERS.has(word)) ? args.map((arg) => [arg, undefined]) : [];
    }
    default:
      return [];
  }
}

/** What an assignment sets, as far as its own text shows it. */
function toSetValue({ value, append, index }: Assignment): Value | undefined {
  if (value.type !== 'Word' || append === true || index !== undefined) return undefined;
  if (isPlainWord(value)) return { texts: [value.text] };
  const word = toShellWord(value);
  if (word.literal && word.tilde !== true) return { texts: [word.value] };
  const [only, ...others] = value.parts ?? [];
  return only?.type === 'ArithmeticExpansion' && others.length === 0 ? 'number' : undefined;
}
