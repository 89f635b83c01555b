import type { DoubleQuotedChild, ParameterDefaultOperation, Script, Word, WordPart } from 'unbash';
import { getValue, isInherited, isInteger, type VariableScope } from '../variableScope.ts';
import { toAssignmentWord, toShellWord } from '../words.ts';
import { getName, isExpansion, joinParts, type VariablePart } from './texts.ts';

/**
 * Whether the part's value may be printed although it isn't known, because it is an integer or was
 * made by commands on the line. `words`: it may become several words.
 */
export function canPrint(part: WordPart, scope: VariableScope): 'word' | 'words' | undefined {
  switch (part.type) {
    case 'DoubleQuoted':
      return part.parts.every((inner) => canPrintQuoted(inner, scope)) ? 'word' : undefined;
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return canPrintUnquoted(part, scope);
    case 'ArithmeticExpansion':
      return 'word';
    case 'CommandExpansion':
      return printsPlainText(part.script) ? 'words' : undefined;
    default:
      return joinParts([part], scope, false) === undefined ? undefined : 'word';
  }
}

/** Whether a here-document or here-string only contains what the line may print. */
export function mayPrint(parts: readonly WordPart[] | undefined, scope: VariableScope): boolean {
  return (parts ?? []).every((part) => {
    if (part.type === 'DoubleQuoted' || part.type === 'LocaleString')
      return mayPrint(part.parts, scope);
    if (part.type === 'CommandExpansion') return part.script !== undefined;
    return !isExpansion(part) || isPrinted(part, scope);
  });
}

function canPrintQuoted(part: DoubleQuotedChild, scope: VariableScope): boolean {
  if (part.type === 'CommandExpansion') return part.script !== undefined;
  if (isExpansion(part)) return isPrinted(part, scope);
  return part.type === 'ArithmeticExpansion' || joinParts([part], scope, true) !== undefined;
}

/** Whether an expansion that isn't split only prints what the line may print. */
export function isPrinted(part: VariablePart, scope: VariableScope): boolean {
  const length = part.type === 'ParameterExpansion' && part.prefix === '#';
  const name = length ? part.parameter : getName(part);
  return getValue(name ?? '', scope) !== undefined && isInert(part);
}

/** An expansion without quotes is split, and patterns in it become file names. */
function canPrintUnquoted(part: VariablePart, scope: VariableScope): 'word' | 'words' | undefined {
  if (!isPrinted(part, scope)) return undefined;
  if (part.type === 'ParameterExpansion') {
    if (part.prefix === '#') return 'word';
    // The other text may be several words.
    if (part.operation?.type === 'Default') return 'words';
  }
  const name = getName(part) ?? '';
  if (isInteger(getValue(name, scope))) return 'word';
  return isInherited(name, scope) || getValue(name, scope) === 'plain' ? 'words' : undefined;
}

/** Whether the operation only prints a part of the value, or other letters. */
function isInert(part: VariablePart): boolean {
  if (part.type === 'SimpleExpansion' || part.operation === undefined) return true;
  const { operation } = part;
  if (operation.type === 'Default') return isPrintedInstead(operation);
  if (operation.type === 'CaseModification') return operation.operand === undefined;
  if (operation.type === 'Remove') return isPattern(operation.operand);
  if (operation.type !== 'Replace') return false;
  return isPattern(operation.pattern) && isPattern(operation.replacement);
}

/** `${x:-text}` and `${x:+text}`, which print a text of the line, and assign nothing. */
function isPrintedInstead({ operator, operand }: ParameterDefaultOperation): boolean {
  return /^:?[-+]$/.test(operator) && /^[\w.,/:@ -]*$/.test(operand.text);
}

/** A word without expansions; it may be a pattern. */
function isPattern(word: Word): boolean {
  return toShellWord(word).literal || /^[\w.,/*?:@+= -]*$/.test(word.text);
}

/** Commands whose output contains no patterns, whatever they find. */
const PLAIN_PRINTERS =
  /^(?:pwd|whoami|nproc|uname|hostname|date|wc|seq|id|grep -[EFivwxns]*c[EFivwxns]*(?= [^-])(?!.* -)|git (?:rev-parse|rev-list --count|branch --show-current|describe|merge-base))(?: |$)/;

/** Whether the shell expands nothing in the output when it splits it. */
export function printsPlainText(script: Script | undefined): boolean {
  const [only, ...others] = script?.commands ?? [];
  if (only === undefined || others.length > 0) return false;
  const { command } = only;
  const last = command.type === 'Pipeline' ? command.commands.at(-1) : command;
  if (last?.type !== 'Command' || last.name === undefined) return false;
  const words = [last.name, ...last.args].map((word) =>
    word.type === 'Word' ? toShellWord(word) : toAssignmentWord(word),
  );
  const text = words.map(({ value }) => value).join(' ');
  return (
    words.every(({ literal }) => literal) && PLAIN_PRINTERS.test(text) && !/[*?[\\]/.test(text)
  );
}
