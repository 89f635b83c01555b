import type { CommandRow } from './defaultCommands.ts';

const LOG_FLAGS =
  '-# -n: -p -u -U: -s -S: -G: -i -E -F -P -w -b -a -z -M: -C: -R -L: -m -c -q -r -t -l: -1 --all --oneline --graph --decorate= --no-decorate --stat= --shortstat --numstat --dirstat= --summary --name-only --name-status --patch --no-patch --format= --pretty= --abbrev-commit --abbrev= --author= --committer= --grep= --since= --after= --until= --before= --max-count= --skip= --reverse --follow --first-parent --merges --no-merges --no-color --color= --color-words= --word-diff= --date= --no-pager --branches= --tags= --remotes= --topo-order --date-order --diff-filter= --cached --staged --merge-base --unified= --ignore-all-space --ignore-space-change --ignore-blank-lines --minimal --patience --histogram --no-renames --find-renames= --find-copies= --exit-code --quiet --check --full-index --binary --raw --left-right --cherry-pick --cherry-mark --cherry --boundary --simplify-by-decoration --full-history --no-ext-diff --no-textconv --no-prefix --relative= --inter-hunk-context= --function-context --submodule=log --submodule=short --compact-summary --no-walk --pickaxe-regex --pickaxe-all --regexp-ignore-case --extended-regexp --fixed-strings --invert-grep --no-notes --notes= --mailmap --source --walk-reflogs --text --ws-error-highlight= --color-moved= --no-indent-heuristic --ours --theirs --base --';

/** Settings that can't contain a secret. Others may: URLs, headers and credential helpers. */
const CONFIG_KEYS = [
  ...['user.name', 'user.email', 'init.defaultBranch', 'pull.rebase', 'push.default'],
  ...['core.autocrlf', 'core.eol', 'core.editor', 'core.hooksPath', 'core.ignorecase'],
  ...['core.filemode', 'core.bare', 'core.excludesFile', 'commit.gpgsign', 'merge.conflictStyle'],
] as const;

