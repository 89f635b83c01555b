import { toCodeSpan } from '../../base/codeSpan.ts';
import type { ShellWord } from './acts.ts';

// Sentences that several parts of the analysis use.

/** `what`: the fault, without a full stop; code in it is in single quotes. */
export function describeParseError(what: string): string {
  const shown = what.replace(/'([^']+)'/g, (_, code: string) => toCodeSpan(code));
  return `Gatehouse can't parse the command (${shown}).`;
}

/** A shell that runs its input or a file, or an interpreter that does. */
export function describeUnseen(program: string, what: 'commands' | 'code'): string {
  return `${toCodeSpan(program)} runs ${what} that Gatehouse can't see.`;
}

export function describeVariable(name: string): string {
  return `The variable ${toCodeSpan(name)} may change what runs.`;
}

export function describeUnknownFile(written: string): string {
  return `Gatehouse can't tell which file ${toCodeSpan(written)} names.`;
}

/** A glob whose matches may be others when the command runs. */
export function describeGlob(written: string): string {
  return `Gatehouse can't tell which files ${toCodeSpan(written)} matches when the command runs.`;
}

/** A word that isn't literal. `isFile`: the program reads a file of that name. */
export function describeUnknown({ value, tilde }: ShellWord, isFile: boolean): string {
  const shown = toCodeSpan(value);
  if (/^\$\(|^`/.test(value)) return `Gatehouse can't tell what ${shown} prints.`;
  if (/\$\(|`/.test(value)) return `Gatehouse can't tell what the command in ${shown} prints.`;
  if (/^[<>]\(/.test(value)) return `Gatehouse can't tell what the program does with ${shown}.`;
  if (/^"?\{\}"?$/.test(value)) return `${shown} stands for names that Gatehouse can't see.`;
  if (isFile || tilde === true) return describeUnknownFile(value);
  if (/^"?\$(?:\w+|\{[^}]*\})"?$/.test(value))
    return `Gatehouse doesn't know the value of ${shown}.`;
  if (value.includes('$')) return `Gatehouse doesn't know the values of the variables in ${shown}.`;
  if (/[*?[]/.test(value)) return describeGlob(value);
  return `Gatehouse can't tell what the shell makes of ${shown}.`;
}

/** A comparison with a variable whose value the line doesn't show. */
export function describeRevealed(text: string): string {
  return `${toCodeSpan(text)} would reveal the value of a variable that Gatehouse doesn't know.`;
}

/** A redirection to a name such as `/dev/fd/3`. */
export function describeReopened(path: string): string {
  return `${toCodeSpan(path)} opens the file behind the descriptor again, and Gatehouse can't tell which file that is.`;
}
