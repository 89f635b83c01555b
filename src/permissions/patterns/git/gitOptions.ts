/**
 * The options of git's subcommands. `f|force` are the names of one option, `m|message=` takes a value,
 * `track?` takes one only in the same word, and `D>delete+force` stands for two others.
 */
export const GIT_OPTIONS: Readonly<Record<string, string>> = {
  add: `
    n|dry-run v|verbose i|interactive p|patch e|edit f|force u|update renormalize
    N|intent-to-add A|all ignore-removal refresh ignore-errors ignore-missing sparse chmod=
    pathspec-from-file= pathspec-file-nul`,
  am: `
    i|interactive 3|3way q|quiet s|signoff u|utf8 k|keep keep-non-patch m|message-id keep-cr
    no-keep-cr c|scissors quoted-cr= whitespace= ignore-space-change ignore-whitespace
    directory= exclude= include= C= p= patch-format= reject resolvemsg= continue r|resolved
    skip abort quit show-current-patch? allow-empty committer-date-is-author-date ignore-date
    rerere-autoupdate S|gpg-sign? empty=`,
  branch: `
    v|verbose q|quiet t|track? u|set-upstream-to= unset-upstream color? r|remotes contains?
    no-contains? abbrev? a|all d|delete D>delete+force m|move M>move+force c|copy C>copy+force
    l|list show-current create-reflog edit-description f|force merged? no-merged? column?
    sort= points-at= i|ignore-case recurse-submodules format=`,
  checkout: `
    b= B= l guess overlay q|quiet recurse-submodules? progress m|merge conflict= d|detach
    t|track? f|force orphan= overwrite-ignore ignore-other-worktrees 2|ours 3|theirs p|patch
    ignore-skip-worktree-bits pathspec-from-file= pathspec-file-nul`,
  'checkout-index': `
    a|all ignore-skip-worktree-bits f|force q|quiet n|no-create u|index z stdin temp prefix=
    stage=`,
  'cherry-pick': `
    quit continue abort skip cleanup= n|no-commit e|edit s|signoff m|mainline=
    rerere-autoupdate strategy= X|strategy-option= S|gpg-sign? x ff allow-empty
    allow-empty-message keep-redundant-commits`,
  clean: 'q|quiet n|dry-run f|force i|interactive d e|exclude= x X',
  commit: `
    q|quiet v|verbose F|file= author= date= m|message= c|reedit-message= C|reuse-message=
    fixup= squash= reset-author trailer= s|signoff t|template= e|edit cleanup= status
    S|gpg-sign? a|all i|include interactive p|patch o|only n|no-verify dry-run short branch
    ahead-behind porcelain long z|null amend no-post-rewrite u|untracked-files?
    pathspec-from-file= pathspec-file-nul`,
  fetch: `
    v|verbose q|quiet all set-upstream a|append atomic upload-pack= f|force m|multiple t|tags
    n j|jobs= prefetch p|prune P|prune-tags recurse-submodules? dry-run write-fetch-head
    k|keep u|update-head-ok progress depth= shallow-since= shallow-exclude= deepen= unshallow
    refetch update-shallow refmap= o|server-option= 4|ipv4 6|ipv6 negotiation-tip=
    negotiate-only filter= auto-maintenance auto-gc show-forced-updates write-commit-graph
    stdin`,
  'filter-branch': `
    f|force d= original= prune-empty setup= tree-filter= index-filter= env-filter= msg-filter=
    commit-filter= tag-name-filter= parent-filter= subdirectory-filter= state-branch=`,
  gc: 'q|quiet prune? cruft aggressive auto force keep-largest-pack',
  merge: `
    n stat summary log? squash commit e|edit cleanup= ff ff-only rerere-autoupdate
    verify-signatures s|strategy= X|strategy-option= m|message= F|file= into-name= v|verbose
    q|quiet abort quit continue allow-unrelated-histories progress S|gpg-sign? autostash
    overwrite-ignore signoff no-verify`,
  mv: 'v|verbose n|dry-run f|force k sparse',
  'notes add': 'm|message= F|file= c|reedit-message= C|reuse-message= allow-empty f|force',
  prune: 'n|dry-run v|verbose progress expire= exclude-promisor-objects',
  pull: `
    v|verbose q|quiet progress recurse-submodules? r|rebase? n stat log? signoff? squash
    commit edit cleanup= ff ff-only verify verify-signatures autostash s|strategy=
    X|strategy-option= S|gpg-sign? allow-unrelated-histories all a|append upload-pack= f|force
    t|tags p|prune j|jobs? dry-run k|keep depth= shallow-since= shallow-exclude= deepen=
    unshallow update-shallow refmap= o|server-option= 4|ipv4 6|ipv6 negotiation-tip=
    show-forced-updates set-upstream`,
  push: `
    v|verbose q|quiet repo= all|branches mirror d|delete tags n|dry-run porcelain f|force
    force-with-lease? force-if-includes recurse-submodules= thin receive-pack= exec=
    u|set-upstream progress prune no-verify follow-tags signed? atomic o|push-option= 4|ipv4
    6|ipv6`,
  'read-tree': `
    index-output= empty v|verbose m trivial aggressive reset prefix= u exclude-per-directory=
    i n|dry-run no-sparse-checkout debug-unpack recurse-submodules? q|quiet`,
  rebase: `
    onto= keep-base no-verify q|quiet v|verbose n|no-stat signoff
    committer-date-is-author-date reset-author-date C= ignore-whitespace whitespace=
    f|force-rebase no-ff continue skip abort quit edit-todo show-current-patch apply m|merge
    i|interactive rerere-autoupdate empty= autosquash update-refs S|gpg-sign? autostash
    x|exec= r|rebase-merges? fork-point s|strategy= X|strategy-option= root
    reschedule-failed-exec reapply-cherry-picks`,
  'reflog delete': 'dry-run rewrite updateref verbose',
  'reflog expire':
    'dry-run rewrite updateref verbose expire= expire-unreachable= stale-fix all single-worktree',
  repack: `
    a A cruft cruft-expiration= d f F n q|quiet l|local b|write-bitmap-index i|delta-islands
    unpack-unreachable= k|keep-unreachable window= window-memory= depth= threads=
    max-pack-size= pack-kept-objects keep-pack= g|geometric= m|write-midx expire-to=`,
  replace: 'l|list d|delete e|edit g|graft convert-graft-file f|force raw format=',
  reset: `
    q|quiet no-refresh mixed soft hard merge keep recurse-submodules? p|patch N|intent-to-add
    pathspec-from-file= pathspec-file-nul`,
  restore: `
    s|source= S|staged W|worktree ignore-unmerged overlay q|quiet recurse-submodules? progress
    m|merge conflict= 2|ours 3|theirs p|patch ignore-skip-worktree-bits pathspec-from-file=
    pathspec-file-nul`,
  revert: `
    quit continue abort skip cleanup= n|no-commit e|edit s|signoff m|mainline=
    rerere-autoupdate strategy= X|strategy-option= S|gpg-sign? reference`,
  rm: `
    n|dry-run q|quiet cached f|force r ignore-unmatch sparse pathspec-from-file=
    pathspec-file-nul`,
  'stash push': `
    k|keep-index S|staged p|patch q|quiet u|include-untracked a|all m|message=
    pathspec-from-file= pathspec-file-nul`,
  'submodule deinit': 'f|force all q|quiet',
  switch: `
    c|create= C|force-create= guess q|quiet recurse-submodules? progress m|merge conflict=
    d|detach t|track? f|force|discard-changes orphan= overwrite-ignore ignore-other-worktrees`,
  'symbolic-ref': 'q|quiet d|delete short recurse m=',
  tag: `
    l|list n? d|delete v|verify a|annotate m|message= F|file= e|edit s|sign cleanup=
    u|local-user= f|force create-reflog column? contains? no-contains? merged? no-merged?
    sort= points-at= format= color? i|ignore-case`,
  'update-ref': 'm= d no-deref z stdin create-reflog',
  'worktree add': 'f|force b= B= d|detach checkout lock reason= q|quiet track guess-remote',
  'worktree move': 'f|force',
  'worktree remove': 'f|force',
};
