import type { Assignment, Word, WordPart } from 'unbash';
import type { GlobValue, ShellWord } from '../acts.ts';
import { hasTexts, TEXT_LIMIT, type Value, type VariableScope } from '../variableScope.ts';
import {
  isPlainWord,
  literalWord,
  mayBeList,
  mayReplaceTilde,
  toAssignmentWord,
  toShellWord,
} from '../words.ts';
import { canPrint, printsPlainText } from './printable.ts';
import { getName, getText, isExpansion, joinParts } from './texts.ts';

type Item = Word | Assignment;

/**
 * The words of a command, once for each combination of texts that its variables may have. A word
 * that the line doesn't show stays as written, and isn't literal.
 */
export function expandWords(
  items: readonly Item[],
  scope: VariableScope,
): readonly (readonly ShellWord[])[] {
  return bindVariables(items, scope).map((bound) =>
    items.flatMap((item): readonly ShellWord[] => {
      if (item.type !== 'Word') return [toAssignmentWord(item)];
      return split(item, bound) ?? [toKnownWord(item, bound)];
    }),
  );
}

/** The words that a written word is split into. Undefined: the line doesn't show them. */
function split(word: Word, scope: VariableScope): readonly ShellWord[] | undefined {
  if (scope.size === 0 || isPlainWord(word)) return undefined;
  if (word.parts === undefined || mayReplaceTilde(word.text) || toShellWord(word).literal)
    return undefined;
  // Bash expands lists before variables.
  if (mayBeList(word.text)) return undefined;
  const fields = createFields();
  for (const part of word.parts) if (!addPart(part, scope, fields)) return undefined;
  return fields.end();
}

/** A word that isn't split: it is literal, may be printed, or isn't known at all. */
function toKnownWord(word: Word, scope: VariableScope): ShellWord {
  const plain = toShellWord(word);
  if (plain.literal || word.parts === undefined) return plain;
  if (mayBeList(word.text)) return plain;
  const each = findEach(word.parts, scope);
  if (each !== undefined) return { ...plain, printable: 'word', each };
  const pattern = toPattern(word.parts, scope);
  if (pattern !== undefined) return { value: pattern, literal: false };
  if (isPipe(word)) return { ...plain, pipe: true };
  if (mayReplaceTilde(word.text)) return plain;
  const printed = word.parts.map((part) => canPrint(part, scope));
  if (printed.includes(undefined)) return plain;
  return { ...plain, printable: printed.includes('words') ? 'words' : 'word' };
}

/** The files of a loop, if the word is one of them: `"$f"`, and `$f` if it isn't split. */
function findEach(parts: readonly WordPart[], scope: VariableScope): GlobValue | undefined {
  const [part, ...others] = parts;
  if (part === undefined || others.length > 0) return undefined;
  if (part.type === 'DoubleQuoted') {
    const [inner, ...more] = part.parts;
    return inner === undefined || more.length > 0 ? undefined : getEach(inner, scope);
  }
  const each = getEach(part, scope);
  return each?.matches.every((match) => INERT.test(match)) === true ? each : undefined;
}

function getEach(part: WordPart, scope: VariableScope): GlobValue | undefined {
  if (!isExpansion(part) || (part.type === 'ParameterExpansion' && part.operation !== undefined))
    return undefined;
  const value = scope.get(getName(part) ?? '');
  return typeof value === 'object' && 'glob' in value ? value : undefined;
}

/** Texts that neither are split nor mean something in a pattern. */
const INERT = /^[\w./-]+$/;

