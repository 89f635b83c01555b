/** What a git command does to work that is then lost, and the options or words that make it do so. */
interface Discard {
  /** Completes "`git …` ". */
  readonly act: string;
  /** The subcommand and what it must be given. Other spellings of an option count as the same. */
  readonly commands: readonly string[];
}

/** Acts that discard work or overwrite what others have. They ask even if a wider rule allows them. */
export const GIT_DISCARDS: readonly Discard[] = [
  {
    act: 'can discard changes that are in no commit',
    commands: [
      ...['checkout --force', 'checkout -- *', 'checkout .', 'switch --force', 'restore'],
      ...['reset --hard', 'reset --merge', 'read-tree --reset', 'checkout-index --force'],
      ...['rm --force', 'mv --force', 'worktree remove', 'submodule deinit'],
    ],
  },
  {
    act: 'discards the solved conflicts of an operation that has begun',
    commands: [
      ...['merge --abort', 'cherry-pick --abort', 'cherry-pick --skip', 'revert --abort'],
      ...['revert --skip', 'am --abort', 'am --skip'],
    ],
  },
  { act: 'deletes files that are in no commit', commands: ['clean'] },
  { act: 'deletes changes that were put aside', commands: ['stash drop', 'stash clear'] },
  {
    act: 'can take the only name from commits',
    commands: [
      ...['branch --delete', 'branch --force', 'branch --move --force', 'branch --copy --force'],
      ...['checkout -B', 'switch --force-create', 'worktree add -B', 'tag --delete', 'tag --force'],
      ...['update-ref', 'symbolic-ref --delete', 'replace --delete', 'replace --force'],
      ...['fetch --force', 'fetch * +*', 'pull --force', 'pull * +*'],
      ...['remote remove', 'remote rm'],
    ],
  },
  {
    act: 'deletes notes about commits',
    commands: ['notes remove', 'notes prune', 'notes add --force', 'notes copy --force'],
  },
  { act: 'rewrites commits', commands: ['rebase', 'filter-branch'] },
  {
    act: 'deletes what git keeps to bring lost commits back',
    commands: [
      ...['reflog expire', 'reflog delete', 'reflog drop', 'reflog write', 'gc', 'prune'],
      ...['repack -a -d', 'repack --cruft-expiration', 'rerere clear'],
    ],
  },
  {
    act: 'overwrites or deletes what others have pushed',
    commands: [
      ...['--force', '--force-with-lease', '--mirror', '--delete', '--prune', '* :*', '* +*'].map(
        (given) => `push ${given}`,
      ),
    ],
  },
  { act: 'publishes commits', commands: ['push'] },
  { act: 'changes where commits are pushed to', commands: ['remote set-url'] },
];
