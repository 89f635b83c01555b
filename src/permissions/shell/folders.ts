import { forEachChild, type SyntaxNode } from 'unbash';
import type { ShellWord } from './acts.ts';

/** The folders a command may run in, absolute and logical as `cd` keeps them; empty: not known. */
export type Places = readonly string[];

/** Not known any more. */
export const LOST: Places = [];

/** Where the shell may be after a command succeeded, and after it failed. */
export interface Flow {
  readonly ok: Places;
  readonly failed: Places;
}

export function flowOf(folders: Places): Flow {
  return { ok: folders, failed: folders };
}

/** More possible folders than these are taken as unknown. */
const LIMIT = 4;

/** Both possibilities; one unknown makes the whole unknown. */
export function unite(a: Places, b: Places): Places {
  if (a === b) return a;
  if (a.length === 0 || b.length === 0) return LOST;
  const all = [...new Set([...a, ...b])];
  return all.length > LIMIT ? LOST : all;
}

const MOVERS = new Set(['cd', 'pushd', 'popd', 'eval', 'source', '.', 'builtin', 'command']);

/** Whether anything inside may change the folder: then a loop's second round starts elsewhere. */
export function mayMove(node: SyntaxNode): boolean {
  let moves = false;
  const look = (child: SyntaxNode): void => {
    if (moves) return;
    if (child.type === 'Command' && child.name !== undefined) {
      const literal = child.name.parts === undefined || !child.name.value.includes('$');
      moves = !literal || MOVERS.has(child.name.value);
    }
    if (!moves && child.type !== 'Word') forEachChild(child, look);
  };
  look(node);
  return moves;
}

/** Where `cd`, `pushd` or `popd` leads. Only the plain `cd folder` is followed. */
export function move(words: readonly ShellWord[], folders: Places, home: string): Flow {
  const [name, ...rest] = words;
  const plain = rest.filter(({ value }) => value !== '--');
  const [target] = plain;
  if ((name?.value !== 'cd' && name?.value !== 'pushd') || plain.length > 1) return toLost(folders);
  if (target === undefined)
    return name.value === 'cd' ? { ok: [home], failed: folders } : toLost(folders);
  if (!target.literal || /^[-+]/.test(target.value)) return toLost(folders);
  const written =
    target.tilde === true && /^~(\/|$)/.test(target.value)
      ? home + target.value.slice(1)
      : target.value;
  if (target.tilde === true && written === target.value) return toLost(folders);
  if (written.startsWith('/')) return { ok: [normalise(written)], failed: folders };
  if (written === '') return flowOf(folders);
  return { ok: folders.map((folder) => normalise(`${folder}/${written}`)), failed: folders };
}

function toLost(folders: Places): Flow {
  return { ok: LOST, failed: folders };
}

/** `..` is taken from the text, as the shell's own `cd` does. */
function normalise(path: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}
