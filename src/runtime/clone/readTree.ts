import { failure, type Outcome, success } from '../../base/outcome.ts';

/** What a commit holds. */
export interface Tree {
  readonly files: readonly string[];
  readonly links: readonly { readonly path: string; readonly id: string }[];
  readonly submodules: readonly string[];
  /** The sum of the sizes of all files, in bytes. */
  readonly bytes: number;
}

/** Reads the output of `git ls-tree -r -l -z`. */
export function readTree(output: string): Outcome<Tree> {
  const files: string[] = [];
  const links: { path: string; id: string }[] = [];
  const submodules: string[] = [];
  let bytes = 0;
  for (const entry of output.split('\0')) {
    if (entry === '') continue;
    const [, mode = '', id = '', size = '', path = ''] =
      /^(\d{6}) \w+ ([0-9a-f]{40,64}) +(\d+|-)\t(.+)$/s.exec(entry) ?? [];
    if (path === '') return failure('Its list of files can not be read.');
    if (mode === '160000') submodules.push(path);
    else {
      files.push(path);
      if (mode === '120000') links.push({ path, id });
      bytes += Number(size) || 0;
    }
  }
  return success({ files, links, submodules, bytes });
}

/**
 * Whether a link stays inside of the repository. Names may be links themselves, which are looked at on their
 * own; `..` behind a name is refused, because it starts where that link leads.
 */
export function staysInside(path: string, target: string): boolean {
  if (target.startsWith('/') || /[\\:\0]/.test(target)) return false;
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const names = parts.findIndex((part) => part !== '..');
  const up = names < 0 ? parts.length : names;
  const depth = path.split('/').length - 1;
  const rest = parts.slice(up);
  return up <= depth && !rest.some((part) => part === '..' || part.toLowerCase() === '.git');
}