/** A glob in which variables have known texts: `$dir/*.ts`. The text of the same glob without them. */
function toPattern(parts: readonly WordPart[], scope: VariableScope): string | undefined {
  let pattern = '';
  for (const part of parts) {
    const written = part.type === 'Literal' || part.type === 'Glob';
    const text = written ? part.text : joinParts([part], scope, false);
    if (text === undefined || (!written && !INERT.test(text))) return undefined;
    pattern += text;
  }
  return /^[\w./]/.test(pattern) && /^[\w./*?-]+$/.test(pattern) ? pattern : undefined;
}

/** `<(command)`: a file name that leads to a pipe. */
function isPipe({ parts = [] }: Word): boolean {
  const [only, ...others] = parts;
  return only?.type === 'ProcessSubstitution' && only.operator === '<' && others.length === 0;
}

/** The value that an assignment of the word gives a variable. Undefined: the line doesn't show it. */
export function toAssignedValue(word: Word, scope: VariableScope): Value | undefined {
  if (word.text.startsWith('~') || /[:=]~/.test(word.text)) return undefined;
  const plain = toShellWord(word);
  if (plain.literal) return { texts: [plain.value] };
  const { parts } = word;
  if (parts === undefined) return undefined;
  const texts = new Set<string>();
  for (const bound of bindVariables([word], scope)) {
    const text = joinParts(parts, bound, false);
    if (text === undefined) return toPrintedValue(parts, scope);
    texts.add(text);
  }
  return { texts: [...texts] };
}

/** An assignment doesn't split its value, so the output of any command on the line may be printed. */
function toPrintedValue(parts: readonly WordPart[], scope: VariableScope): Value | undefined {
  const [only, ...others] = parts;
  if (only?.type === 'ArithmeticExpansion' && others.length === 0) return 'number';
  if (only?.type === 'CommandExpansion' && others.length === 0 && printsPlainText(only.script))
    return 'plain';
  const known = parts.every((part) =>
    part.type === 'CommandExpansion'
      ? part.script !== undefined
      : canPrint(part, scope) !== undefined,
  );
  return known ? 'output' : undefined;
}

/** Collects the words that one written word is split into. */
interface Fields {
  add(text: string): void;
  /** Adds the value of an expansion without quotes. */
  addSplit(text: string): void;
  end(): readonly ShellWord[];
}

function createFields(): Fields {
  const done: ShellWord[] = [];
  let current: string | undefined;
  const add = (text: string) => {
    current = (current ?? '') + text;
  };
  const close = () => {
    if (current !== undefined) done.push(literalWord(current));
    current = undefined;
  };
  return {
    add,
    addSplit(text) {
      const [first = '', ...others] = text.split(/[ \t\n]+/);
      if (first !== '') add(first);
      for (const each of others) {
        close();
        if (each !== '') add(each);
      }
    },
    end() {
      close();
      return done;
    },
  };
}

/** Adds a part to the fields. False if the line doesn't show its value. */
function addPart(part: WordPart, scope: VariableScope, fields: Fields): boolean {
  const splits = isExpansion(part) || part.type === 'CommandExpansion';
  const text = isExpansion(part) ? getText(part, scope) : joinParts([part], scope, false);
  if (text === undefined) return false;
  if (!splits) fields.add(text);
  // The shell would replace a pattern by the names that it matches.
  else if (/[*?[\\]/.test(text)) return false;
  else fields.addSplit(text);
  return true;
}

/** A scope for each combination of texts of the variables in the words; the same scope if too many. */
function bindVariables(items: readonly Item[], scope: VariableScope): readonly VariableScope[] {
  if (scope.size === 0) return [scope];
  const names = new Set<string>();
  for (const item of items)
    if (item.type === 'Word' && !isPlainWord(item)) collectNames(item.parts, names);
  let bound: readonly VariableScope[] = [scope];
  for (const name of names) {
    const value = scope.get(name);
    if (!hasTexts(value) || value.texts.length < 2) continue;
    if (bound.length * value.texts.length > TEXT_LIMIT) return [scope];
    bound = bound.flatMap((each) =>
      value.texts.map((text): VariableScope => new Map([...each, [name, { texts: [text] }]])),
    );
  }
  return bound;
}

function collectNames(parts: readonly WordPart[] | undefined, names: Set<string>): void {
  for (const part of parts ?? []) {
    if (part.type === 'DoubleQuoted') collectNames(part.parts, names);
    else if (isExpansion(part)) names.add(getName(part) ?? '');
    else if (part.type === 'CommandExpansion') names.add(part.text);
  }
}
