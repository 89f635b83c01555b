import fc from 'fast-check';

/** Where a repository that git reads lies, relative to the work tree. */
export const REPOSITORIES = [
  '.git',
  '.git/modules/lib',
  '.git/worktrees/tree',
  'inner/.git',
  'inner/deep/.git',
] as const;

/** Files and folders of a repository that some reading command prints or follows. */
const STATE = [
  'BISECT_LOG',
  'MERGE_MSG',
  'ORIG_HEAD',
  'description',
  'info',
  'info/exclude',
  'info/sparse-checkout',
  'logs/HEAD',
  'logs/refs/heads/a/b',
  'objects/pack/x.pack',
  'packed-refs',
  'rebase-apply/next',
  'rebase-merge/done',
  'rebase-merge/git-rebase-todo',
  'refs/heads/x/y',
  'refs/stash',
  'sequencer/todo',
  'worktrees/x/locked',
] as const;

const name = fc.constantFrom('a', 'x-y', '.b', 'c d', 'todo', 'é');

/** The path of a link in a repository: at a name that git knows, or at any depth. */
export const hiddenLink: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...REPOSITORIES),
    fc.oneof(
      fc.constantFrom(...STATE),
      fc
        .tuple(
          fc.constantFrom('refs', 'logs', 'rebase-merge', 'new', 'objects/info'),
          fc.array(name),
        )
        .map(([top, names]) => [top, ...names, 'link'].join('/')),
    ),
  )
  .map((parts) => parts.join('/'));
