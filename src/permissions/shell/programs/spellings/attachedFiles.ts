import type { ShellWord } from '../../acts.ts';
import type { Folders } from '../../folders.ts';
import type { Walk } from '../../walkState.ts';
import { toAttachedPaths, toPaths } from '../../wordPaths.ts';
import type { Program } from '../tables/program.ts';

/**
 * The value attached to an unknown option may be a file. What copies may read it, too: `tar cf a.tar
 * --directory=.. b`.
 */
export function addAttached(
  program: Program,
  words: readonly ShellWord[],
  {
    operands,
    values,
  }: { readonly operands: readonly number[]; readonly values: ReadonlySet<number> },
  folders: Folders,
  walk: Walk,
): void {
  const plain = new Set(operands);
  const use = getUse(program);
  words.forEach((word, index) => {
    if (plain.has(index) || values.has(index)) return;
    // Letters of readers that name files have rows, and others take texts: `sed -e/x/d`.
    if (use === 'reads' && program.words !== true && !word.value.startsWith('--')) return;
    const file = { kind: 'file', folders } as const;
    for (const target of toAttachedPaths(word)) {
      if (use !== 'unknown')
        walk.acts.push({ ...file, access: 'fs.read', target, role: 'operand' });
      if (use !== 'reads') walk.acts.push({ ...file, access: 'fs.write', target, role: 'named' });
    }
  });
}

/**
 * The value of an option that the row doesn't have may be a file, also where the operands are hosts: `ncat --log x`.
 */
export function addUnlisted(
  words: readonly ShellWord[],
  {
    operands,
    values,
    risky,
  }: { readonly [key in 'values' | 'risky']: ReadonlySet<number> } & {
    readonly operands: readonly number[];
  },
  folders: Folders,
  walk: Walk,
): void {
  const plain = new Set(operands);
  for (const [index, word] of words.entries()) {
    const before = words[index - 1]?.value ?? '';
    const unlisted = !values.has(index - 1) && !risky.has(index - 1) && !plain.has(index - 1);
    const follows = index > 1 && plain.has(index) && unlisted && /^-[^=]+$/.test(before);
    if (word.value.includes('://') || values.has(index)) continue;
    const targets = follows ? toPaths(word) : plain.has(index) ? [] : toAttachedPaths(word);
    for (const target of targets)
      walk.acts.push({ kind: 'file', access: 'fs.write', target, folders, role: 'named' });
  }
}

/** How a program uses the value of an unknown option: as a file, or in a way that nobody knows. */
function getUse({ operands, attached }: Program): 'reads' | 'copies' | 'unknown' {
  if (operands === 'reads' && attached === undefined) return 'reads';
  return operands === 'copies' ? 'copies' : 'unknown';
}
