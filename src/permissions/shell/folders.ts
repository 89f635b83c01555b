import { forEachChild, type SyntaxNode } from 'unbash';
import { ELSEWHERE, type ShellWord } from './acts.ts';

/** The folders a command may run in, absolute and logical as `cd` keeps them; `ELSEWHERE` among them: others too. */
export type Folders = readonly string[];

/** Not known any more. */
export const LOST: Folders = [ELSEWHERE];

/** Where a line starts. */
export function toFolders(cwd: string | undefined): Folders {
  return cwd === undefined ? LOST : [cwd];
}

/** Where the shell may be after a command succeeded, and after it failed. */
export interface Flow {
  readonly ok: Folders;
  readonly failed: Folders;
}

export function toFlow(folders: Folders): Flow {
  return { ok: folders, failed: folders };
}

/** More possible folders than these are not followed. */
const LIMIT = 4;

/** Both possibilities. What is known stays, so that a deny there holds beside a place that is not. */
export function unite(a: Folders, b: Folders): Folders {
  if (a === b) return a;
  const all = [...new Set([...a, ...b])];
  return all.length > LIMIT ? [...all.slice(0, LIMIT), ELSEWHERE] : all;
}

const MOVERS = new Set(['cd', 'pushd', 'popd', 'eval', 'source', '.', 'builtin', 'command']);

/** Whether anything inside may change the folder: then a loop's second round starts elsewhere. */
export function mayMove(node: SyntaxNode): boolean {
  // A substitution moves only itself. A name that is not literal is asked about in any case.
  if (node.type === 'Word') return false;
  if (node.type === 'Command' && MOVERS.has(node.name?.value ?? '')) return true;
  let moves = false;
  forEachChild(node, (child) => {
    moves ||= mayMove(child);
  });
  return moves;
}

/** Where `cd`, `pushd` or `popd` leads. Only the plain `cd folder` is followed. */
export function move(words: readonly ShellWord[], folders: Folders, home: string): Flow {
  const name = words[0]?.value;
  const [target, ...others] = words.slice(words[1]?.value === '--' ? 2 : 1);
  if (name === 'cd' && target === undefined) return { ok: [home], failed: folders };
  const followed = name === 'cd' || name === 'pushd';
  if (!followed || target?.literal !== true || others.length > 0) return toLost(folders);
  const { value } = target;
  // `-`, `+1` and the options; `~name` and `~+` are folders that we do not look up.
  if (/^[-+]/.test(value) || (target.tilde === true && /^~[^/]/.test(value))) {
    return toLost(folders);
  }
  const written = target.tilde === true ? home + value.slice(1) : value;
  if (written.startsWith('/')) return { ok: [normalise(written)], failed: folders };
  const enter = (folder: string) =>
    folder === ELSEWHERE ? folder : normalise(`${folder}/${written}`);
  return { ok: folders.map(enter), failed: folders };
}

function toLost(folders: Folders): Flow {
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
