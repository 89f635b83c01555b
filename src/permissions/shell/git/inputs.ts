import type { ShellWord } from '../acts.ts';
import type { Folders } from '../folders.ts';
import type { Walk } from '../walkState.ts';

const MESSAGE = /^(?:-[^-mF]*F|--fi(?:le?)?=?)([\s\S]*)$/;

/**
 * Options whose value is a file to read, by subcommand. Its text comes into an object or is printed,
 * from where anyone may read it.
 */
const INPUTS: Readonly<Record<string, RegExp>> = {
  'check-mailmap': /^--mailmap-f[a-z]*=?([\s\S]*)$/,
  'commit-tree': MESSAGE,
  config: /^(?:-f|--fi(?:le?)?=?)([\s\S]*)$/,
  'format-patch': /^--signature-f[a-z]*=?([\s\S]*)$/,
  merge: MESSAGE,
  notes: MESSAGE,
  tag: MESSAGE,
};

/** Subcommands that take another repository, which may be a folder. */
const REMOTE = /^(?:fetch|pull|push|ls-remote|remote)$/;
const FOLDER = /^(?:file:\/\/(?=\/)|(?=\.{0,2}\/|\.{1,2}$|~))(.+)$/s;

/** Adds the files and the other repositories that a subcommand reads, or pushes to. */
export function addInputs(
  sub: string,
  given: readonly ShellWord[],
  folders: Folders,
  walk: Walk,
): void {
  const values = given.map(({ value }) => value);
  const base = { kind: 'file', folders, role: 'operand' } as const;
  for (const target of listInputs(sub, values)) {
    walk.acts.push({ ...base, access: 'fs.read', target });
    if (sub === 'push') walk.acts.push({ ...base, access: 'fs.write', target });
  }
}

function listInputs(sub: string, values: readonly string[]): readonly string[] {
  const operands = values.filter((value) => !value.startsWith('-'));
  if (sub === 'interpret-trailers') return operands;
  if (REMOTE.test(sub))
    return values.flatMap((value) => FOLDER.exec(withoutName(value))?.[1] ?? []);
  const option = Object.hasOwn(INPUTS, sub) ? INPUTS[sub] : undefined;
  const end = values.indexOf('--');
  return values.slice(0, end < 0 ? values.length : end).flatMap((value, index) => {
    const own = option?.exec(value)?.[1];
    const target = own === '' ? values[index + 1] : own;
    // `-` is the standard input.
    return target === undefined || target === '' || target === '-' ? [] : [target];
  });
}

/** The value of `--repo=folder`. */
function withoutName(value: string): string {
  return value.replace(/^--repo=/, '');
}

/** The folder that git names after the address: `https://h/x.git` becomes `x`. */
export function toClone(address: string): string {
  const path = address.replace(/[/\\]+$/, '').replace(/[/\\]\.git$/, '');
  return path.replace(/^[\s\S]*[/\\:]/, '').replace(/\.(?:git|bundle)$/, '');
}
