import type { ShellWord } from '../acts.ts';

/**
 * The names that `git symbolic-ref` writes or removes, and that may lie outside the references: git
 * follows `..` there, and takes `config` for the file next to `HEAD`. `given` follow the subcommand.
 */
export function findOutsideReferences(
  sub: string,
  given: readonly ShellWord[],
): readonly ShellWord[] {
  if (sub !== 'symbolic-ref') return [];
  const operands = given.filter(
    ({ value }, index) => !value.startsWith('-') && given[index - 1]?.value !== '-m',
  );
  const removes = given.some(({ value }) => /^(?:-q?d|--d)/.test(value));
  const named = removes ? operands : operands.slice(0, -1);
  return named.filter(({ value, literal }) => !literal || !isReference(value));
}

function isReference(name: string): boolean {
  if (/^(?:[A-Z]+_)?HEAD$/.test(name)) return true;
  return /^refs\/[^\\]+$/.test(name) && !name.split('/').includes('..');
}
