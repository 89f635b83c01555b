import type { ShellWord } from '../acts.ts';
import type { Walk } from '../walkState.ts';
import { toClone } from './inputs.ts';
import { findOutsideReferences } from './references.ts';

/** Adds the files that a subcommand writes and that are no operand of their own. */
export function addWritten(
  sub: string,
  given: readonly ShellWord[],
  folders: readonly string[],
  walk: Walk,
): void {
  const act = { kind: 'file', access: 'fs.write', folders, role: 'operand' } as const;
  const values = given.map(({ value }) => value);
  for (const target of findWritten(sub, values)) walk.acts.push({ ...act, target });
  for (const { value, literal } of findOutsideReferences(sub, given))
    if (literal) walk.acts.push({ ...act, target: `.git/${value}`, top: true });
}

function findWritten(sub: string, values: readonly string[]): readonly string[] {
  const output = Object.hasOwn(OUTPUTS, sub) ? OUTPUTS[sub] : undefined;
  const found = values.flatMap((value, index) => {
    const own = output?.exec(value)?.[1];
    return own === undefined ? [] : [own || values[index + 1] || ''];
  });
  const operands = values.filter((value) => !value.startsWith('-'));
  if (sub === 'interpret-trailers' && values.some((value) => /^--in/.test(value))) {
    found.push(...operands);
  }
  // `--cacheinfo 100644,<object>,<path>`: what the index has comes into the folder with the next checkout.
  if (sub === 'update-index') {
    found.push(...operands.map((value) => value.split(',').slice(2).join(',')));
  }
  if (sub === 'clone') found.push(...operands.map(toClone));
  const action = operands[0] ?? '';
  if (sub === 'submodule' && /^(?:add|set-url|set-branch)$/.test(action)) found.push('.gitmodules');
  return found.filter((target) => target !== '');
}

/** Options whose value is a file or a folder to write, by subcommand. */
const OUTPUTS: Readonly<Record<string, RegExp>> = {
  archive: /^(?:-[a-zA-Z]*o|--o[a-z]*=?)([\s\S]*)$/,
  'format-patch': /^(?:-[a-zA-Z]*o|--o[a-z-]*=?)([\s\S]*)$/,
  diff: /^(?:--out[a-z]*=?)([\s\S]*)$/,
  'diff-tree': /^(?:--out[a-z]*=?)([\s\S]*)$/,
  'diff-index': /^(?:--out[a-z]*=?)([\s\S]*)$/,
  'diff-files': /^(?:--out[a-z]*=?)([\s\S]*)$/,
  log: /^(?:--out[a-z]*=?)([\s\S]*)$/,
  show: /^(?:--out[a-z]*=?)([\s\S]*)$/,
  'read-tree': /^(?:--i[a-z-]*=?)([\s\S]*)$/,
  bugreport: /^(?:-[a-zA-Z]*o|--o[a-z-]*=?)([\s\S]*)$/,
  diagnose: /^(?:-[a-zA-Z]*o|--o[a-z-]*=?)([\s\S]*)$/,
  repack: /^(?:--e[a-z-]*=?)([\s\S]*)$/,
  gc: /^(?:--e[a-z-]*=?)([\s\S]*)$/,
  mailsplit: /^-o([\s\S]*)$/,
  'fast-export': /^(?:--e[a-z-]*=?)([\s\S]*)$/,
};
