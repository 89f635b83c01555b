import { shorten } from '../../../base/hidden.ts';
import { toOneLine } from '../../../base/text/frame.ts';
import type { ReadGit } from '../../../permissions/rules/policy.ts';

/** A large repository on a slow disk must not delay the answer. */
const PATIENCE_MS = 2000;

const NO_SUBMODULES = ['--name-only', '-z', '--ignore-submodules=all'];

/**
 * The repository in one line, such as `branch main, 2 files changed`. Undefined outside a repository and when git
 * takes too long. `readGit` runs no hook, no fsmonitor and no filter; `git status` could.
 */
export async function describeGit(
  cwd: string,
  readGit: ReadGit,
  patienceMs = PATIENCE_MS,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(patienceMs);
  const read = async (...args: readonly string[]) => {
    const answer = await readGit(cwd, args, signal);
    return answer?.exitCode === 0 ? answer.output : undefined;
  };
  const off = await turnOffFilters(read);
  const [branch, commit, unstaged, staged] = await Promise.all([
    read('symbolic-ref', '--quiet', '--short', 'HEAD'),
    read('rev-parse', '--verify', '--quiet', '--short', 'HEAD'),
    off && read(...off, 'diff-files', ...NO_SUBMODULES),
    read('diff-index', '--cached', ...NO_SUBMODULES, 'HEAD'),
  ]);
  if (branch === undefined && commit === undefined) return undefined;
  const position =
    branch === undefined ? `detached at ${toName(commit)}` : `branch ${toName(branch)}`;
  if (commit === undefined) return `${position}, no commits yet`;
  if (unstaged === undefined || staged === undefined) return position;
  const count = new Set(`${unstaged}\0${staged}`.split('\0').filter(Boolean)).size;
  if (count === 0) return `${position}, no tracked file changed`;
  return `${position}, ${count} tracked ${count === 1 ? 'file' : 'files'} changed`;
}

/**
 * Git runs a repository's filters to compare a file that changed in the same moment as the index. Undefined when they
 * can't be turned off.
 */
async function turnOffFilters(
  read: (...args: readonly string[]) => Promise<string | undefined>,
): Promise<readonly string[] | undefined> {
  const listed =
    (await read('config', '--null', '--name-only', '--get-regexp', '^filter[.]')) ?? '';
  const names = new Set(listed.split('\0').filter((name) => /[.](?:clean|process)$/i.test(name)));
  if ([...names].some((name) => /[=\n]/.test(name))) return undefined;
  return [...names].flatMap((name) => ['-c', `${name}=`]);
}

function toName(text = ''): string {
  return shorten(toOneLine(text).trim(), 100);
}
