import { forEachChild, type SyntaxNode } from 'unbash';
import { ELSEWHERE, type ShellWord } from './acts.ts';

/**
 * The folders that a command may run in: absolute, and logical as `cd` tracks them. If `ELSEWHERE`
 * is one of them, there may be others.
 */
export type Folders = readonly string[];

/** The folder is unknown. */
export const LOST: Folders = [ELSEWHERE];

/** The folders that a line starts in. */
export function toFolders(cwd: string | undefined): Folders {
  return cwd === undefined ? LOST : [cwd];
}

/** The folders that the shell may be in after a command succeeded, and after it failed. */
export interface Flow {
  readonly ok: Folders;
  readonly failed: Folders;
}

export function toFlow(folders: Folders): Flow {
  return { ok: folders, failed: folders };
}

/** Maximum number of possible folders that are tracked. */
const LIMIT = 4;

/**
 * Unites the possibilities. Known folders stay in the list, so that a deny for one of them applies
 * even if others are unknown.
 */
export function unite(a: Folders, b: Folders): Folders {
  if (a === b) return a;
  const all = [...new Set([...a, ...b])];
  return all.length > LIMIT ? [...all.slice(0, LIMIT), ELSEWHERE] : all;
}

const MOVERS = new Set(['cd', 'pushd', 'popd', 'eval', 'source', '.', 'builtin', 'command']);

/**
 * Whether anything inside the node may change the folder, so that a loop's second iteration starts
 * elsewhere.
 */
export function mayMove(node: SyntaxNode): boolean {
  // A substitution or a subshell only changes its own folder. A command name that isn't literal asks anyway.
  if (node.type === 'Word' || node.type === 'Subshell') return false;
  if (node.type === 'Command' && MOVERS.has(node.name?.value ?? '')) return true;
  let moves = false;
  forEachChild(node, (child) => {
    moves ||= mayMove(child);
  });
  return moves;
}

/**
 * Where `cd`, `pushd` or `popd` leads. Only plain `cd folder` is followed. `enter` returns the folders
 * that an absolute path may lead to.
 */
export function move(
  words: readonly ShellWord[],
  folders: Folders,
  home: string,
  enter = (path: string): Folders => [normalize(path)],
): Flow {
  const name = words[0]?.value;
  const [target, ...others] = words.slice(words[1]?.value === '--' ? 2 : 1);
  if (name === 'cd' && target === undefined) return { ok: [home], failed: folders };
  const followed = name === 'cd' || name === 'pushd';
  if (!followed || target?.literal !== true || others.length > 0) return toLost(folders);
  const { value } = target;
  // `-`, `+1` and options, and `~name`, `~+` and `x=~`, which aren't looked up.
  if (/^[-+]/.test(value) || (target.tilde === true && !/^~(?:\/|$)/.test(value))) {
    return toLost(folders);
  }
  const written = target.tilde === true ? home + value.slice(1) : value;
  if (written.startsWith('/')) return { ok: enter(written), failed: folders };
  const ok = folders.flatMap((folder) =>
    folder === ELSEWHERE ? LOST : enter(`${folder}/${written}`),
  );
  return { ok: unite(ok, ok.includes(ELSEWHERE) ? LOST : []), failed: folders };
}

function toLost(folders: Folders): Flow {
  return { ok: LOST, failed: folders };
}

/** Resolves `..` textually, as the shell's own `cd` does. */
export function normalize(path: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}