const GIT_ROWS: readonly CommandRow[] = [
  [
    'git status',
    '-s -b -u: -z -v --short --branch --porcelain= --long --untracked-files= --ignored= --ignore-submodules= --show-stash --ahead-behind --no-ahead-behind --column= --no-renames',
  ],
  ['git log', LOG_FLAGS],
  ['git diff', `${LOG_FLAGS} --no-index`],
  ['git show', LOG_FLAGS],
  ['git whatchanged', LOG_FLAGS],
  [
    'git shortlog',
    '-s -n -e -c -w: --summary --numbered --email --group= --no-merges --since= --until= --all',
  ],
  [
    'git show-branch',
    '-a -r --all --remotes --current --list --sha1-name --no-name --topo-order --date-order --merge-base --independent --sparse --topics --color= --no-color --more=',
  ],
  [
    'git blame',
    '-L: -l -t -s -e -w -M: -C: -c -b -f -n -p --porcelain --line-porcelain --since= --date= --show-email --color-lines --root',
  ],
  ['git annotate', '-L: -l -t -w'],
  ['git reflog', `${LOG_FLAGS}`],
  ['git reflog show', LOG_FLAGS],
  [
    'git rev-parse',
    '--abbrev-ref= --show-toplevel --git-dir --short= --verify --symbolic-full-name --is-inside-work-tree --is-bare-repository --show-prefix --show-cdup --absolute-git-dir --git-common-dir --all --branches --tags --remotes -q --quiet --symbolic --show-superproject-working-tree --git-path',
  ],
  [
    'git rev-list',
    '-# -n: --all --count --max-count= --oneline --since= --until= --first-parent --merges --no-merges --left-right --reverse --objects --format= --pretty= --branches --tags --abbrev-commit',
  ],
  [
    'git ls-files',
    '-c -d -m -o -i -s -u -k -t -v -z --cached --deleted --modified --others --ignored --stage --exclude-standard --exclude= --full-name --error-unmatch --directory --eol --unmerged',
  ],
  [
    'git ls-tree',
    '-d -r -t -l -z --name-only --name-status --full-name --full-tree --long --abbrev=',
  ],
  ['git cat-file', '-t -s -e -p --batch-check'],
  [
    'git describe',
    '--all --tags --contains --abbrev= --always --long --match= --exclude= --exact-match --first-parent',
  ],
  ['git merge-base', '-a --all --is-ancestor --octopus --fork-point --independent'],
  ['git name-rev', '--name-only --tags --always'],
  ['git show-ref', '-d -s --head --heads --tags --verify --hash= --abbrev= -q'],
  [
    'git for-each-ref',
    '--format= --sort= --count= --contains= --merged= --no-merged= --points-at=',
  ],
  ['git count-objects', '-v -H'],
  ['git check-ignore', '-v -n -q -z --verbose --non-matching --no-index'],
  ['git cherry', '-v --abbrev='],
  ['git range-diff', '--no-color --stat --creation-factor='],
  [
    'git grep',
    '-a -c -e: -E -F -G -P -h -H -i -I -l -L -n -o -p -q -v -w -W -z -A: -B: -C: -# --cached --untracked --no-index --ignore-case --line-number --name-only --files-with-matches --files-without-match --count --extended-regexp --fixed-strings --perl-regexp --word-regexp --invert-match --only-matching --heading --break --max-depth= --and --or --not --all-match --function-context --show-function --column --no-color',
  ],
  [
    'git branch --list',
    '--list -a -r -v -vv --all --remotes --verbose --sort= --contains= --merged= --no-merged= --format= --column=',
  ],
  [
    'git branch',
    '! -a -r -v -vv --all --remotes --verbose --show-current --sort= --format= --no-color --merged --no-merged --column=',
  ],
  ['git branch --contains', '--contains -a -r'],
  ['git branch --merged', '--merged -a -r'],
  ['git branch --no-merged', '--no-merged -a -r'],
  ['git tag', '! --sort= --format= --column='],
  ['git tag -l', '-l -n: --sort= --contains= --merged= --points-at= --format='],
  ['git tag --list', '--list -n: --sort= --contains= --merged= --points-at= --format='],
  ['git tag --sort=*', '! --sort= -l --format= --column='],
  ['git tag -n', '-n: --sort='],
  ...['-n1', '-n3', '-n5', '-n9', '-n99'].map(
    (lines) => [`git tag ${lines}`, '-n: -l --list --sort='] as const,
  ),
  ['git check-attr', '-a --all --cached -z'],
  [
    'git diff-tree',
    '-r -t -z -m -c -s --no-commit-id --name-only --name-status --root --stat --numstat --shortstat --diff-filter= --cc --abbrev= --pretty= --format= -v --no-renames',
  ],
  // With `-v` it prints URLs, which may contain a token.
  ['git remote', '!'],
  ['git remote show', '!'],
  ['git submodule', '!'],
  ['git symbolic-ref HEAD', '! --short -q'],
  ['git symbolic-ref --short HEAD', '! --short -q'],
  ['git symbolic-ref refs/remotes/origin/HEAD', '! --short'],
  ['git symbolic-ref --short refs/remotes/origin/HEAD', '! --short'],
  ['git branch -a --contains', '-a --contains'],
  ['git branch -r --contains', '-r --contains'],
  ['git tag --points-at', '--points-at'],
  ['git tag --contains', '--contains'],
  ['git tag --merged', '--merged'],
  ['git fsck', '! --full --no-dangling --no-progress --strict --connectivity-only'],
  ...CONFIG_KEYS.flatMap((key): CommandRow[] => [
    [`git config ${key}`, '!'],
    [`git config get ${key}`, '! --all --global --local'],
    [`git config --get ${key}`, '! --get'],
    [`git config --get-all ${key}`, '! --get-all'],
    [`git config --show-origin --get ${key}`, '! --show-origin --get'],
    ...['--global', '--local', '--system'].flatMap((scope): CommandRow[] => [
      [`git config ${scope} ${key}`, `! ${scope}`],
      [`git config ${scope} --get ${key}`, `! ${scope} --get`],
    ]),
  ]),
  ['git stash list', `${LOG_FLAGS}`],
  ['git stash show', LOG_FLAGS],
  ['git worktree list', '-v --porcelain'],
  ['git submodule status', '--recursive --cached'],
  ['git version', '--build-options'],
  ['git --version', '--version'],
  ['git help', '! -a -g'],
  ['git bisect log', ''],
  ['git notes list', ''],
  ['git sparse-checkout list', ''],
];

/** Commands that are often written with `-P`, the short form of `--no-pager`. */
const SHORT = /^git (?:log|diff|show|grep|blame|branch(?: --list)?|tag(?: -l)?|stash list|reflog)$/;

/** The same commands with `--no-pager`, which only affects how the output is displayed. */
export const GIT: readonly CommandRow[] = GIT_ROWS.flatMap(([pattern, flags]): CommandRow[] => [
  [pattern, flags],
  [pattern.replace(/^git /, 'git --no-pager '), `${flags} --no-pager`],
  ...(SHORT.test(pattern) ? [[pattern.replace(/^git /, 'git -P '), `${flags} -P`] as const] : []),
]);
